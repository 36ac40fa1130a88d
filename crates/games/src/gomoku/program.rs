//! A built-in bot as a brain that any manager can run, with what a program needs beside [`Brain`].

use std::time::Duration;

use game::{Budget, Seed};
use table::{BotProgram, LineEnd, Meanwhile, ProgramReply};

use super::brain::{Brain, Reaction, Task};

/// The program of one player.
pub(super) struct BrainProgram {
    brain: Brain,
    /// What it has been asked and not answered.
    asked: Option<Task>,
}

impl BrainProgram {
    /// The built-in bot of this name, if there is one.
    pub(super) fn new(name: &str, seed: Seed) -> Option<BrainProgram> {
        Some(BrainProgram { brain: Brain::playing(name, seed)?, asked: None })
    }
}

impl BotProgram for BrainProgram {
    fn line(&mut self, line: &[u8]) -> ProgramReply {
        match self.brain.line(line) {
            Reaction::Silent => ProgramReply::Silent,
            Reaction::Say(answer) => ProgramReply::Say(answer),
            Reaction::Think(task) => {
                self.asked = Some(task);
                ProgramReply::Think
            }
            Reaction::Quit => ProgramReply::Leave,
        }
    }

    fn think(&mut self, budget: &dyn Budget) -> String {
        self.brain.think(self.asked.take().unwrap_or(Task::Move), budget)
    }

    fn time(&self) -> Option<Duration> {
        Some(self.brain.time())
    }

    fn line_end(&self) -> LineEnd {
        // Some managers know no other.
        LineEnd::CrLf
    }

    fn meanwhile(&self) -> fn(&[u8]) -> Meanwhile {
        // "Brain cannot write to stdout after END command".
        |line| match line.trim_ascii().eq_ignore_ascii_case(b"END") {
            true => Meanwhile::Forget,
            false => Meanwhile::Wait,
        }
    }
}
