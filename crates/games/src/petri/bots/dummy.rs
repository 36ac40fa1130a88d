//! An agent that always rests, for measuring what everything else costs.

use serde_json::json;
use table::{Dummy, DummyParent};

pub(crate) const DUMMY: Dummy = Dummy {
    make: || Box::new(|_, answers| answers.extend_from_slice(b"{\"action\":\"rest\"}\n")),
    greeting: b"",
    question: QUESTION,
    // With the defaults resting nets nothing, so that nobody dies and nobody is born.
    setup: |players, each| {
        let all = u32::from(players) * each;
        let side = (1..1000).find(|side| side * side >= 2 * all)?;
        Some(json!({
            "width": side, "height": side, "initial_agents": each, "max_agents": all,
            "max_ticks": TICKS,
        }))
    },
    parent: Some(DummyParent {
        make: || {
            let mut answers =
                [&b"{\"action\":\"replicate\"}\n"[..], b"{\"action\":\"die\"}\n"].into_iter();
            Box::new(move |_, said| said.extend_from_slice(answers.next().unwrap_or_default()))
        },
        // In so wide a world there is room beside everybody. In a turn the old may leave after the
        // last child is born.
        setup: |births, turns| {
            let side = (1..1000).find(|side| side * side >= 32 * births)?;
            Some(json!({
                "width": side, "height": side, "initial_agents": births,
                "max_agents": 3 * births, "max_ticks": turns,
            }))
        },
    }),
};

const TICKS: u32 = 25;

/// A message of the usual length.
const QUESTION: &[u8] = br#"{"tick":42,"agent_id":"abc123","position":[5,3],"energy":8,"world_size":[20,15],"neighbors":{"north_west":{"energy":0,"agent_id":null},"north":{"energy":5,"agent_id":"def456"},"north_east":{"energy":0,"agent_id":null},"west":{"energy":0,"agent_id":null},"east":{"energy":12,"agent_id":"ghi789"},"south_west":{"energy":0,"agent_id":null},"south":{"energy":0,"agent_id":null},"south_east":{"energy":3,"agent_id":"jkl012"}},"generation":15,"timeout_ms":1000}
"#;
