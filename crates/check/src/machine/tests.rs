//! Scripts without a process: lines and moments as they would come from a host.

use super::*;
use crate::trial::WRITE_KEPT;

fn ms(count: u64) -> Tick {
    Tick(Duration::from_millis(count))
}

fn is(word: &'static str) -> impl Fn(&ScriptSoFar, &[u8]) -> Reading {
    move |_, line| Reading::answer_unless((line != word.as_bytes()).then(|| format!("not {word}")))
}

fn new() -> Script {
    Script::new(LineEnd::CrLf, |line| line.starts_with(b"#"))
}

/// The machine after its process has been seated, and its first wishes.
fn begun(script: Script) -> (Machine, Vec<Wish>) {
    let start = Duration::from_secs(10);
    let line_end = script.line_end;
    let mut machine = Machine::new(Arc::new(script), line_end, start, Load::NONE);
    let wishes = machine.seated(ms(0), None);
    machine.asked(ms(0), Duration::ZERO);
    (machine, wishes)
}

fn write(text: &str) -> Wish {
    Wish::Write(text.as_bytes().to_vec())
}

fn said(machine: &Machine) -> &str {
    &machine.trial.findings[0].text
}

#[test]
fn lines_that_follow_one_another_are_one_write_and_end_as_the_script_says() {
    let (_, wishes) = begun(new().send("a").send("b\nc").answer("x", is("x")));
    assert_eq!(wishes, [write("a\r\nb\r\nc\r\n")]);
}

#[test]
fn an_answer_leads_to_the_next_question_and_asides_do_not() {
    let script = new()
        .send("a")
        .answer("x", is("x"))
        .send_made(|so_far| format!("you said {}", String::from_utf8_lossy(&so_far.answers[0])));
    let (mut machine, _) = begun(script.answer("y", is("y")));
    assert_eq!(machine.line(ms(1), b"# thinking"), []);
    assert_eq!(machine.line(ms(2), b"x\r"), [write("you said x\r\n")]);
    machine.asked(ms(2), Duration::ZERO);
    assert_eq!(machine.line(ms(3), b"y"), [Wish::End]);
    assert!(machine.is_over() && machine.trial.findings.is_empty());
}

#[test]
fn a_line_out_of_turn_is_found_where_the_next_answer_is_due() {
    let script = new().send("a").answer("x", is("x")).send("b").answer("y", is("y"));
    let (mut machine, _) = begun(script);
    machine.line(ms(1), b"x");
    machine.asked(ms(1), Duration::ZERO);
    assert_eq!(machine.line(ms(2), b"x"), [Wish::End]);
    assert_eq!(said(&machine), "not y");
    assert_eq!(machine.trial.findings[0].expected.as_deref(), Some("y"));
    assert_eq!(machine.trial.findings[0].line.as_deref(), Some(&b"x"[..]));
}

#[test]
fn each_piece_is_written_when_the_one_before_has_been_read() {
    let (mut machine, wishes) = begun(new().send_raw(&[b"a", b"b", b"c\n"]).answer("x", is("x")));
    assert_eq!(wishes, [Wish::WriteAndTell(b"a".to_vec())]);
    assert_eq!(machine.read(ms(1)), [Wish::WriteAndTell(b"b".to_vec())]);
    assert_eq!(machine.read(ms(2)), [write("c\n")]);
    assert_eq!(machine.read(ms(2)), []);
    machine.asked(ms(2), Duration::ZERO);
    assert_eq!(machine.line(ms(3), b"x"), [Wish::End]);
    assert!(machine.trial.findings.is_empty());
}

#[test]
fn who_answers_half_a_line_has_not_read_to_its_end() {
    let (mut machine, _) = begun(new().send_raw(&[b"a", b"b\n"]).answer("x", is("x")));
    assert_eq!(machine.line(ms(1), b"x"), [Wish::End]);
    assert!(said(&machine).contains("before the question was complete"), "{}", said(&machine));
}

#[test]
fn a_bot_that_rests_is_not_waited_for_and_one_that_works_is() {
    let script = || new().send("a").answer("x", is("x")).send("b").answer("y", is("y"));
    let (mut resting, _) = begun(script());
    resting.line(ms(10), b"x");
    assert_eq!(resting.next_tick(), Some(ms(10) + REST));
    assert_eq!(resting.tick(ms(2010)), [Wish::End]);
    assert_eq!(said(&resting), "no answer after 2000 ms");
    let (mut talking, _) = begun(script());
    talking.line(ms(10), b"x");
    talking.asked(ms(10), Duration::ZERO);
    talking.line(ms(20), b"# what is b?");
    talking.tick(ms(2010));
    assert_eq!(said(&talking), "no answer after 2000 ms; it said \"# what is b?\", which is none");
    let (mut working, _) = begun(script());
    working.line(ms(0), b"x");
    for second in [2, 4, 6, 8] {
        working.used(Duration::from_secs(second));
        assert_eq!(working.tick(ms(second * 1000)), []);
    }
    working.used(Duration::from_secs(10));
    assert_eq!(working.tick(ms(10_000)), [Wish::End]);
    assert!(said(&working).contains("although it used the processor"), "{}", said(&working));
}

#[test]
fn a_line_without_its_end_is_shown() {
    let (mut machine, _) = begun(new().send("a").answer("x", is("x")));
    machine.begun(b"x");
    assert_eq!(machine.tick(ms(5000)), [Wish::End]);
    assert!(said(&machine).contains("the end of the line is missing"), "{}", said(&machine));
    assert_eq!(machine.trial.said.last().map(|line| line.side), Some(Side::Unfinished));
}

#[test]
fn when_the_host_has_stalled_the_bot_gets_another_chance() {
    let (mut machine, _) = begun(new().send("a").answer("x", is("x")));
    machine.stalled(ms(60_000));
    assert_eq!(machine.tick(ms(60_000)), []);
    assert_eq!(machine.line(ms(60_001), b"x"), [Wish::End]);
    assert!(machine.trial.findings.is_empty());
}

#[test]
fn a_process_may_end_where_it_should_and_nowhere_else() {
    let gone =
        |code: i32| Fault::new(FaultKind::Crash, format!("its process exited with code {code}"));
    let grace = Duration::from_millis(700);
    let script = || new().send("end").close_input().leaves(grace);
    let (mut machine, wishes) = begun(script());
    assert_eq!(wishes, [write("end\r\n"), Wish::CloseInput]);
    assert_eq!(machine.lost(ms(600), &gone(0)), [Wish::End]);
    assert!(machine.trial.findings.is_empty());
    let harm = |at: Tick, fault: &Fault| {
        let (mut machine, _) = begun(script());
        machine.lost(at, fault);
        machine.trial.findings.iter().map(|finding| finding.harm).collect::<Vec<Harm>>()
    };
    assert_eq!(harm(ms(800), &gone(0)), [Harm::Slow]);
    assert_eq!(harm(ms(1), &gone(3)), [Harm::Harmless]);
    let silent = Fault::new(FaultKind::EndOfOutput, "closed its output but keeps running");
    assert_eq!(harm(ms(1), &silent), [Harm::Broken]);
    let (mut stays, _) = begun(script());
    assert_eq!(stays.tick(ms(10_000)), [Wish::End]);
    assert_eq!(stays.trial.findings[0].harm, Harm::Harmless, "it is killed");
    let (mut machine, _) = begun(new().send("a").answer("x", is("x")));
    machine.lost(ms(1), &gone(0));
    assert_eq!(machine.trial.findings[0].harm, Harm::Broken);
    assert!(said(&machine).ends_with("reads on until it is told to leave or its input ends"));
}

#[test]
fn of_a_long_message_the_first_and_the_last_lines_are_kept() {
    let text: Vec<String> = (0..90_000).map(|number| number.to_string()).collect();
    let (machine, _) = begun(new().send(text.join("\n")).answer("x", is("x")));
    let said: Vec<String> = machine.trial.said.iter().map(|line| quote(&line.bytes)).collect();
    assert_eq!(said.len(), WRITE_KEPT + 1);
    assert_eq!(said[29], "\"29\\r\\n\"");
    assert_eq!(said[30], "\"… 89940 more lines\"");
    assert_eq!(said[60], "\"89999\\r\\n\"");
}

#[test]
fn nothing_is_said_after_the_end() {
    let (mut machine, _) = begun(new().send("end").leaves(Duration::from_millis(700)));
    assert_eq!(machine.line(ms(1), b"goodbye"), [Wish::End]);
    assert!(said(&machine).contains("nothing was asked any more"), "{}", said(&machine));
}

#[test]
fn the_first_answer_is_not_timed_because_the_process_has_to_start() {
    let script = new().send("a").answer("x", is("x")).send("b").answer("y", is("y"));
    let (mut machine, _) = begun(script.within(Duration::from_millis(100)));
    machine.line(ms(3000), b"x");
    machine.asked(ms(3000), Duration::ZERO);
    machine.used(Duration::from_millis(200));
    machine.line(ms(3200), b"y");
    let findings = &machine.trial.findings;
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].harm, Harm::Broken);
    assert_eq!(machine.trial.slowest, Some(Duration::from_millis(200)));
}

#[test]
fn what_cannot_be_tried_is_no_failure() {
    let skip = |_: &ScriptSoFar, _: &[u8]| Reading::Skip("it cannot".to_owned());
    let (mut machine, _) = begun(new().send("a").answer("x", skip).send("b"));
    assert_eq!(machine.line(ms(1), b"UNKNOWN"), [Wish::End]);
    assert_eq!(machine.trial.skipped.as_deref(), Some("it cannot"));
    assert!(machine.trial.findings.is_empty());
}

#[test]
fn a_second_answer_that_comes_with_the_first_is_none_to_the_next_question() {
    let script = new().send("a").answer("x", is("x")).send("b").answer("x", is("x"));
    let (mut machine, _) = begun(script);
    machine.line(ms(1), b"x");
    // The question has not left the host yet.
    assert_eq!(machine.line(ms(1), b"x"), [Wish::End]);
    assert!(said(&machine).contains("before the next question left"), "{}", said(&machine));
}

#[test]
fn a_time_limit_passes_before_the_script_goes_on() {
    let move_is_aside = |_: &ScriptSoFar, line: &[u8]| match line {
        b"move" => Reading::Aside,
        _ => Reading::Wrong("no move".to_owned()),
    };
    let script = || {
        let script = new().send("go").wait(Duration::from_millis(500), move_is_aside);
        script.send("ready?").answer("ready", is("ready"))
    };
    let (mut machine, wishes) = begun(script());
    assert_eq!(wishes, [write("go\r\n")]);
    // The question leaves a little later, and the time counts from then.
    machine.asked(ms(20), Duration::ZERO);
    assert_eq!(machine.line(ms(100), b"move"), []);
    assert_eq!(machine.tick(ms(519)), []);
    assert_eq!(machine.next_tick(), Some(ms(520)));
    assert_eq!(machine.tick(ms(520)), [write("ready?\r\n")]);
    machine.asked(ms(520), Duration::ZERO);
    assert_eq!(machine.line(ms(530), b"ready"), [Wish::End]);
    assert!(machine.trial.findings.is_empty());
    let (mut early, _) = begun(script());
    assert_eq!(early.line(ms(100), b"ready"), [Wish::End]);
    assert_eq!(said(&early), "no move");
}

#[test]
fn on_a_busy_machine_a_bot_that_works_has_longer() {
    let script = || new().send("a").answer("x", is("x")).send("b").answer("y", is("y"));
    let waited_for = |load: Load| {
        let mut machine =
            Machine::new(Arc::new(script()), LineEnd::Lf, Duration::from_secs(10), load);
        machine.seated(ms(0), None);
        machine.asked(ms(0), Duration::ZERO);
        machine.line(ms(0), b"x");
        // A tenth of the processor is all that it gets.
        (1..100).find(|second| {
            machine.used(Duration::from_millis(second * 100));
            machine.tick(ms(second * 1000)) == [Wish::End]
        })
    };
    assert_eq!(waited_for(Load::NONE), Some(10));
    assert_eq!(waited_for(Load::of("7.5 1 1 1/1 1", 2)), Some(40));
}
