//! Results of checks: a line each, what went wrong in full, and the same for scripts.

use std::time::{Duration, Instant};

use check::{CheckResult, CheckStatus, Finding, FindingAbout, Harm, SaidLine, Side, Trial};
use game::text::{printable, visible};
use serde_json::{Value, json};
use table::check::{Check, CheckMethod};

use crate::output::text::{count, titled, wrapped};

/// Results are read on terminals of this width.
const COLUMNS: usize = 80;
/// So many lines of a conversation are shown, and so many bytes of each; the file has all.
const LINES: usize = 30;
const BYTES: usize = 160;
/// So many bytes of a wrong line are spelled out one by one.
const SPELLED: usize = 24;

/// What differs between two runs of the same check.
const FLAKY: &str = "the lines are the same in every run: two threads, chance or the clock of the bot decide; a line \
    that comes right after an answer may be lost";

/// What all results come to.
pub(crate) struct CheckTally {
    began: Instant,
    passed: u64,
    noted: u64,
    skipped: u64,
    pub(crate) warned: u64,
    pub(crate) failed: u64,
    flaky: u64,
}

impl CheckTally {
    pub(crate) fn new() -> CheckTally {
        let [passed, noted, skipped, warned, failed, flaky] = [0; 6];
        CheckTally { began: Instant::now(), passed, noted, skipped, warned, failed, flaky }
    }

    pub(crate) fn add(&mut self, result: &CheckResult) {
        self.flaky += u64::from(result.is_flaky());
        *match result.status {
            CheckStatus::Pass => &mut self.passed,
            CheckStatus::Note => &mut self.noted,
            CheckStatus::Skip => &mut self.skipped,
            CheckStatus::Warn => &mut self.warned,
            CheckStatus::Fail => &mut self.failed,
        } += 1;
    }

    fn all(&self) -> u64 {
        self.passed + self.noted + self.skipped + self.warned + self.failed
    }

    /// The last line.
    pub(crate) fn line(&self) -> String {
        let parts = [
            (self.passed, "passed"),
            (self.noted, "noted"),
            (self.warned, "warned"),
            (self.failed, "failed"),
            (self.flaky, "flaky"),
            (self.skipped, "skipped"),
        ];
        let named = parts.iter().filter(|(number, word)| *number > 0 || *word == "failed");
        let named: Vec<String> = named.map(|(number, word)| format!("{number} {word}")).collect();
        let title = format!(" Summary [{}] ", seconds(self.began.elapsed()));
        titled(&title, &format!("{}: {}", count(self.all(), "check"), named.join(", ")), COLUMNS)
    }

    pub(crate) fn json(&self, game: &str, bot: &str) -> Value {
        json!({
            "v": 1,
            "game": game,
            "bot": bot,
            "checks": self.all(),
            "passed": self.passed,
            "noted": self.noted,
            "warned": self.warned,
            "failed": self.failed,
            "flaky": self.flaky,
            "skipped": self.skipped,
            "time_ms": ms(self.began.elapsed()),
        })
    }
}

fn seconds(time: Duration) -> String {
    format!("{:>7.3}s", time.as_secs_f64())
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// A check in a list.
pub(crate) fn listed(check: &Check) -> String {
    let title = format!("{:<7}{}", check.level.name(), check.name);
    let rule = titled("         ", check.rule, COLUMNS);
    format!("{title}\n{rule}\n         docs/{}", check.section)
}

pub(crate) fn listed_json(check: &Check) -> Value {
    json!({
        "v": 1,
        "check": check.name,
        "level": check.level.name(),
        "by": match check.method {
            CheckMethod::Match(_) => "match",
            CheckMethod::Script(_) | CheckMethod::ScriptFor(_) => "script",
        },
        "rule": check.rule,
        "section": format!("docs/{}", check.section),
        "hint": check.hint,
    })
}

/// One line for a check.
pub(crate) fn line(check: &Check, result: &CheckResult) -> String {
    let status = result.status.name().to_uppercase();
    let title = format!("{status:>8} [{}] ", seconds(result.time));
    let mut text = check.name.to_owned();
    if let Some(why) = &result.trial.skipped {
        text.push_str(&format!(": {why}"));
    }
    if result.is_flaky() {
        text.push_str(&format!(" (flaky: {})", how_often(result)));
    }
    titled(&title, &text, COLUMNS)
}

fn how_often(result: &CheckResult) -> String {
    format!("failed in {} of {} runs", result.failed, result.runs)
}

/// What went wrong in a check, in full. `again` is the command that tries it again.
pub(crate) fn details(check: &Check, result: &CheckResult, again: &str) -> String {
    let status = result.status.name().to_uppercase();
    let often = if result.runs > 1 { format!(", {}", how_often(result)) } else { String::new() };
    let mut lines = vec![wrapped(
        &format!("{status} {} ({}{often})", check.name, check.level.name()),
        5,
        COLUMNS,
    )];
    let trial = &result.trial;
    for finding in &trial.findings {
        lines.push(titled("  what happened  ", &finding.text, COLUMNS));
        if let Some(expected) = &finding.expected {
            lines.push(titled("  expected       ", expected, COLUMNS));
        }
        lines.extend(asked(trial, finding));
        if let Some(line) = &finding.line {
            lines.extend(cut_line("  came back      ", &spelled(line)));
        }
    }
    lines.push(titled("  protocol       ", check.rule, COLUMNS));
    lines.push(format!("                 docs/{}", check.section));
    lines.push(titled("  usual cause    ", cause(check, trial), COLUMNS));
    if result.is_flaky() {
        lines.push(titled("  not every time ", FLAKY, COLUMNS));
    }
    lines.push(titled("  try it again   ", again, COLUMNS));
    // Of a time or of two games that differ it shows nothing.
    let words = |finding: &Finding| finding.about == FindingAbout::Words;
    if result.status == CheckStatus::Note || !trial.findings.iter().any(words) {
        return lines.join("\n");
    }
    let left_out = trial.said.len().saturating_sub(LINES);
    if left_out > 0 {
        lines.push(format!(
            "  … {} before (--transcript FILE has all)",
            count(left_out as u64, "line")
        ));
    }
    lines.extend(trial.said.iter().skip(left_out).flat_map(|said| conversation_line(said, BYTES)));
    lines.join("\n")
}

/// The usual cause of what happened: of that in particular, or of a promise that is not kept.
fn cause(check: &Check, trial: &Trial) -> &'static str {
    trial.findings.first().and_then(|finding| finding.cause).unwrap_or(check.hint)
}

/// One line for all checks that were not tried because of another one.
pub(crate) fn not_tried(number: u64, why: &str) -> String {
    titled("    SKIP            ", &format!("{}: {why}", count(number, "check")), COLUMNS)
}

/// The last thing that was sent before a line that was wrong.
fn asked(trial: &Trial, finding: &Finding) -> Option<String> {
    finding.expected.as_ref()?;
    let sent = trial.said.iter().rfind(|said| said.side == Side::Host)?;
    Some(cut_line("  after          ", &printable(&sent.bytes, BYTES)).join("\n"))
}

/// A line with its bytes one by one, if there is anything in it that cannot be seen.
fn spelled(line: &[u8]) -> String {
    let text = format!("\"{}\"", printable(line, BYTES));
    if line.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
        return text;
    }
    let bytes: Vec<String> = line.iter().take(SPELLED).map(|byte| format!("{byte:02x}")).collect();
    let more =
        if line.len() > SPELLED { format!(" … {} bytes", line.len()) } else { String::new() };
    format!("{text} = {}{more}", bytes.join(" "))
}

/// A line of a conversation.
fn conversation_line(said: &SaidLine, most: usize) -> Vec<String> {
    let sign = match said.side {
        Side::Host => '>',
        Side::Bot | Side::Unfinished => '<',
        Side::Stderr => '!',
        Side::Fact => '*',
    };
    let title = format!("  {:>9.3} {sign} ", said.at.0.as_secs_f64());
    let mut text = printable(&said.bytes, most);
    if said.bytes.len() > most {
        text.push_str(&format!("… ({} bytes)", said.bytes.len()));
    }
    if said.side == Side::Unfinished {
        text.push_str(" (the end of the line is missing)");
    }
    cut_line(&title, &text)
}

/// Text that is broken anywhere to fit, below its beginning: blanks in it count.
fn cut_line(title: &str, text: &str) -> Vec<String> {
    let indent = title.chars().count();
    let letters: Vec<char> = text.chars().collect();
    let mut lines: Vec<String> = letters
        .chunks(COLUMNS - indent)
        .map(|part| format!("{:indent$}{}", "", part.iter().collect::<String>()))
        .collect();
    match lines.first_mut() {
        Some(first) => *first = format!("{title}{}", &first[indent..]),
        None => lines.push(title.trim_end().to_owned()),
    }
    lines
}

/// The whole conversation of a check.
pub(crate) fn transcript(check: &Check, result: &CheckResult) -> Vec<String> {
    let mut lines = vec![format!("# {} {}", check.name, result.status.name())];
    lines.extend(result.trial.findings.iter().map(|finding| format!("# {}", finding.text)));
    let sign = |side: Side| match side {
        Side::Host => ">",
        Side::Bot | Side::Unfinished => "<",
        Side::Stderr => "!",
        Side::Fact => "*",
    };
    let line = |said: &SaidLine| {
        format!("{:.6} {} {}", said.at.0.as_secs_f64(), sign(said.side), visible(&said.bytes))
    };
    lines.extend(result.trial.said.iter().map(line));
    lines.push(String::new());
    lines
}

pub(crate) fn json(check: &Check, result: &CheckResult) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "harm": match finding.harm {
                Harm::Harmless => "harmless",
                Harm::Slow => "slow",
                Harm::Broken => "broken",
            },
            "about": match finding.about {
                FindingAbout::Words => "words",
                FindingAbout::Time => "time",
            },
            "text": finding.text,
            "expected": finding.expected,
            "line": finding.line.as_ref().map(|line| visible(line)),
        })
    };
    let said = |said: &SaidLine| {
        json!({
            "at_ms": ms(said.at.0),
            "side": match said.side {
                Side::Host => "host",
                Side::Bot => "bot",
                Side::Unfinished => "unfinished",
                Side::Stderr => "stderr",
                Side::Fact => "fact",
            },
            "text": visible(&said.bytes),
        })
    };
    let trial = &result.trial;
    // What was said matters where something is wrong.
    let lines: Vec<Value> = match trial.findings.is_empty() {
        true => Vec::new(),
        false => trial.said.iter().map(said).collect(),
    };
    json!({
        "v": 1,
        "check": check.name,
        "level": check.level.name(),
        "status": result.status.name(),
        "flaky": result.is_flaky(),
        "runs": result.runs,
        "failed": result.failed,
        "time_ms": ms(result.time),
        "slowest_ms": trial.slowest.map(ms),
        "skipped": trial.skipped,
        "findings": trial.findings.iter().map(finding).collect::<Vec<Value>>(),
        "rule": check.rule,
        "section": format!("docs/{}", check.section),
        "hint": cause(check, trial),
        "said": lines,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_byte_by_byte() {
        assert_eq!(spelled(b"7,7"), "\"7,7\"");
        assert_eq!(spelled(b"7,7\r"), "\"7,7\\r\" = 37 2c 37 0d");
        assert_eq!(spelled(b"\xef\xbb\xbf{}"), "\"\\u{feff}{}\" = ef bb bf 7b 7d");
        assert_eq!(spelled(b"{\"action\": \"rest\"}"), "\"{\"action\": \"rest\"}\"");
        assert!(spelled(&[9; 100]).ends_with("09 … 100 bytes"));
    }

    #[test]
    fn lines_of_a_conversation_fit_into_eighty_columns() {
        let at = game::Tick(Duration::from_millis(1500));
        let said = SaidLine { at, side: Side::Host, bytes: vec![b'x'; 1000] };
        let lines = conversation_line(&said, BYTES);
        assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS), "{lines:?}");
        assert!(lines[0].starts_with("      1.500 > xxx"));
        let blank = SaidLine { at, side: Side::Bot, bytes: Vec::new() };
        assert_eq!(conversation_line(&blank, BYTES), ["      1.500 <"]);
    }
}
