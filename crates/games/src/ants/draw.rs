//! Pictures for the terminal: all there is, or what one player knows.

use std::fmt::Write;

use game::PlayerId;
use table::Ink;

use super::colony::Colony;
use super::land::{Content, Direction, Point};
use super::layout::letter;
use super::state::Ants;

/// Colours of the players.
const COLOURS: [&str; 8] = ["1;31", "1;36", "1;33", "1;35", "1;32", "1;34", "1;37", "31"];

/// Whose eyes the picture is drawn through.
#[derive(Clone, Copy)]
enum Eyes {
    All,
    Of(PlayerId),
}

/// Draws everything. `names` are the players' by seat.
pub(super) fn draw(game: &Ants, names: &[String], ink: Ink) -> String {
    Picture { game, ink, eyes: Eyes::All, text: String::new() }.finish(names)
}

/// Draws what one player knows: unknown land is blank, remembered land is dim.
pub(super) fn draw_for(game: &Ants, player: PlayerId, names: &[String], ink: Ink) -> String {
    Picture { game, ink, eyes: Eyes::Of(player), text: String::new() }.finish(names)
}

struct Picture<'a> {
    game: &'a Ants,
    ink: Ink,
    eyes: Eyes,
    text: String,
}

impl Picture<'_> {
    fn finish(mut self, names: &[String]) -> String {
        let rules = &self.game.rules;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "turn {}/{}", self.game.turn, rules.max_turns);
        for (player, colony) in self.game.colonies.iter().enumerate() {
            self.heading(player, colony, names.get(player).map_or("", String::as_str));
        }
        let land = &self.game.land;
        for y in 0..land.height() {
            for x in 0..land.width() {
                self.cell(Point { x, y });
            }
            self.text.truncate(self.text.trim_end_matches(' ').len());
            self.text.push('\n');
        }
        if let Some(outcome) = self.game.outcome() {
            let _ = writeln!(self.text, "{}", outcome.reason);
        }
        self.text
    }

    /// A line on a player. What the eyes cannot know is left out.
    fn heading(&mut self, player: usize, colony: &Colony, name: &str) {
        let gap = if name.is_empty() { "" } else { " " };
        let title = format!("{}{gap}{name}", letter(player));
        self.paint(COLOURS[player], &title);
        let own = match self.eyes {
            Eyes::All => true,
            Eyes::Of(eyes) => eyes.index() == player,
        };
        if own {
            let energy: u32 = colony.living().map(|ant| ant.energy).sum();
            let (living, all) = (colony.living().count(), colony.ants.len());
            let (score, eaten) = (colony.score(), colony.eaten);
            let _ = write!(
                self.text,
                "  score {score}: energy {energy}, eaten {eaten}; {living} of {all} ants"
            );
        }
        self.text.push('\n');
    }

    /// A cell is two letters wide: what lies there, or an ant and whose it is.
    fn cell(&mut self, at: Point) {
        let (content, now) = match self.eyes {
            Eyes::All => (self.game.land.at(at), true),
            Eyes::Of(player) => {
                let knowledge = &self.game.colonies[player.index()].knowledge;
                match Content::of_code(knowledge.cells()[self.game.land.index(at)]) {
                    Some(content) => (content, knowledge.sees(at)),
                    None => return self.text.push_str("  "),
                }
            }
        };
        let ant = self.game.living().find(|(_, ant)| now && ant.at == at);
        if let Some((who, ant)) = ant {
            let arrow = match ant.facing {
                Direction::East => '>',
                Direction::South => 'v',
                Direction::West => '<',
                Direction::North => '^',
            };
            let owner = letter(who.player.index());
            return self.paint(COLOURS[who.player.index()], &format!("{arrow}{owner}"));
        }
        let colour = match content {
            _ if !now => "2",
            Content::Grass => "2;32",
            Content::Rock => "37",
            Content::Water => "34",
            Content::Food(_) | Content::Corpse => "33",
        };
        self.paint(colour, &content.letter().to_string());
        self.text.push(' ');
    }

    fn paint(&mut self, colour: &str, text: &str) {
        let _ = match self.ink {
            Ink::Plain => write!(self.text, "{text}"),
            Ink::Colour => write!(self.text, "\x1b[{colour}m{text}\x1b[0m"),
        };
    }
}
