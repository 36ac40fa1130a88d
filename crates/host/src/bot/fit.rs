//! Whether a bot can play a game, and on which terms.

use game::Digest;
use table::{Card, Knowledge};

use crate::bot::spec::{BotError, BotSpec, Keeps, Program, Reuse};

impl BotSpec {
    /// The bot as a player of a game, if it can be one.
    ///
    /// Where something is hidden, games of the same seed hide the same things: a bot that brings
    /// notes, or a process, from one to the next knows what it must not. Such a bot keeps nothing.
    pub fn for_game(mut self, card: &Card) -> Result<BotSpec, BotError> {
        let unfit = |why: String| Err(BotError::Unfit(why));
        if let Program::BuiltIn(name) = &self.program
            && card.bots.iter().all(|bot| bot.name != name)
        {
            let names: Vec<&str> = card.bots.iter().map(|bot| bot.name).collect();
            let near = game::did_you_mean(name, names.iter().copied());
            let (id, names) = (card.id, names.join(", "));
            return unfit(format!("{id} has no built-in bot \"{name}\"{near}; it has {names}"));
        }
        if let Some(game) = &self.game
            && game != card.id
        {
            return unfit(format!("\"{}\" is a bot for {game}, not for {}", self.name, card.id));
        }
        match card.knowledge {
            Knowledge::Open => {}
            Knowledge::Hidden => {
                if let Some(path) = self.grants.asked_write.first() {
                    return unfit(format!(
                        "{} wants to write to {}, which would last from game to game; {} hides \
                         things, and its bots keep nothing: take `write` out of its bot.toml",
                        self.name,
                        path.display(),
                        card.id
                    ));
                }
                (self.reuse, self.keeps) = (Reuse::Never, Keeps::Nothing);
            }
        }
        Ok(self)
    }

    /// A digest of all that its command line or manifest says, but not of the files it names.
    pub fn digest(&self) -> u64 {
        let BotSpec {
            name: _,
            program,
            team,
            // What it makes counts, and that is in the files.
            build: _,
            game: _,
            reuse,
            keeps,
            options,
            line_end,
            limits,
            asked: _,
            set: _,
            grants,
        } = self;
        let all = format!("{:?}", (program, team, reuse, keeps, options, line_end, limits, grants));
        Digest::new("bot").bytes(all.as_bytes()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn card(knowledge: Knowledge) -> Card {
        Card { knowledge, ..Card::new("test", "a test") }
    }

    #[test]
    fn where_something_is_hidden_a_bot_keeps_nothing() {
        let bot = |text: &str| {
            let text = format!("command = [\"sh\"]\n{text}");
            BotSpec::from_manifest(&text, Path::new("/nowhere/bot.toml")).expect("a bot")
        };
        let open = bot("").for_game(&card(Knowledge::Open)).expect("it can play");
        assert_eq!((open.reuse, open.keeps), (Reuse::Auto, Keeps::Folder));
        let hidden = bot("").for_game(&card(Knowledge::Hidden)).expect("it can play");
        assert_eq!((hidden.reuse, hidden.keeps), (Reuse::Never, Keeps::Nothing));
        let writes = "[cage]\nwrite = [\"/var/lib/notes\"]";
        assert!(bot(writes).for_game(&card(Knowledge::Open)).is_ok());
        let error = bot(writes).for_game(&card(Knowledge::Hidden)).expect_err("it would last");
        assert!(error.to_string().contains("/var/lib/notes"), "{error}");
    }

    #[test]
    fn whatever_a_manifest_says_is_in_its_digest() {
        let digest = |text: &str| {
            let text = format!("command = [\"sh\"]\n{text}");
            BotSpec::from_manifest(&text, Path::new("/nowhere/bot.toml")).expect("a bot").digest()
        };
        let plain = digest("");
        assert_eq!(digest("name = \"another\""), plain, "names are told apart elsewhere");
        for other in [
            "team = [[\"sh\", \"-c\", \"2\"]]",
            "reuse = \"never\"",
            "env = { A = \"1\" }",
            "options = { Depth = 4 }",
            "[limits]\nprocesses = 3",
            "[limits]\nstart_ms = 3",
            "[cage]\nread = [\"/var\"]",
        ] {
            assert_ne!(digest(other), plain, "{other}");
        }
    }
}
