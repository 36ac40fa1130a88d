//! How often memory is allocated for a ply, in the middle of a game.
#![expect(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use game::{Afterwards, Clock, Seed};
use games::gomoku::Gomoku;
use host::{BotSpec, Job, OwnProcess, Placement, Run, Watcher};
use serde_json::json;
use table::{
    AnyGame as _, AnyTable, Contestant, Entrant, Erased, Occasion, Recording, Terms, TurnOrder,
};

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is left to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Notes after every ply how often its thread has allocated so far.
struct Meter(Arc<Mutex<Vec<u64>>>);

impl Watcher for Meter {
    fn stepped(&mut self, _: &dyn AnyTable) {
        let mut readings = self.0.lock().expect("nobody panics");
        if readings.capacity() == 0 {
            readings.reserve(1000);
        }
        readings.push(COUNT.with(Cell::get));
    }
}

/// The example that answers at once.
fn instant() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bots/gomoku/instant.c");
    let bot = std::env::temp_dir().join(format!("lanista-test-instant-{}", std::process::id()));
    let mut compiler = Command::new("cc");
    // Other tests of this process look for what bots left behind: this is none of it.
    let built = OwnProcess::spawn(compiler.arg("-O2").arg("-o").arg(&bot).arg(&source))
        .and_then(|mut compiler| compiler.child().wait());
    assert!(built.is_ok_and(|status| status.success()), "cc cannot build {}", source.display());
    bot
}

#[test]
fn a_ply_allocates_a_handful_of_times_at_most() {
    let bot = instant();
    let spec = BotSpec::parse(&bot.display().to_string(), Path::new("/")).expect("it is there");
    let run = Run {
        roster: vec![spec.clone(), spec],
        concurrency: 1,
        placement: Placement::Together,
        exe: None,
        scratch: None,
        pondering: host::Pondering::Stopped,
        cage: host::CageTerms::none(),
        live: None,
        people: None,
    };
    let entrant = |seat| {
        Entrant::new(format!("instant {seat}"), Contestant::Program { then: Afterwards::MayStay })
    };
    let terms = Terms {
        id: "counted".to_owned(),
        seed: Seed(1),
        entrants: (0..2).map(entrant).collect(),
        clock: Clock::per_turn(std::time::Duration::from_secs(20)),
        adjudication: table::Adjudication::NONE,
        occasion: Occasion::SingleMatch,
        recording: Recording::On,
    };
    let setup = json!({ "size": 15, "rule": "standard" }).as_object().expect("an object").clone();
    let table = Box::new(move || Erased::<Gomoku>::new().table(&setup, terms.clone()));
    let job = Job { index: 0, bots: vec![0, 1], turn_order: TurnOrder::Alternating, table };
    let readings = Arc::new(Mutex::new(Vec::new()));
    let watcher = Box::new(Meter(readings.clone()));
    run.play(std::iter::once(job), Some(watcher), |_| std::ops::ControlFlow::Continue(()))
        .expect("it can be played");
    let _ = std::fs::remove_file(bot);
    let readings = readings.lock().expect("nobody panics");
    assert!(readings.len() > 100, "{} plies", readings.len());
    let (from, to) = (20, 100);
    let each = (readings[to] - readings[from]) as f64 / (to - from) as f64;
    assert!(each <= 8.0, "{each} allocations a ply");
}
