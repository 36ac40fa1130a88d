//! Scenes: neutral pictures of a state, which any program can draw without knowing the game.
//!
//! A game makes a [`Scene`] of every state; [`Delta`] is what changed from one to the next. Both are part of the
//! film format (docs/film.md), which other programs read: names and meanings here are an interface.

mod delta;

use game::{EndedBy, Outcome, PlayerId};
use serde::{Serialize, Serializer};
use serde_json::Number;
use unicode_width::UnicodeWidthChar as _;

use crate::Ink;
use crate::picture::{Line, Picture, Room};

pub use delta::{Delta, SeatChange, ShapeChange};

/// Hundredths of a cell, the unit of every length in a scene.
pub const CELL: i32 = 100;

/// A place: to the right and down from the upper left corner, in hundredths of a cell.
pub type Point = [i32; 2];

/// What one pair of eyes sees of a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scene {
    /// Width and height.
    pub size: Point,
    /// One line on how things stand, for people and screen readers.
    pub caption: String,
    /// A line for every player, by seat.
    pub seats: Vec<SeatLine>,
    /// What there is to be seen. Layers decide what covers what, and among equals the later shape.
    pub shapes: Vec<Shape>,
}

/// What is told of a player beside the board.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SeatLine {
    /// It is asked for its next action.
    #[serde(skip_serializing_if = "is_default")]
    pub to_act: bool,
    /// It has left the game.
    #[serde(skip_serializing_if = "is_default")]
    pub gone: bool,
    /// What it is called in the game: black, rat.
    pub role: String,
    /// The colour of what is its own, where that is not the colour of its seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tint: Option<Tint>,
    /// Figures worth showing, the most telling first.
    pub facts: Vec<Fact>,
}

/// A figure with the word for what it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fact(pub &'static str, pub f64);

/// One thing in the picture. The same key in two scenes is the same thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// What it is known by.
    #[serde(rename = "k")]
    pub key: Key,
    /// A shape on a higher layer covers those below.
    #[serde(rename = "z", skip_serializing_if = "is_default")]
    pub layer: i8,
    /// What it looks like.
    #[serde(rename = "f")]
    pub form: ShapeForm,
    /// Its centre; one end of a line; the upper left corner of a grid and the first crossing of a lattice.
    #[serde(rename = "p")]
    pub at: Point,
    /// The colour of its inside.
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    pub fill: Option<Tint>,
    /// The colour of its edge, and of a line.
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    pub edge: Option<Tint>,
    /// Degrees, clockwise.
    #[serde(rename = "r", skip_serializing_if = "is_default")]
    pub turn: i16,
    /// Percent of its opacity that are missing.
    #[serde(rename = "o", skip_serializing_if = "is_default")]
    pub faint: u8,
    /// Letters on it.
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it is, for tooltips and screen readers.
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Why it deserves attention.
    #[serde(rename = "m", skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// Where it comes from if it is new: the place of the shape that has or had this key.
    #[serde(rename = "b", skip_serializing_if = "Option::is_none")]
    pub from: Option<Key>,
}

/// What a shape is known by. A number is shorter. A key must not betray what is hidden.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// Written as a number.
    Number(u32),
    /// Written as a string.
    Name(String),
}

/// What a shape looks like; lengths in hundredths of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeForm {
    /// A disc of this radius.
    Disc(i32),
    /// A box of this width and height, its corners rounded by so much.
    Box(i32, i32, i32),
    /// A line to this place, so thick.
    Line(Point, i32),
    /// Letters of this height.
    Text(i32),
    /// A picture of the game's own, by its name, with the side of the square it fills.
    Sprite(&'static str, i32),
    /// A playing card of this height, face up; its text is its face.
    Card(i32),
    /// The back of a playing card of this height; its text is a number of cards.
    Back(i32),
    /// The lines of a board: so many columns and rows of crossings, and crossings with a dot.
    Lattice(u16, u16, Vec<[u16; 2]>),
    /// Many cells as one thing.
    Grid(Grid),
}

/// Cells of one by one, row by row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grid {
    /// Cells in a row.
    #[serde(rename = "w")]
    pub columns: u16,
    /// Rows.
    #[serde(rename = "h")]
    pub rows: u16,
    /// The kind of every cell: its place in `kinds`. Written as letters, `a` the first kind.
    #[serde(serialize_with = "letters")]
    pub cells: Vec<u8>,
    /// What the cells may be.
    pub kinds: Vec<CellKind>,
}

/// What a cell of a grid may be: its colour, its name for the legend, and a sprite that lies on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CellKind(pub Tint, pub &'static str, pub Option<&'static str>);

/// A colour by what it stands for. Themes say how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// That of a player, by seat.
    Seat(u16),
    /// One of the names in docs/film.md.
    Named(&'static str),
}

/// Why a shape deserves attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// It was done last.
    Last,
    /// It decided the game.
    Win,
    /// It is on the move, or chosen.
    Held,
    /// Something bad happened to it.
    Hurt,
}

/// A picture that a game brings along: path data, never markup.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprite {
    /// Its name in shapes and grids.
    pub name: &'static str,
    /// The side of the square that its paths are drawn in.
    pub side: u16,
    /// Painted one after another.
    pub paths: &'static [Path],
}

/// A path of a sprite: data as in SVG, and its colour by name; `None` is the colour of the shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Path(pub &'static str, pub Option<&'static str>);

impl Scene {
    /// A picture of so many cells with nothing in it.
    pub fn new(columns: i32, rows: i32) -> Scene {
        Scene { size: [columns * CELL, rows * CELL], ..Scene::default() }
    }

    /// The room that a game without scenes is drawn in.
    pub const TERMINAL: Room = Room { columns: 100, rows: 60 };

    /// A terminal's picture, letter by letter.
    pub fn of_picture(picture: Picture) -> Scene {
        const LETTER: i32 = 60;
        let caption = picture.head.first().map(|line| line.text(Ink::Plain)).unwrap_or_default();
        let lines = picture.lines(Scene::TERMINAL);
        let wide = lines.iter().map(Line::width).max().unwrap_or(0).max(1) as i32;
        let size = [wide * LETTER, lines.len().max(1) as i32 * CELL];
        let mut scene = Scene { size, caption, ..Scene::default() };
        for (line, row) in lines.iter().zip(0..) {
            let mut column = 0;
            for letter in line.text(Ink::Plain).chars() {
                let wide = letter.width().unwrap_or(0) as i32;
                let at = [column * LETTER + wide * LETTER / 2, row * CELL + CELL / 2];
                if letter != ' ' && wide > 0 {
                    let key = row as u32 * Scene::TERMINAL.columns as u32 + column as u32;
                    let shape = Shape::new(key, ShapeForm::Text(CELL * 4 / 5), at);
                    scene.add(shape.text(letter).fill(Tint::Named("ink")));
                }
                column += wide;
            }
        }
        scene
    }

    /// Adds a shape.
    pub fn add(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }
}

impl Shape {
    /// A shape without colour, words or marks.
    pub fn new(key: impl Into<Key>, form: ShapeForm, at: Point) -> Shape {
        Shape {
            key: key.into(),
            layer: 0,
            form,
            at,
            fill: None,
            edge: None,
            turn: 0,
            faint: 0,
            text: None,
            label: None,
            mark: None,
            from: None,
        }
    }

    /// The same on this layer.
    pub fn layer(self, layer: i8) -> Shape {
        Shape { layer, ..self }
    }

    /// The same with this colour inside.
    pub fn fill(self, tint: Tint) -> Shape {
        Shape { fill: Some(tint), ..self }
    }

    /// The same with an edge of this colour.
    pub fn edge(self, tint: Tint) -> Shape {
        Shape { edge: Some(tint), ..self }
    }

    /// The same, turned clockwise.
    pub fn turn(self, degrees: i16) -> Shape {
        Shape { turn: degrees, ..self }
    }

    /// The same with so many percent of its opacity missing.
    pub fn faint(self, percent: u8) -> Shape {
        Shape { faint: percent, ..self }
    }

    /// The same with letters on it.
    pub fn text(self, text: impl Into<String>) -> Shape {
        Shape { text: Some(text.into()), ..self }
    }

    /// The same with words on what it is.
    pub fn label(self, label: impl Into<String>) -> Shape {
        Shape { label: Some(label.into()), ..self }
    }

    /// The same with this mark.
    pub fn mark(self, mark: impl Into<Option<Mark>>) -> Shape {
        Shape { mark: mark.into(), ..self }
    }

    /// The same, and it comes from there if it is new.
    pub fn from(self, key: impl Into<Key>) -> Shape {
        Shape { from: Some(key.into()), ..self }
    }
}

impl From<u32> for Key {
    fn from(number: u32) -> Key {
        Key::Number(number)
    }
}

impl From<String> for Key {
    fn from(name: String) -> Key {
        Key::Name(name)
    }
}

impl From<&str> for Key {
    fn from(name: &str) -> Key {
        Key::Name(name.to_owned())
    }
}

impl From<PlayerId> for Tint {
    fn from(player: PlayerId) -> Tint {
        Tint::Seat(player.0)
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Key::Number(number) => serializer.serialize_u32(*number),
            Key::Name(name) => serializer.serialize_str(name),
        }
    }
}

impl Serialize for Fact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.0, number(self.1)).serialize(serializer)
    }
}

/// A number as it is written: a whole one without a decimal point.
pub(crate) fn number(value: f64) -> Option<Number> {
    const EXACT: f64 = (1_u64 << 53) as f64;
    match value.fract() == 0.0 && value.abs() < EXACT {
        true => Some(Number::from(value as i64)),
        false => Number::from_f64(value),
    }
}

impl Serialize for Tint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Tint::Seat(seat) => serializer.serialize_u16(*seat),
            Tint::Named(name) => serializer.serialize_str(name),
        }
    }
}

/// How a game ended, as a caption for everybody or for one player. A reason may hold the words of a bot that left,
/// which are nobody else's business.
pub fn ending(outcome: &Outcome, eyes: Option<PlayerId>) -> String {
    match (eyes, outcome.ending.by) {
        (None, _) | (_, EndedBy::Rules | EndedBy::Adjudication) => outcome.reason.clone(),
        (Some(_), EndedBy::Forfeit | EndedBy::Unknown) => "too few players are left".to_owned(),
    }
}

fn letters<S: Serializer>(cells: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let letters: String = cells.iter().map(|kind| char::from(b'a' + kind)).collect();
    serializer.serialize_str(&letters)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
