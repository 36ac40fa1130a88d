//! Looking at a game through one player's eyes.

use anyhow::{Result, anyhow};
use game::PlayerId;
use table::{AnyReplay, Picture, Room};

/// The player of this name, or of this number counted from 1.
pub(crate) fn find(wanted: &str, names: &[String]) -> Result<PlayerId> {
    let named = names.iter().position(|name| name == wanted);
    let numbered = || {
        let number: usize = wanted.parse().ok()?;
        number.checked_sub(1).filter(|place| *place < names.len())
    };
    let place = named.or_else(numbered).ok_or_else(|| {
        let (names, most) = (names.join(", "), names.len());
        anyhow!("no player \"{wanted}\"; there are {names}, or 1 to {most}")
    })?;
    Ok(PlayerId(place as u16))
}

/// What is wrong with looking through somebody's eyes here.
pub(crate) fn nothing_hidden(game: &str) -> anyhow::Error {
    anyhow!("--eyes is of no use: {game} has no picture of what one player sees")
}

/// The picture of a recorded game after so many steps.
pub(crate) fn draw(
    replay: &mut dyn AnyReplay,
    step: usize,
    eyes: Option<PlayerId>,
    room: Room,
) -> Picture {
    let seen = eyes.and_then(|player| replay.draw_for(step, player, room));
    seen.unwrap_or_else(|| replay.draw(step, room))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eyes_are_found_by_name_first_and_by_number_from_one() {
        let names = ["ann", "1", "cy"].map(str::to_owned);
        let found = |wanted| find(wanted, &names).ok();
        assert_eq!(found("ann"), Some(PlayerId(0)));
        assert_eq!(found("1"), Some(PlayerId(1)));
        assert_eq!(found("3"), Some(PlayerId(2)));
        assert_eq!(found("0"), None);
        assert_eq!(found("4"), None);
        let error = find("bob", &names).expect_err("nobody is called so").to_string();
        assert_eq!(error, "no player \"bob\"; there are ann, 1, cy, or 1 to 3");
    }
}
