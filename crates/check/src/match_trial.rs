//! A promise that is tried by a match: what the log says of the bot.

use std::collections::HashMap;
use std::time::Duration;

use game::{Fault, FaultKind, PlayerId, Tick, Topic, Verdict};
use serde::de::IgnoredAny;
use table::check::{CheckedMatch, JudgedBy};
use table::{Cost, Entry, Record, Report, SeatId};

use crate::trial::{Finding, Harm, SaidLine, Side, Trial, late};

/// So many lines of a match are shown: those before the first fault, and a few after it.
const SHOWN: usize = 40;
const AFTER: usize = 3;

/// What the log of a match says of one player.
#[derive(Default)]
struct OfPlayer {
    said: Vec<SaidLine>,
    faults: Vec<(Fault, Cost)>,
    remarks: Vec<String>,
    answers: Vec<(Duration, Duration)>,
    /// Where in `said` the first fault is.
    first_fault: Option<usize>,
}

/// Judges games that were played for a check.
pub(crate) fn judge(plan: &CheckedMatch, played: &[(Report, Record)]) -> Trial {
    let mut trial = Trial::default();
    if let Some((report, _)) = played.iter().find(|(report, _)| report.outcome == Verdict::Void) {
        trial.skipped = Some(format!("the game was void: {}", report.reason));
        return trial;
    }
    let limit = Duration::from_millis(plan.turn_ms);
    for (_, record) in played {
        let of = read(record, PlayerId(plan.seat));
        let slowest = of.answers.iter().map(|(wall, _)| *wall).max();
        trial.slowest = trial.slowest.max(slowest);
        let mut findings = match plan.judged {
            JudgedBy::Faults => of_faults(&of, limit),
            JudgedBy::Limits => {
                let is_limit = |fault: &&(Fault, Cost)| exceeds_limit(fault.0.kind);
                of.faults.iter().filter(is_limit).map(finding).collect()
            }
            JudgedBy::Time => in_time(&of.answers, limit),
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

fn of_faults(of: &OfPlayer, limit: Duration) -> Vec<Finding> {
    let mut findings: Vec<Finding> = of.faults.iter().map(finding).collect();
    let remark = |text: &String| Finding::new(Harm::Harmless, text.clone());
    findings.extend(of.remarks.iter().map(remark));
    let lates = of.answers.iter().filter_map(|(wall, cpu)| late(limit, *wall, *cpu));
    findings.extend(lates.max_by_key(|finding| finding.harm));
    let mut texts = Vec::new();
    findings.retain(|finding| {
        let new = !texts.contains(&finding.text);
        texts.push(finding.text.clone());
        new
    });
    findings
}

fn finding((fault, cost): &(Fault, Cost)) -> Finding {
    let harm = match cost {
        Cost::Nothing => Harm::Harmless,
        Cost::Answer | Cost::Try | Cost::Process | Cost::Game => Harm::Broken,
    };
    Finding::new(harm, format!("{fault}: {cost}"))
}

/// The slowest answer, if it was too late or nearly so.
fn in_time(answers: &[(Duration, Duration)], limit: Duration) -> Vec<Finding> {
    let lates = answers.iter().filter_map(|(wall, cpu)| late(limit, *wall, *cpu));
    if let Some(worst) = lates.max_by_key(|finding| finding.harm) {
        return vec![worst];
    }
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
    for entry in record.entries::<IgnoredAny>().map_while(Result::ok) {
        let is_own = |seat: &SeatId| owners.get(seat) == Some(&player);
        let mut say = |at: Tick, side: Side, bytes: &[u8]| {
            of.said.push(SaidLine { at, side, bytes: bytes.to_vec() });
        };
        match entry {
            Entry::Seated { seat, player, .. } => {
                owners.insert(seat, player);
            }
            Entry::Sent { at, seat, bytes } if is_own(&seat) => {
                for line in bytes.0.split_inclusive(|byte| *byte == b'\n') {
                    say(at, Side::Host, line);
                }
            }
            Entry::Got { at, seat, line } if is_own(&seat) => say(at, Side::Bot, &line.0),
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
            }
            Entry::Noted { seat, note, .. } if is_own(&seat) && note.topic == Topic::Remark => {
                of.remarks.push(note.text);
            }
            Entry::Faulted { at, player: whose, fault, ruling, .. } if whose == player => {
                say(at, Side::Fact, format!("{fault}: {ruling}").as_bytes());
                of.first_fault.get_or_insert(of.said.len());
                of.faults.push((fault, ruling));
            }
            Entry::Sent { .. }
            | Entry::Got { .. }
            | Entry::Unfinished { .. }
            | Entry::Stderr { .. }
            | Entry::Answered { .. }
            | Entry::Noted { .. }
            | Entry::Faulted { .. }
            | Entry::Stepped { .. }
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

    #[test]
    fn a_fault_that_costs_nothing_is_harmless() {
        let fault = |cost| finding(&(Fault::new(FaultKind::Extra, "a line"), cost)).harm;
        assert_eq!(fault(Cost::Nothing), Harm::Harmless);
        for cost in [Cost::Answer, Cost::Try, Cost::Process, Cost::Game] {
            assert_eq!(fault(cost), Harm::Broken);
        }
    }

    #[test]
    fn an_answer_in_the_last_tenth_of_its_time_is_worth_a_word() {
        let ms = Duration::from_millis;
        let said = |wall| in_time(&[(ms(3), ms(3)), (ms(wall), ms(1))], ms(500));
        assert!(said(450).is_empty());
        assert!(said(451)[0].text.contains("451 ms of 500 ms"));
        assert!(in_time(&[], ms(500)).is_empty(), "nobody was asked");
    }
}
