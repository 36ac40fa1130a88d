//! What the lines of a brain mean while an answer is due: a move, a complaint, talk.

use game::{Fault, FaultKind, Out, Said, Tick, Topic, printable, quote};

use super::super::about::about;
use super::super::board::Cell;
use super::super::state::Action;
use super::super::wire::{FromBrain, TEXT_KEPT, ToBrain};
use super::{AnswerForm, Manager, ProtocolState, say};

impl Manager {
    pub(super) fn answer(
        &mut self,
        now: Tick,
        form: AnswerForm,
        said: FromBrain,
        line: &[u8],
        out: &mut Out<Action>,
    ) {
        match (said, form) {
            (FromBrain::Cells(cells), form) => {
                if cells.have_tail() {
                    out.note(Topic::Remark, format!("more than a move: {}", quote(line)));
                }
                self.cells(form, cells.pairs(), line, out);
            }
            (FromBrain::Swap, AnswerForm::Choose | AnswerForm::ChooseLast) => {
                self.accept(Action::Swap, out);
            }
            (FromBrain::Suggest(x, y), AnswerForm::Move) => {
                self.complaints.released();
                say(out, ToBrain::Play(x, y));
                out.note(Topic::Remark, format!("suggests {x},{y}"));
            }
            (FromBrain::Error(text), _) => self.complaint(now, "ERROR", &text, out),
            (FromBrain::Unknown(text), _) => self.complaint(now, "UNKNOWN", &text, out),
            (FromBrain::Ok, _) => out.note(Topic::Remark, "OK although nothing asked for it"),
            (FromBrain::Other(text), _) if self.owes_about => self.about(&text, out),
            (FromBrain::Other(text), _) => {
                let detail = format!("{} is not a move", quote(&text));
                let advice = "what is for people goes to standard error";
                out.note(Topic::Remark, format!("{detail}; {advice}"));
                self.complaints.hear(now, Fault::new(FaultKind::BadInput, detail));
            }
            (FromBrain::Swap, AnswerForm::Move | AnswerForm::Three) => {
                self.unreadable(b"SWAP", out)
            }
            (FromBrain::Suggest(..), _) => self.unreadable(b"SUGGEST", out),
            (FromBrain::Message(_) | FromBrain::Debug(_) | FromBrain::Nothing, _) => {
                unreachable!("talk is taken care of before")
            }
        }
    }

    fn cells(
        &mut self,
        form: AnswerForm,
        given: &[(i64, i64)],
        line: &[u8],
        out: &mut Out<Action>,
    ) {
        let size = self.size.expect("the size is known since the start");
        if given.iter().any(|(x, y)| size.cell(*x, *y).is_none()) {
            let words = quote(line.trim_ascii());
            self.refuse(FaultKind::Illegal, format!("{words} is off the {size} board"), out);
            return;
        }
        let cell = |(x, y): (i64, i64)| Cell { x: x as u8, y: y as u8 };
        let action = match (form, given) {
            (AnswerForm::Move | AnswerForm::Choose | AnswerForm::ChooseLast, &[one]) => {
                Action::Put(cell(one))
            }
            (AnswerForm::Three, &[a, b, c]) => Action::Three([a, b, c].map(cell)),
            (AnswerForm::Choose, &[a, b]) => Action::Two([a, b].map(cell)),
            _ => {
                let detail = format!("{} cells where {}", given.len(), form.wants());
                self.refuse(FaultKind::BadInput, detail, out);
                return;
            }
        };
        self.accept(action, out);
    }

    fn accept(&mut self, action: Action, out: &mut Out<Action>) {
        self.state = ProtocolState::Idle;
        self.owes_about = false;
        self.answered = true;
        self.complaints.answered();
        if !matches!(action, Action::Put(_)) {
            self.in_step = false;
        }
        out.said.push(Said::Answer(action));
    }

    pub(super) fn refuse(&mut self, kind: FaultKind, detail: String, out: &mut Out<Action>) {
        self.state = ProtocolState::Idle;
        out.fault(kind, detail);
    }

    pub(super) fn unreadable(&mut self, text: &[u8], out: &mut Out<Action>) {
        let detail = format!("{} is not a move; one is x,y, such as 7,7", quote(text));
        self.refuse(FaultKind::BadInput, detail, out);
    }

    /// `ERROR` or `UNKNOWN` to what it was told before the game.
    pub(super) fn misinformed(&mut self, word: &str, text: &str, out: &mut Out<Action>) {
        let words = complaint(word, text);
        self.complaints.before_the_game(&words);
        out.note(Topic::Remark, words);
    }

    /// `ERROR` or `UNKNOWN` while an answer is due.
    pub(super) fn complaint(&mut self, now: Tick, word: &str, text: &str, out: &mut Out<Action>) {
        let words = complaint(word, text);
        out.note(Topic::Remark, words.clone());
        if self.owes_about && text.trim().eq_ignore_ascii_case("ABOUT") {
            // Brains that do not know ABOUT say so, if late.
            self.owes_about = false;
        } else {
            self.complaints.hear(now, Fault::new(FaultKind::Refused, words));
        }
    }

    pub(super) fn about(&mut self, text: &[u8], out: &mut Out<Action>) {
        self.owes_about = false;
        out.note(Topic::About, printable(text, TEXT_KEPT));
        out.said.push(Said::About(Box::new(about(text))));
    }

    pub(super) fn talk(&mut self, now: Tick, topic: Topic, text: String, out: &mut Out<Action>) {
        self.complaints.talk(now);
        out.note(topic, text);
    }
}

impl AnswerForm {
    fn wants(self) -> &'static str {
        match self {
            AnswerForm::Move => "one move was asked for",
            AnswerForm::Three => "the three stones of swap2 were asked for",
            AnswerForm::Choose => "SWAP, one move or two stones were asked for",
            AnswerForm::ChooseLast => "SWAP or one move was asked for",
        }
    }
}

fn complaint(word: &str, text: &str) -> String {
    format!("{word} {text}").trim_end().to_owned()
}
