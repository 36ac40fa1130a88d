//! Pictures for the terminal: all there is, or what one player knows.

use game::PlayerId;
use table::picture::cut;
use table::{Line, Picture, Room, Style};

use super::colony::Colony;
use super::land::{Content, Direction, Food, Point};
use super::layout::letter;
use super::state::Ants;

/// Colours of the players.
const COLOURS: [Style; 8] = [
    Style("1;31"),
    Style("1;36"),
    Style("1;33"),
    Style("1;35"),
    Style("1;32"),
    Style("1;34"),
    Style("1;37"),
    Style("31"),
];

/// Whose eyes the picture is drawn through.
#[derive(Clone, Copy)]
enum Eyes {
    All,
    Of(PlayerId),
}

/// How large a cell is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Two columns a cell: what lies there, or an ant, where it looks and whose it is.
    Full,
    /// One column for so many columns and rows of cells.
    Cells(u16, u16),
}

/// Draws everything. `names` are the players' by seat.
pub(super) fn draw(game: &Ants, names: &[String], room: Room) -> Picture {
    Painter { game, eyes: Eyes::All }.picture(names, room)
}

/// Draws what one player knows: unknown land is blank, remembered land is dim.
pub(super) fn draw_for(game: &Ants, player: PlayerId, names: &[String], room: Room) -> Picture {
    Painter { game, eyes: Eyes::Of(player) }.picture(names, room)
}

struct Painter<'a> {
    game: &'a Ants,
    eyes: Eyes,
}

impl Painter<'_> {
    fn picture(&self, names: &[String], room: Room) -> Picture {
        let rules = &self.game.rules;
        let mut status = format!("turn {}/{}", self.game.turn, rules.max_turns);
        if let Some(outcome) = self.game.outcome() {
            status.push_str(&format!(": {}", outcome.reason));
        }
        let players = self.game.colonies.len();
        let (columns, rows) = self.extent();
        let (width, height) = (usize::from(columns), usize::from(rows));
        let inside = room.without(0, 1 + players);
        let scale = match 2 * width <= inside.columns && height <= inside.rows {
            true => Scale::Full,
            false => Scale::Cells(
                width.div_ceil(inside.columns.max(1)) as u16,
                height.div_ceil(inside.rows.max(1)) as u16,
            ),
        };
        if let Scale::Cells(across, down) = scale
            && (across, down) != (1, 1)
        {
            status.push_str(&format!("; a sign is {across}×{down} cells"));
        }
        let mut head = vec![Line::painted(Style::STRONG, &status)];
        for (player, colony) in self.game.colonies.iter().enumerate() {
            let name = names.get(player).map_or("", String::as_str);
            head.push(self.heading(player, colony, name, room.columns));
        }
        let board = match scale {
            Scale::Full => (0..rows).map(|y| self.full_row(y, columns)).collect(),
            Scale::Cells(across, down) => {
                let tops = (0..rows).step_by(down.into());
                tops.map(|top| self.small_row(top, (columns, rows), (across, down))).collect()
            }
        };
        let ants = match scale {
            Scale::Full => ">A an ant of A and where it looks",
            Scale::Cells(..) => "A B ants",
        };
        let signs = "1 sugar  3 mill  5 meat  % dead ant  # rock  ~ water";
        let legend = [ants, signs].map(|line| Line::painted(Style::FAINT, line)).to_vec();
        Picture { head, board, legend, clipped: false }
    }

    /// A line on a player. What the eyes cannot know is left out.
    fn heading(&self, player: usize, colony: &Colony, name: &str, columns: usize) -> Line {
        let own = match self.eyes {
            Eyes::All => true,
            Eyes::Of(eyes) => eyes.index() == player,
        };
        let mut rest = String::new();
        if own {
            let energy: u32 = colony.living().map(|ant| ant.energy).sum();
            let (living, all) = (colony.living().count(), colony.ants.len());
            let (score, eaten) = (colony.score(), colony.eaten);
            rest =
                format!("  score {score}: energy {energy}, eaten {eaten}; {living} of {all} ants");
        }
        let name = cut(name, columns.saturating_sub(2 + rest.chars().count()).max(8));
        let gap = if name.is_empty() { "" } else { " " };
        let mut line = Line::painted(COLOURS[player], &format!("{}{gap}{name}", letter(player)));
        line.push(&rest);
        line
    }

    /// How far the land goes that the eyes know, from its north-western corner: even how large the
    /// rest is, nobody has told them.
    fn extent(&self) -> (u16, u16) {
        let land = &self.game.land;
        let all = (land.width(), land.height());
        match self.eyes {
            Eyes::All => all,
            Eyes::Of(_) => {
                let cells = (0..all.1).flat_map(|y| (0..all.0).map(move |x| Point { x, y }));
                let known = cells.filter(|at| self.content(*at).is_some());
                known.fold((0, 0), |(x, y), at| (x.max(at.x + 1), y.max(at.y + 1)))
            }
        }
    }

    /// What lies in a cell, as far as the eyes know, and whether they see it now.
    fn content(&self, at: Point) -> Option<(Content, bool)> {
        match self.eyes {
            Eyes::All => Some((self.game.land.at(at), true)),
            Eyes::Of(player) => {
                let knowledge = &self.game.colonies[player.index()].knowledge;
                let content = Content::of_code(knowledge.cells()[self.game.land.index(at)])?;
                Some((content, knowledge.sees(at)))
            }
        }
    }

    /// A cell is two letters wide: what lies there, or an ant and whose it is.
    fn full_row(&self, y: u16, columns: u16) -> Line {
        let mut line = Line::new();
        for x in 0..columns {
            let at = Point { x, y };
            let Some((content, now)) = self.content(at) else {
                line.push("  ");
                continue;
            };
            match self.game.living().find(|(_, ant)| now && ant.at == at) {
                Some((who, ant)) => {
                    let arrow = match ant.facing {
                        Direction::East => '>',
                        Direction::South => 'v',
                        Direction::West => '<',
                        Direction::North => '^',
                    };
                    let owner = letter(who.player.index());
                    line.paint(COLOURS[who.player.index()], &format!("{arrow}{owner}"));
                }
                None => {
                    line.paint(
                        if now { style(content) } else { Style::FAINT },
                        &content.letter().to_string(),
                    )
                    .push(" ");
                }
            }
        }
        line
    }

    /// A sign stands for several cells: an ant among them, or what is rarest there.
    fn small_row(&self, top: u16, extent: (u16, u16), (across, down): (u16, u16)) -> Line {
        let mut line = Line::new();
        for left in (0..extent.0).step_by(across.into()) {
            let right = (left + across).min(extent.0);
            let bottom = (top + down).min(extent.1);
            let cells = (top..bottom).flat_map(|y| (left..right).map(move |x| Point { x, y }));
            let known = cells.filter_map(|at| Some((at, self.content(at)?)));
            let known: Vec<(Point, (Content, bool))> = known.collect();
            let seen = |at: Point| known.iter().any(|(cell, (_, now))| *now && *cell == at);
            if let Some((who, _)) = self.game.living().find(|(_, ant)| seen(ant.at)) {
                let player = who.player.index();
                line.paint(COLOURS[player], &letter(player).to_string());
                continue;
            }
            match known.iter().map(|(_, content)| *content).max_by_key(|(what, _)| rarity(*what)) {
                Some((content, now)) => line.paint(
                    if now { style(content) } else { Style::FAINT },
                    &content.letter().to_string(),
                ),
                None => line.push(" "),
            };
        }
        line
    }
}

/// Which of several things in a square is worth showing.
fn rarity(content: Content) -> u8 {
    match content {
        Content::Grass => 0,
        Content::Rock => 1,
        Content::Water => 2,
        Content::Corpse => 3,
        Content::Food(Food::Sugar) => 4,
        Content::Food(Food::Mill) => 5,
        Content::Food(Food::Meat) => 6,
    }
}

/// How a cell is painted that is seen now.
fn style(content: Content) -> Style {
    match content {
        Content::Grass => Style("2;32"),
        Content::Rock => Style("37"),
        Content::Water => Style("34"),
        Content::Food(_) | Content::Corpse => Style("33"),
    }
}
