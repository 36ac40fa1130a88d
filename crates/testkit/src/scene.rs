//! Scenes and films of every game obey the rules of their format (docs/film.md).

use std::collections::HashSet;

use game::{ActorId, PlayerId, Told};
use table::film::AnyFilm;
use table::scene::{Delta, Key, Scene, ShapeForm};
use table::{AnyGame as _, Erased, Hosted, Record};

/// The scenes of one state, through all eyes and each player's.
pub(crate) struct Scenes(Vec<Scene>);

impl Scenes {
    /// The scenes of a state that events led to, each checked; `before` is the state's predecessor.
    pub(crate) fn of<G: Hosted>(
        before: Option<&Scenes>,
        game: &G,
        players: u16,
        told: &[Told<G::Event>],
    ) -> Scenes {
        let mut roles = Vec::new();
        game.cast(&mut roles);
        let seen = |eyes: Option<PlayerId>| {
            let own = |actor: ActorId| {
                roles.iter().any(|role| role.actor == actor && Some(role.player) == eyes)
            };
            let hears = |news: &&Told<G::Event>| {
                eyes.is_none()
                    || roles.iter().any(|role| own(role.actor) && news.to.includes(role.actor))
            };
            let news: Vec<Told<G::Event>> = told.iter().filter(hears).cloned().collect();
            let scene = game.scene(eyes, &news);
            is_sound(&scene, G::sprites());
            scene
        };
        let eyes = std::iter::once(None).chain((0..players).map(|seat| Some(PlayerId(seat))));
        let scenes: Vec<Scene> = eyes.map(seen).collect();
        for (before, after) in before.iter().flat_map(|before| &before.0).zip(&scenes) {
            becomes(before, after);
        }
        Scenes(scenes)
    }
}

/// What is hidden from a player is not in its scene either.
pub(crate) fn hides_it_too<G: Hosted>(game: &G, disguised: &G, player: PlayerId) {
    let seen = |game: &G| game.scene(Some(player), &[]);
    assert_eq!(seen(disguised), seen(game), "the scene for {player} shows what is hidden");
}

/// Keys are unique, everything lies inside, and what is named exists.
pub(crate) fn is_sound(scene: &Scene, sprites: &[table::scene::Sprite]) {
    let [width, height] = scene.size;
    assert!(width > 0 && height > 0, "a picture has a size: {:?}", scene.size);
    assert!(!scene.caption.is_empty(), "a scene says how things stand");
    let mut keys: HashSet<&Key> = HashSet::new();
    let known = |name: &str| sprites.iter().any(|sprite| sprite.name == name);
    for shape in &scene.shapes {
        assert!(keys.insert(&shape.key), "{:?} is there twice", shape.key);
        assert!(shape.faint <= 100, "{shape:?}");
        let [x, y] = shape.at;
        let (left, top, right, bottom) = match &shape.form {
            ShapeForm::Disc(radius) => (x - radius, y - radius, x + radius, y + radius),
            ShapeForm::Box(wide, high, _) => {
                (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
            }
            ShapeForm::Line([to_x, to_y], _) => {
                (x.min(*to_x), y.min(*to_y), x.max(*to_x), y.max(*to_y))
            }
            ShapeForm::Text(high) => (x, y - high / 2, x, y + high / 2),
            ShapeForm::Sprite(name, side) => {
                assert!(known(name), "there is no sprite {name}");
                (x - side / 2, y - side / 2, x + side / 2, y + side / 2)
            }
            ShapeForm::Card(high) | ShapeForm::Back(high) => {
                // Two thirds as wide as high.
                (x - high / 3, y - high / 2, x + high / 3, y + high / 2)
            }
            ShapeForm::Lattice(columns, rows, dots) => {
                assert!(dots.iter().all(|[x, y]| x < columns && y < rows), "{dots:?}");
                (x, y, x + (i32::from(*columns) - 1) * 100, y + (i32::from(*rows) - 1) * 100)
            }
            ShapeForm::Grid(grid) => {
                assert_eq!(grid.cells.len(), usize::from(grid.columns) * usize::from(grid.rows));
                assert!(grid.kinds.len() <= 26, "a kind is a letter");
                let kinds = grid.kinds.len() as u8;
                assert!(grid.cells.iter().all(|cell| *cell < kinds), "every cell has a kind");
                let sprites = grid.kinds.iter().filter_map(|kind| kind.2);
                assert!(sprites.into_iter().all(known), "{:?}", grid.kinds);
                (x, y, x + i32::from(grid.columns) * 100, y + i32::from(grid.rows) * 100)
            }
        };
        let inside = left >= 0 && top >= 0 && right <= width && bottom <= height;
        assert!(inside, "{shape:?} is not inside {:?}", scene.size);
    }
}

/// The difference, applied, gives the next scene.
fn becomes(before: &Scene, after: &Scene) {
    let mut applied = before.clone();
    Delta::between(before, after).apply(&mut applied);
    let sorted = |scene: &Scene| {
        let mut scene = scene.clone();
        scene.shapes.sort_by(|a, b| a.key.cmp(&b.key));
        // Where a shape comes from is told only when it is new.
        scene.shapes.iter_mut().for_each(|shape| shape.from = None);
        scene
    };
    assert_eq!(sorted(&applied), sorted(after), "the difference is not the difference");
}

/// The film of a finished match has a line for each step, is the same from a log that grows byte by byte, and
/// through one player's eyes holds nothing that only others know.
pub(crate) fn films_are_whole<G: Hosted>(record: &Record) {
    let (erased, bytes) = (Erased::<G>::new(), record.packed());
    let replay = erased.replay(record).expect("it can be replayed");
    let players = record.header.players.len() as u16;
    let eyes = std::iter::once(None).chain((0..players).map(|seat| Some(PlayerId(seat))));
    for eyes in eyes {
        let lines: Vec<String> = replay.film(eyes).collect();
        assert_eq!(lines.len(), replay.len() + 2, "a head, every step, and the end");
        let mut film: Box<dyn AnyFilm> = erased.film(&record.header, eyes).expect("it is sound");
        let mut grown = vec![film.head()];
        // Byte by byte where that does not take long.
        for part in bytes.chunks(1 + bytes.len() / 20_000) {
            film.feed(part, &mut grown).expect("it was written here");
        }
        assert!(film.is_over() && film.end().is_none());
        assert_eq!(grown, lines, "the film of a log that grows");
        let read = |line: &String| serde_json::from_str(line).expect("every line is JSON");
        let lines: Vec<serde_json::Value> = lines.iter().map(read).collect();
        assert_eq!(lines[lines.len() - 1]["verified"], true);
        if let Some(PlayerId(own)) = eyes {
            holds_only_its_own(&lines, own);
        }
    }
}

/// Nothing that happened is told of the others.
fn holds_only_its_own(lines: &[serde_json::Value], own: u16) {
    if lines[0]["hidden"] == true {
        assert!(lines[0].get("seed").is_none() && lines[0].get("setup").is_none());
    }
    for line in lines {
        assert!(line.get("at_us").is_none() && line.get("why").is_none(), "{line}");
        for list in ["moves", "faults", "notes"] {
            let all = line[list].as_array().into_iter().flatten();
            assert!(all.into_iter().all(|one| one["seat"] == own), "{list} of {line}");
        }
        for row in line["measures"].as_array().into_iter().flatten().filter(|row| row.is_array()) {
            let others = row.as_array().into_iter().flatten().enumerate();
            let known =
                others.filter(|(seat, value)| *seat != usize::from(own) && !value.is_null());
            assert_eq!(known.count(), 0, "{line}");
        }
    }
}
