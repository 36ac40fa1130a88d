//! `lanista merge`: parts of one tournament that were played in several places, put together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;

use crate::Exit;
use crate::cli::MergeArgs;
use crate::output::text::count;
use crate::terminal::progress::{Pace, Progress, Wanted};
use crate::terminal::{remark, say};

pub(crate) fn merge(args: &MergeArgs) -> Result<Exit> {
    let done = Arc::new(AtomicU64::new(0));
    let (shown, pace) = (done.clone(), Pace::new(0));
    let mut progress = Progress::new(Wanted::OnTerminals, move |room| {
        vec![pace.line(shown.load(Ordering::Relaxed), None, "", room)]
    });
    let merged =
        league::merge(&args.runs, &args.dir, &mut |games| done.store(games, Ordering::Relaxed));
    progress.end();
    let (dir, games) = (args.dir.display(), count(merged?.games, "game"));
    say(&format!("{dir}: {games} of {}", count(args.runs.len() as u64, "run")))?;
    remark(&format!(
        "`lanista run FILE --dir {dir}` plays what is missing, `lanista verify {dir}` proves it"
    ));
    Ok(Exit::Done)
}
