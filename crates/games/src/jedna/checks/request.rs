//! Requests for scripts, and whether an answer is one of those they offer.

use serde_json::{Value, json};
use table::check::{Reading, ScriptSoFar};

use super::super::wire::{FromBot, Named};

/// A request as a bot hears it.
#[derive(Clone)]
pub(super) struct Request {
    state: Value,
}

impl Request {
    /// A turn outside of a war, with nothing to play yet and three players.
    pub(super) fn new(hand: &[&str], top: &str, colour: Option<&str>) -> Request {
        let state = json!({
            "your_id": "player1",
            "hand": hand,
            "top_card": top,
            "top_color": colour,
            "game_state": "normal",
            "stacked_cards": 0,
            "already_picked": false,
            "picked_card": null,
            "other_players": [],
            "available_actions": ["play", "draw"],
            "playable_cards": [],
        });
        Request { state }.others(2)
    }

    fn with(mut self, key: &str, value: Value) -> Request {
        self.state[key] = value;
        self
    }

    /// These cards could be played.
    pub(super) fn playable(self, cards: &[&str]) -> Request {
        self.with("playable_cards", json!(cards))
    }

    /// These actions could be done.
    pub(super) fn actions(self, actions: &[&str]) -> Request {
        self.with("available_actions", json!(actions))
    }

    /// So many others play.
    pub(super) fn others(self, count: u16) -> Request {
        let other =
            |number: u16| json!({"id": format!("player{number}"), "cards": 7, "card_count": 7});
        self.with("other_players", (2..count + 2).map(other).collect())
    }

    /// The bot has drawn this card in this turn.
    pub(super) fn drawn(self, card: &str) -> Request {
        self.with("already_picked", json!(true)).with("picked_card", json!(card))
    }

    /// The bot wanted to draw, and there was no card.
    pub(super) fn drawn_nothing(self) -> Request {
        self.with("already_picked", json!(true))
    }

    /// There is a war about so many cards.
    pub(super) fn war(self, state: &str, stacked: u16) -> Request {
        self.with("game_state", json!(state)).with("stacked_cards", json!(stacked))
    }

    /// The message.
    pub(super) fn line(&self) -> String {
        json!({"type": "request_action", "protocol_version": "1.0", "state": self.state})
            .to_string()
    }

    /// The message with its fields in another order, and with others among them.
    pub(super) fn shuffled(&self) -> String {
        let mut state = serde_json::Map::new();
        state.insert("no_such_field".to_owned(), json!([1, {"a": null}]));
        if let Value::Object(fields) = &self.state {
            state.extend(fields.iter().rev().map(|(key, value)| (key.clone(), value.clone())));
        }
        json!({"deadline": 17.5, "state": state, "type": "request_action"}).to_string()
    }

    fn offers(&self, list: &str, word: &str) -> bool {
        let list = self.state[list].as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().any(|offered| offered == word)
    }

    /// Whether a card could be played; both spellings of a wild are understood.
    fn offers_card(&self, card: &str) -> bool {
        let other = match card {
            "w" => "wd",
            "wd" => "w",
            other => other,
        };
        self.offers("playable_cards", card) || self.offers("playable_cards", other)
    }
}

/// Whether a line is an action that a request offers, with a card that it offers.
pub(super) fn offered(
    request: &Request,
) -> impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static {
    let request = request.clone();
    move |_, line| {
        let action = |word: &str| {
            let refused = !request.offers("available_actions", word);
            let may = &request.state["available_actions"];
            Reading::answer_unless(refused.then(|| format!("it wants to {word}, and may {may}")))
        };
        match FromBot::parse(line) {
            FromBot::Draw => action("draw"),
            FromBot::Pass => action("pass"),
            FromBot::Unreadable(why) => Reading::Wrong(why),
            FromBot::Play { colour, .. } => match (action("play"), played(line)) {
                (Reading::Answer, card) if request.offers_card(&card) => {
                    match (is_wild(&card), colour) {
                        (true, Named::Nothing) => {
                            Reading::Odd("it plays a wild and names no colour".to_owned())
                        }
                        (true, Named::Wrong(what)) => {
                            Reading::Wrong(format!("{what} is no colour"))
                        }
                        (true, Named::Colour(_)) | (false, _) => Reading::Answer,
                    }
                }
                (Reading::Answer, card) => Reading::Wrong(format!(
                    "it plays {card}, and could play {}",
                    request.state["playable_cards"]
                )),
                (refused, _) => refused,
            },
        }
    }
}

/// Whether a line is another answer than the one before it.
pub(super) fn other(
    request: &Request,
) -> impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static {
    let offered = offered(request);
    move |so_far, line| match offered(so_far, line) {
        Reading::Answer => {
            let before = so_far.answers.last().map(|line| FromBot::parse(line));
            let again = before == Some(FromBot::parse(line));
            let why = || "it gives the answer again that was refused".to_owned();
            Reading::answer_unless(again.then(why))
        }
        reading => reading,
    }
}

/// The card that an answer names.
fn played(line: &[u8]) -> String {
    let answer: Value = serde_json::from_slice(line).unwrap_or_default();
    answer["card"].as_str().unwrap_or_default().to_owned()
}

fn is_wild(card: &str) -> bool {
    ["w", "wd", "wd4"].contains(&card)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_the_hosts_own_form() {
        let line = Request::new(&["r2"], "r7", Some("red")).playable(&["r2"]).others(1).line();
        let document = r#"{"type":"request_action","protocol_version":"1.0","state":{"your_id":"player1","hand":["r2"],"top_card":"r7","top_color":"red","game_state":"normal","stacked_cards":0,"already_picked":false,"picked_card":null,"other_players":[{"id":"player2","cards":7,"card_count":7}],"available_actions":["play","draw"],"playable_cards":["r2"]}}"#;
        assert_eq!(line, document);
    }

    #[test]
    fn only_what_is_offered_is_an_answer() {
        let request = Request::new(&["r2", "wd"], "r7", Some("red")).playable(&["r2", "wd"]);
        let read = |line: &str| offered(&request)(&ScriptSoFar::default(), line.as_bytes());
        assert_eq!(read(r#"{"action":"draw"}"#), Reading::Answer);
        assert_eq!(read(r#"{"action":"play","card":"r2"}"#), Reading::Answer);
        assert_eq!(read(r#"{"action":"play","card":"wd","wild_color":"blue"}"#), Reading::Answer);
        assert!(matches!(read(r#"{"action":"play","card":"wd"}"#), Reading::Odd(_)));
        for wrong in [
            r#"{"action":"pass"}"#,
            r#"{"action":"play","card":"b5"}"#,
            r#"{"action":"play","card":"wd","wild_color":"pink"}"#,
            "draw",
        ] {
            assert!(matches!(read(wrong), Reading::Wrong(_)), "{wrong}");
        }
    }
}
