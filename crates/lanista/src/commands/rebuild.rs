//! `lanista rebuild`: the database of a run, made anew from its replays.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;

use crate::Exit;
use crate::cli::RebuildArgs;
use crate::output::text::count;
use crate::terminal::progress::{Pace, Progress, Wanted};
use crate::terminal::{complain, remark, say};

pub(crate) fn rebuild(args: &RebuildArgs) -> Result<Exit> {
    let done = Arc::new(AtomicU64::new(0));
    let (shown, pace) = (done.clone(), Pace::new(0));
    let mut progress = Progress::new(Wanted::OnTerminals, move |room| {
        vec![pace.line(shown.load(Ordering::Relaxed), None, "", room)]
    });
    let rebuilt = league::rebuild(&args.run, &mut |records| done.store(records, Ordering::Relaxed));
    progress.end();
    let rebuilt = rebuilt?;
    let dir = args.run.display();
    say(&format!("{dir}: {} in a new database", count(rebuilt.games, "game")))?;
    if let Some(before) = rebuilt.before {
        remark(&format!("the one that was there is {dir}/{before} now"));
    }
    if rebuilt.void > 0 {
        remark(&format!("{} void, as the journal says", count(rebuilt.void, "game")));
    }
    match rebuilt.unreadable {
        0 => Ok(Exit::Done),
        records => {
            let records = count(records, "record");
            complain(&format!("{records} could not be read; those games are played again"));
            Ok(Exit::Failed)
        }
    }
}
