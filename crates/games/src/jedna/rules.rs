//! The set-up, the actions, and which card may be laid on which.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::cards::{Card, Colour, Figure, KINDS, WildCode};
use super::hand::CardSet;

/// The set-up: everything that can be chosen before the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Which cards answer a `+2` or a wild draw four.
    pub war: WarRules,
    /// Whether two identical cards may be played at once; needs `war = "house"`.
    pub double_play: bool,
    /// The game ends after this many turns at the latest. Drawing and then playing or passing
    /// is one turn.
    pub max_turns: u32,
    /// Wrong answers a player may give in one turn before the host draws or passes for it.
    pub tries: u32,
    /// How wild cards are written to bots.
    pub wild_code: WildCode,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            war: WarRules::Seed,
            double_play: false,
            max_turns: 1000,
            tries: 3,
            wild_code: WildCode::Wd,
        }
    }
}

impl Config {
    /// Why nothing can be played with this set-up, if so.
    pub(super) fn complaint(&self) -> Option<&'static str> {
        if !(1..=1_000_000).contains(&self.max_turns) {
            Some("max_turns must be 1 to 1000000")
        } else if self.tries == 0 {
            Some("tries must be at least 1")
        } else if self.double_play && self.war != WarRules::House {
            Some("double_play belongs to the house rules: set war = \"house\" as well")
        } else {
            None
        }
    }
}

/// Which cards answer in a war.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WarRules {
    /// Only the same card: `+2` on `+2`, wild draw four on wild draw four.
    #[default]
    Seed,
    /// What the original program plays: reverses hand the stack on, and a wild draw four
    /// answers a `+2`.
    House,
}

/// Whether a stack of cards waits for the one who does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum War {
    /// No war.
    #[serde(rename = "normal")]
    None,
    /// A war that began with a `+2`.
    #[serde(rename = "war_+2")]
    Two,
    /// A war in which a wild draw four was played.
    #[serde(rename = "war_wd4")]
    Four,
}

impl War {
    /// The word in `game_state`.
    pub fn name(self) -> &'static str {
        match self {
            War::None => "normal",
            War::Two => "war_+2",
            War::Four => "war_wd4",
        }
    }
}

/// The card on the discard pile and the colour to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Top {
    /// The card.
    pub card: Card,
    /// Its colour, or the one named for a wild card. A wild card that was turned up at the start
    /// has none, and every card may follow it.
    pub colour: Option<Colour>,
}

impl Top {
    /// The code with the named colour after a wild card: `wdr`, `wd4g`, and `r5` as it is.
    pub fn code(self, wild: WildCode) -> String {
        let mut code = self.card.code(wild).to_owned();
        if self.card.is_wild() {
            code.extend(self.colour.map(Colour::letter));
        }
        code
    }

    /// What may be laid on it outside a war: the same colour, the same figure, or any wild card.
    #[inline]
    pub fn followers(self) -> CardSet {
        match self.colour {
            None => CardSet::ALL,
            Some(colour) => {
                CardSet::of_colour(colour).or(SAME_FIGURE[self.card.number()]).or(CardSet::WILDS)
            }
        }
    }
}

const SAME_FIGURE: [CardSet; KINDS] = {
    let mut table = [CardSet::EMPTY; KINDS];
    let mut number = 0;
    while number < table.len() {
        let card = Card::numbered(number as u32);
        table[number] = CardSet::of_figure(card);
        number += 1;
    }
    table
};

/// The cards that may be played now, whoever holds them.
#[inline]
pub fn answers(rules: WarRules, war: War, top: Top) -> CardSet {
    const FOURS: CardSet = CardSet::one(Card::WILD_FOUR);
    match (rules, war) {
        (WarRules::Seed | WarRules::House, War::None) => top.followers(),
        (WarRules::Seed, War::Two) => CardSet::DRAW_TWOS,
        (WarRules::Seed, War::Four) => FOURS,
        (WarRules::House, War::Two) => {
            top.followers() & (CardSet::DRAW_TWOS | CardSet::REVERSES | FOURS)
        }
        (WarRules::House, War::Four) => top.followers() & (CardSet::REVERSES | FOURS),
    }
}

/// What a player may do when asked. In files it is a text, such as `play wd4 red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Play a card from the hand.
    Play {
        /// The card.
        card: Card,
        /// The colour named for a wild card. If it is missing, the most frequent colour of the
        /// hand is taken, see [`super::Hand::favourite`]. Other cards take none.
        colour: Option<Colour>,
        /// One card, or two identical ones at once.
        copies: Copies,
    },
    /// Draw one card; the same player is then asked again.
    Draw,
    /// End the turn: after drawing, or in a war, where it takes the stack.
    Pass,
}

impl Action {
    /// Plays one card that needs no colour, or leaves the colour of a wild card to the host.
    pub const fn play(card: Card) -> Action {
        Action::Play { card, colour: None, copies: Copies::One }
    }

    /// Plays one wild card and names the colour.
    pub const fn wild(card: Card, colour: Colour) -> Action {
        Action::Play { card, colour: Some(colour), copies: Copies::One }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Play { card, colour, copies } => {
                write!(f, "play {card}")?;
                if let Some(colour) = colour {
                    write!(f, " {colour}")?;
                }
                f.write_str(match copies {
                    Copies::One => "",
                    Copies::Two => " twice",
                })
            }
            Action::Draw => f.write_str("draw"),
            Action::Pass => f.write_str("pass"),
        }
    }
}

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Action, String> {
        let wrong =
            || format!("{text:?} is not an action such as \"play r5\", \"draw\" or \"pass\"");
        let mut words: Vec<&str> = text.split(' ').collect();
        let copies = match words.last() {
            Some(&"twice") => {
                words.pop();
                Copies::Two
            }
            Some(_) | None => Copies::One,
        };
        let play = |code: &str, colour| {
            let card = code.parse().map_err(|_| wrong())?;
            Ok(Action::Play { card, colour, copies })
        };
        match (&words[..], copies) {
            (["draw"], Copies::One) => Ok(Action::Draw),
            (["pass"], Copies::One) => Ok(Action::Pass),
            (["play", code], _) => play(code, None),
            (["play", code, name], _) => {
                play(code, Some(Colour::from_name(name).ok_or_else(wrong)?))
            }
            _ => Err(wrong()),
        }
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Action, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// How many identical cards are played at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Copies {
    /// The usual single card.
    #[default]
    One,
    /// Two identical cards, where `double_play` allows it.
    Two,
}

impl Copies {
    /// The number of cards.
    #[inline]
    pub const fn count(self) -> u8 {
        match self {
            Copies::One => 1,
            Copies::Two => 2,
        }
    }
}

/// The sort of an action, as listed in `available_actions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Some card can be played.
    Play,
    /// A card can be drawn.
    Draw,
    /// The turn can be ended.
    Pass,
}

impl Verb {
    /// The word in `available_actions`.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Play => "play",
            Verb::Draw => "draw",
            Verb::Pass => "pass",
        }
    }
}

/// Lists the ways to play these cards: each wild card once per colour, and `pairs` also twice.
pub(super) fn plays(playable: CardSet, pairs: CardSet, into: &mut Vec<Action>) {
    for card in playable.iter() {
        for copies in [Copies::One, Copies::Two] {
            if copies == Copies::Two && !pairs.contains(card) {
                continue;
            }
            match card.figure() {
                Figure::Wild | Figure::WildFour => {
                    into.extend(Colour::ALL.map(|colour| Action::Play {
                        card,
                        colour: Some(colour),
                        copies,
                    }))
                }
                Figure::Number(_) | Figure::DrawTwo | Figure::Reverse | Figure::Skip => {
                    into.push(Action::Play { card, colour: None, copies });
                }
            }
        }
    }
}

/// Why an action is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The game has ended.
    Over,
    /// The card is not in the mover's hand.
    NotInHand(Card),
    /// A card was drawn, and this is not it.
    NotTheDrawn(Card),
    /// The card does not match the top card.
    NoMatch(Card, Top),
    /// The card does not answer this war.
    NoAnswer(Card, War),
    /// A colour was named for a card that has one.
    NeedlessColour(Card),
    /// Two cards at once are not allowed by the set-up.
    DoubleOff,
    /// There is no second copy of the card in the hand.
    NoPair(Card),
    /// After drawing only one card may be played.
    DoubleAfterDraw,
    /// There was a draw in this turn already.
    DrawnAlready,
    /// In a war the choice is to answer or to pass.
    DrawInWar,
    /// Passing needs a draw or a war before it.
    PassBeforeDraw,
}

impl Refusal {
    /// The reason in words, with cards written in this code.
    pub fn text(self, wild: WildCode) -> String {
        let text = match self {
            Refusal::Over => "the game is over",
            Refusal::DoubleOff => "two cards at once are not allowed in this game",
            Refusal::DoubleAfterDraw => "a drawn card is played alone",
            Refusal::DrawnAlready => "draw: a card was drawn in this turn already",
            Refusal::DrawInWar => "draw: in a war, play an answer or pass and take the stack",
            Refusal::PassBeforeDraw => "pass: draw a card first",
            Refusal::NotInHand(card) => return format!("{} is not in your hand", card.code(wild)),
            Refusal::NotTheDrawn(card) => {
                return format!("{} is not the card drawn in this turn", card.code(wild));
            }
            Refusal::NoMatch(card, top) => {
                return format!("{} does not match {}", card.code(wild), top.code(wild));
            }
            Refusal::NoAnswer(card, war) => {
                return format!("{} is not an answer in {}", card.code(wild), war.name());
            }
            Refusal::NeedlessColour(card) => {
                return format!("{} has its own colour, none can be named", card.code(wild));
            }
            Refusal::NoPair(card) => {
                return format!("there is only one {} in your hand", card.code(wild));
            }
        };
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(code: &str) -> Card {
        code.parse().expect("a card")
    }

    /// `r5` or a wild with its colour, as in `wdr`.
    fn top(code: &str) -> Top {
        if let Ok(card) = code.parse::<Card>() {
            return Top { card, colour: card.colour() };
        }
        let (wild, letter) = code.split_at(code.len() - 1);
        let colour = Colour::ALL.into_iter().find(|colour| letter.starts_with(colour.letter()));
        Top { card: card(wild), colour }
    }

    fn table(rules: WarRules, war: War, rows: &[(&str, &str, &str)]) {
        for (on, yes, no) in rows {
            let set = answers(rules, war, top(on));
            for code in yes.split_whitespace() {
                assert!(set.contains(card(code)), "{code} on {on}");
            }
            for code in no.split_whitespace() {
                assert!(!set.contains(card(code)), "{code} on {on}");
            }
        }
    }

    #[test]
    fn outside_a_war_colour_figure_or_any_wild_follows() {
        for rules in [WarRules::Seed, WarRules::House] {
            table(
                rules,
                War::None,
                &[
                    ("r5", "r1 r5 b5 y5 rs r+2 wd wd4", "b6 y+2 gs"),
                    ("bs", "b1 gs ys wd", "g1 yr"),
                    ("g+2", "g0 r+2 wd4", "r0"),
                    ("wdr", "r1 rr wd wd4", "b1 gs"),
                    ("wd4y", "y+2 wd wd4", "r+2"),
                ],
            );
        }
    }

    #[test]
    fn a_wild_turned_up_first_has_no_colour_and_everything_follows() {
        assert_eq!(top("wd").followers(), CardSet::ALL);
        assert_eq!(top("wd").code(WildCode::Wd), "wd");
        assert_eq!(top("wdg").code(WildCode::W), "wg");
        assert_eq!(top("wd4g").code(WildCode::W), "wd4g");
    }

    #[test]
    fn seed_wars_are_answered_by_the_same_card_only() {
        table(WarRules::Seed, War::Two, &[("r+2", "r+2 b+2 g+2 y+2", "rr wd4 wd r5 rs")]);
        table(WarRules::Seed, War::Four, &[("wd4r", "wd4", "r+2 rr wd r5")]);
    }

    #[test]
    fn house_wars_know_matching_reverses_and_wild_draw_fours() {
        table(
            WarRules::House,
            War::Two,
            &[("r+2", "r+2 b+2 rr wd4", "br wd r5 rs"), ("rr", "r+2 rr br wd4", "b+2 wd rs r5")],
        );
        table(
            WarRules::House,
            War::Four,
            &[("wd4r", "rr wd4", "br r+2 wd r5"), ("rr", "rr gr wd4", "r+2 wd r1")],
        );
    }

    #[test]
    fn actions_are_written_as_a_person_would() {
        for (text, action) in [
            ("play r5", Action::play(card("r5"))),
            ("play wd", Action::play(card("wd"))),
            ("play wd4 red", Action::wild(card("wd4"), Colour::Red)),
            (
                "play wd blue twice",
                Action::Play { card: card("wd"), colour: Some(Colour::Blue), copies: Copies::Two },
            ),
            ("draw", Action::Draw),
            ("pass", Action::Pass),
        ] {
            assert_eq!(action.to_string(), text);
            assert_eq!(text.parse(), Ok(action));
        }
        for text in ["", "play", "play r", "play wd pink", "draw twice", "twice", "play  r5"] {
            assert!(text.parse::<Action>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_set_up_is_flat_and_typos_fail() {
        let config: Config =
            serde_json::from_str(r#"{"war":"house","double_play":true,"wild_code":"w"}"#)
                .expect("flat keys");
        assert_eq!((config.max_turns, config.tries), (1000, 3));
        assert_eq!(config.complaint(), None);
        assert!(serde_json::from_str::<Config>(r#"{"wars":"house"}"#).is_err());
        assert!(serde_json::from_str::<Config>(r#"{"war":"hose"}"#).is_err());
        let config = Config { double_play: true, ..Config::default() };
        assert!(config.complaint().is_some());
    }
}
