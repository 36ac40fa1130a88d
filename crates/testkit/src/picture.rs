//! Pictures fit the room they are drawn for, whatever the names and the state.

use game::PlayerId;
use table::{Hosted, Ink, Picture, Room, picture};

/// From no terminal at all down to none that anybody has.
pub(crate) const ROOMS: [(usize, usize); 7] =
    [(1000, 1000), (200, 60), (120, 30), (80, 24), (60, 20), (7, 3), (0, 0)];

/// Names as nobody should choose them.
fn names(players: u16) -> Vec<String> {
    let names = [
        "日本語の名前",
        "two\nlines",
        "\x1b[2J\u{202e}",
        "a name that is far too long for any table",
    ];
    names.iter().cycle().take(players.into()).map(|&name| name.to_owned()).collect()
}

/// Draws a state in every room, as a whole and through every player's eyes.
pub(crate) fn fits_everywhere<G: Hosted>(game: &G, players: u16) {
    let names = names(players);
    for (columns, rows) in ROOMS {
        let room = Room { columns, rows };
        fits(game.draw(&names, room), room);
        for player in 0..players {
            if let Some(seen) = game.draw_for(PlayerId(player), &names, room) {
                fits(seen, room);
            }
        }
    }
}

/// No picture is larger than its room, none has a byte in it that a terminal would obey, and from
/// 60×20 up the lines that are always to be seen are there, with something of the board.
pub(crate) fn fits(picture: Picture, room: Room) {
    let (head, clipped) = (picture.head.len(), picture.clipped);
    let whole = picture.clone();
    let lines = picture.lines(room);
    assert!(lines.len() <= room.rows, "{} rows in {room:?}", lines.len());
    for line in &lines {
        let text = line.text(Ink::Plain);
        assert!(picture::width(&text) <= room.columns, "{text} in {room:?}");
        assert!(!text.chars().any(game::text::is_unsafe), "{text:?}");
    }
    if room.columns >= 60 && room.rows >= 20 {
        assert!(head > 0 && lines.len() > head, "{room:?}: {lines:?}");
        let first = lines[0].text(Ink::Plain);
        assert!(first.chars().any(|letter| letter.is_ascii_digit()), "no turn in {first}");
        // What is missing is known to be missing.
        let (columns, rows) = whole.size();
        let cut = rows > room.rows || whole.board.iter().any(|l| l.width() > room.columns);
        assert!(!cut || clipped, "{columns}×{rows} in {room:?}");
    }
}
