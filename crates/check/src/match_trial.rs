//! A promise that is tried by a match: what the log says of the bot.

use std::collections::HashMap;
use std::time::Duration;

use game::{Fault, FaultKind, PlayerId, Tick, Topic, Verdict};
use serde::de::IgnoredAny;
use table::check::{CheckedMatch, JudgedBy};
use table::{BIRTH, Cost, Entry, Record, Report, START_FOR_EACH, SeatId};

use crate::causes;
use crate::load::Load;
use crate::trial::{Finding, Harm, SaidLine, Side, Trial, late};

/// So many lines of a match are shown: those before the first fault, and a few after it.
const SHOWN: usize = 40;
const AFTER: usize = 3;

/// What a bot is allowed in a match, and how busy the machine was.
pub(crate) struct MatchAllowance {
    /// The time for an answer.
    pub(crate) turn: Duration,
    /// The time to start.
    pub(crate) start: Duration,
    pub(crate) load: Load,
}

/// When the first things happened in a seat.
#[derive(Clone, Copy, Default)]
struct SeatBegin {
    sent: Option<Tick>,
    got: Option<Tick>,
    /// Whether it was seated in the middle of a game.
    born: bool,
}

/// What the log of a match says of one player.
#[derive(Default)]
struct OfPlayer {
    /// How long its processes took until they had read their first question: those of the start, and
    /// those that were born later.
    starts: Vec<Duration>,
    births: Vec<Duration>,
    said: Vec<SaidLine>,
    faults: Vec<(Fault, Cost)>,
    remarks: Vec<String>,
    answers: Vec<(Duration, Duration)>,
    /// Where in `said` the first fault is.
    first_fault: Option<usize>,
}

/// Judges games that were played for a check.
pub(crate) fn judge(
    plan: &CheckedMatch,
    played: &[(Report, Record)],
    allowed: &MatchAllowance,
) -> Trial {
    let mut trial = Trial::default();
    if let Some((report, _)) = played.iter().find(|(report, _)| report.outcome == Verdict::Void) {
        trial.skipped = Some(format!("the game was void: {}", report.reason));
        return trial;
    }
    for (_, record) in played {
        let of = read(record, PlayerId(plan.seat));
        let slowest = of.answers.iter().map(|(wall, _)| *wall).max();
        trial.slowest = trial.slowest.max(slowest);
        let mut findings = match plan.judged {
            JudgedBy::Faults => of_faults(&of, allowed),
            JudgedBy::Limits => {
                let is_limit = |fault: &&(Fault, Cost)| exceeds_limit(fault.0.kind);
                of.faults.iter().filter(is_limit).map(finding).collect()
            }
            JudgedBy::Time => in_time(&of.answers, allowed),
            JudgedBy::Repetition => Vec::new(),
        };
        if trial.said.is_empty() || (!findings.is_empty() && trial.findings.is_empty()) {
            trial.said = excerpt(of);
        }
        trial.findings.append(&mut findings);
    }
    if let (JudgedBy::Repetition, [(_, first), (_, second)]) = (plan.judged, played)
        && !first.is_same_game(second)
    {
        let same =
            first.digests().iter().zip(second.digests()).take_while(|(a, b)| *a == b).count();
        let text = format!("the same match went another way after {same} steps");
        trial.findings.push(Finding::new(Harm::Harmless, text));
    }
    trial
}

fn of_faults(of: &OfPlayer, allowed: &MatchAllowance) -> Vec<Finding> {
    let mut findings: Vec<Finding> = of.faults.iter().map(finding).collect();
    let remark = |text: &String| Finding::new(Harm::Harmless, text.clone());
    findings.extend(of.remarks.iter().map(remark));
    findings.extend(latest(&of.answers, allowed));
    findings.extend(slow_starts(of, allowed.start));
    once_each(findings)
}

/// What differs from another finding in its numbers alone is said once, with how often it was so.
fn once_each(findings: Vec<Finding>) -> Vec<Finding> {
    let shape = |text: &str| text.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    let mut kept: Vec<(String, Finding, usize)> = Vec::new();
    for finding in findings {
        let shape: String = shape(&finding.text);
        match kept.iter_mut().find(|(other, same, _)| *other == shape && same.harm == finding.harm)
        {
            Some((_, _, count)) => *count += 1,
            None => kept.push((shape, finding, 1)),
        }
    }
    let told = |(_, finding, count): (String, Finding, usize)| match count {
        1 => finding,
        count => Finding { text: format!("{} ({count} times like this)", finding.text), ..finding },
    };
    kept.into_iter().map(told).collect()
}

fn finding((fault, cost): &(Fault, Cost)) -> Finding {
    let harm = match cost {
        Cost::Nothing => Harm::Harmless,
        Cost::Answer | Cost::Try | Cost::Process | Cost::Game => Harm::Broken,
    };
    let text = format!("{fault}: {cost}");
    let cause = causes::of_end(fault.kind, &fault.detail);
    match fault.kind {
        FaultKind::Timeout | FaultKind::NotReady => Finding::of_time(harm, text),
        FaultKind::NotStarted
        | FaultKind::Refused
        | FaultKind::Memory
        | FaultKind::Processes
        | FaultKind::Cpu
        | FaultKind::Disk
        | FaultKind::Flood
        | FaultKind::LineTooLong
        | FaultKind::Crash
        | FaultKind::EndOfOutput
        | FaultKind::BadInput
        | FaultKind::Illegal
        | FaultKind::Early
        | FaultKind::Extra
        | FaultKind::BadOption => Finding::new(harm, text).because(cause),
    }
}

/// What there is to say of the answer that was most too late.
fn latest(answers: &[(Duration, Duration)], allowed: &MatchAllowance) -> Option<Finding> {
    let lates =
        answers.iter().filter_map(|(wall, cpu)| late(allowed.turn, *wall, *cpu, allowed.load));
    lates.max_by_key(|finding| finding.harm)
}

/// Processes that took longer to start than a match allows. The check waited for them.
fn slow_starts(of: &OfPlayer, start: Duration) -> Vec<Finding> {
    let crowd = |processes: &[Duration]| START_FOR_EACH * processes.len() as u32;
    let ms = |time: Duration| time.as_millis();
    let mut findings = Vec::new();
    let slowest = of.starts.iter().max().copied().unwrap_or_default();
    if slowest > start + crowd(&of.starts) {
        let (slowest, start) = (ms(slowest), ms(start));
        findings.push(format!("a process took {slowest} ms to start; a match gives it {start} ms"));
    }
    let beyond: Duration = of.births.iter().map(|birth| birth.saturating_sub(BIRTH)).sum();
    if beyond > start + crowd(&of.births) {
        let slowest = of.births.iter().max().copied().unwrap_or_default();
        findings.push(format!(
            "processes that began in the middle of the game took up to {} ms to start; a match gives \
             each {} ms, and {} ms more to all of them together: they needed {} ms more",
            ms(slowest),
            ms(BIRTH),
            ms(start),
            ms(beyond)
        ));
    }
    findings.into_iter().map(|text| Finding::of_time(Harm::Slow, text)).collect()
}

/// The slowest answer, if it was too late or nearly so.
fn in_time(answers: &[(Duration, Duration)], allowed: &MatchAllowance) -> Vec<Finding> {
    if let Some(worst) = latest(answers, allowed) {
        return vec![worst];
    }
    let limit = allowed.turn;
    let slowest = answers.iter().map(|(wall, _)| *wall).max().unwrap_or_default();
    if slowest * 10 <= limit * 9 {
        return Vec::new();
    }
    let [slowest, limit] = [slowest, limit].map(|time| time.as_millis());
    let text =
        format!("the slowest answer took {slowest} ms of {limit} ms: there is little to spare");
    vec![Finding::of_time(Harm::Slow, text)]
}

fn exceeds_limit(kind: FaultKind) -> bool {
    match kind {
        FaultKind::Memory
        | FaultKind::Processes
        | FaultKind::Cpu
        | FaultKind::Disk
        | FaultKind::Flood
        | FaultKind::LineTooLong => true,
        FaultKind::NotStarted
        | FaultKind::NotReady
        | FaultKind::Refused
        | FaultKind::Timeout
        | FaultKind::Crash
        | FaultKind::EndOfOutput
        | FaultKind::BadInput
        | FaultKind::Illegal
        | FaultKind::Early
        | FaultKind::Extra
        | FaultKind::BadOption => false,
    }
}

fn read(record: &Record, player: PlayerId) -> OfPlayer {
    let mut of = OfPlayer::default();
    let mut owners: HashMap<SeatId, PlayerId> = HashMap::new();
    let mut begins: HashMap<SeatId, SeatBegin> = HashMap::new();
    let mut under_way = false;
    for entry in record.entries::<IgnoredAny>().map_while(Result::ok) {
        let is_own = |seat: &SeatId| owners.get(seat) == Some(&player);
        let mut say = |at: Tick, side: Side, bytes: &[u8]| {
            of.said.push(SaidLine { at, side, bytes: bytes.to_vec() });
        };
        match entry {
            Entry::Seated { seat, player, .. } => {
                owners.insert(seat, player);
                begins.insert(seat, SeatBegin { born: under_way, ..SeatBegin::default() });
            }
            Entry::Sent { at, seat, bytes } if is_own(&seat) => {
                begins.entry(seat).or_default().sent.get_or_insert(at);
                for line in bytes.0.split_inclusive(|byte| *byte == b'\n') {
                    say(at, Side::Host, line);
                }
            }
            Entry::Got { at, seat, line } if is_own(&seat) => {
                begins.entry(seat).or_default().got.get_or_insert(at);
                say(at, Side::Bot, &line.0);
            }
            Entry::Unfinished { at, seat, bytes } if is_own(&seat) => {
                say(at, Side::Unfinished, &bytes.0);
            }
            Entry::Stderr { at, seat, bytes } if is_own(&seat) => {
                for line in bytes.0.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    say(at, Side::Stderr, line);
                }
            }
            Entry::Answered { seat, wall, cpu, .. } if is_own(&seat) => {
                of.answers.push((wall, cpu));
                // The first answer of a seat, which is asked about once.
                if let Some(begin) = begins.remove(&seat)
                    && let (Some(sent), Some(got)) = (begin.sent, begin.got)
                {
                    let started = got.since(sent).saturating_sub(wall);
                    let kind = if begin.born { &mut of.births } else { &mut of.starts };
                    kind.push(started);
                }
            }
            Entry::Noted { seat, note, .. } if is_own(&seat) && note.topic == Topic::Remark => {
                of.remarks.push(note.text);
            }
            Entry::Faulted { at, player: whose, fault, ruling, .. } if whose == player => {
                say(at, Side::Fact, format!("{fault}: {ruling}").as_bytes());
                of.first_fault.get_or_insert(of.said.len());
                of.faults.push((fault, ruling));
            }
            Entry::Stepped { .. } => under_way = true,
            Entry::Sent { .. }
            | Entry::Got { .. }
            | Entry::Unfinished { .. }
            | Entry::Stderr { .. }
            | Entry::Answered { .. }
            | Entry::Noted { .. }
            | Entry::Faulted { .. }
            | Entry::Left { .. }
            | Entry::Over { .. }
            | Entry::Truncated
            | Entry::Kept { .. }
            | Entry::Cut { .. } => {}
        }
    }
    of
}

/// The lines that are worth showing: up to the first fault, or the last ones.
fn excerpt(of: OfPlayer) -> Vec<SaidLine> {
    let end = of.first_fault.map_or(of.said.len(), |at| (at + AFTER).min(of.said.len()));
    of.said[end.saturating_sub(SHOWN)..end].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::FindingAbout;

    #[test]
    fn a_fault_that_costs_nothing_is_harmless() {
        let fault = |cost| finding(&(Fault::new(FaultKind::Extra, "a line"), cost)).harm;
        assert_eq!(fault(Cost::Nothing), Harm::Harmless);
        for cost in [Cost::Answer, Cost::Try, Cost::Process, Cost::Game] {
            assert_eq!(fault(cost), Harm::Broken);
        }
    }

    #[test]
    fn slow_starts_are_measured_against_what_a_match_allows_and_no_failure() {
        let ms = Duration::from_millis;
        let said = |starts: &[u64], births: &[u64]| {
            let times = |list: &[u64]| list.iter().map(|time| ms(*time)).collect();
            let of =
                OfPlayer { starts: times(starts), births: times(births), ..Default::default() };
            slow_starts(&of, ms(1000))
        };
        // 200 ms each, one second more for all of them, and 100 ms for each of the crowd.
        assert!(said(&[1000, 1100, 1200], &[600, 600, 600]).is_empty());
        let late = said(&[10], &[900, 900, 900]);
        assert_eq!(late.len(), 1);
        assert!(late[0].text.contains("took up to 900 ms"), "{}", late[0].text);
        assert!(late[0].text.ends_with("they needed 2100 ms more"), "{}", late[0].text);
        assert_eq!((late[0].harm, late[0].about), (Harm::Slow, FindingAbout::Time));
        assert!(said(&[1200], &[])[0].text.contains("took 1200 ms to start"));
    }

    #[test]
    fn what_happens_at_every_turn_is_said_once() {
        let said = ["\"I play 7 7\" is not a move", "\"I play 8 12\" is not a move", "another"];
        let findings = said.map(|text| Finding::new(Harm::Harmless, text)).to_vec();
        let texts: Vec<String> = once_each(findings).into_iter().map(|it| it.text).collect();
        assert_eq!(texts, ["\"I play 7 7\" is not a move (2 times like this)", "another"]);
    }

    #[test]
    fn an_answer_in_the_last_tenth_of_its_time_is_worth_a_word() {
        let ms = Duration::from_millis;
        let allowed = MatchAllowance { turn: ms(500), start: ms(10_000), load: Load::NONE };
        let said = |wall| in_time(&[(ms(3), ms(3)), (ms(wall), ms(1))], &allowed);
        assert!(said(450).is_empty());
        assert!(said(451)[0].text.contains("451 ms of 500 ms"));
        assert!(in_time(&[], &allowed).is_empty(), "nobody was asked");
    }
}
