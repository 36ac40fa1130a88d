//! A template for bots without namespaces: it has looked up once what all processes of a bot may use,
//! and starts them.
#![expect(unsafe_code, reason = "makes a process that uses its memory, while nothing else does")]

use super::bot_process::{BotUsers, Restrictions, become_bot, program_words, settle};
use super::launcher_client::Ends;
use super::launcher_process::{report, say};
use super::order::{Access, At as _, Bind, BuildStep, CageOrder, Failure, LaunchWord};
use super::raw;
use super::tasks::{TaskKind, TaskStack, run_task};
use crate::os::no_links;

/// Starts the processes of a bot.
pub(crate) struct RuledStarts {
    pub(super) restrictions: Restrictions,
    /// Of a process that is about to be a bot.
    becoming: TaskStack,
}

impl RuledStarts {
    pub(crate) fn build(common: &CageOrder) -> Result<RuledStarts, Failure> {
        give(&common.view.binds, common.user)?;
        let restrictions = Restrictions::begin(common)?;
        Ok(RuledStarts { restrictions, becoming: TaskStack::new() })
    }

    /// Starts a bot, which tells the host.
    pub(crate) fn start(&mut self, order: &CageOrder, ends: &Ends) -> Result<(), Failure> {
        let program = program_words(order)?;
        give(&order.view.binds, order.user)?;
        let restrictions = self.restrictions.for_process()?;
        let work = || {
            say(&ends.control, &LaunchWord::Bot);
            // SAFETY: what the template keeps is used by the template alone.
            let settled = unsafe { settle(ends) };
            let Err(failure) = settled.and_then(|()| {
                let users = BotUsers::OfTheHost;
                become_bot(order, program.as_ref(), &ends.control, &restrictions, users)
            });
            report(&ends.control, &failure);
            raw::leave(1)
        };
        // SAFETY: this process is a fork of the launcher and has one thread. The bot does not return,
        // and has a stack of its own.
        let made = unsafe { run_task(TaskKind::Sibling, &mut self.becoming, work) };
        made.map(drop).at(BuildStep::Fork)
    }
}

/// Makes the bot's own folders its user's.
fn give(binds: &[Bind], user: Option<u32>) -> Result<(), Failure> {
    let Some(user) = user else { return Ok(()) };
    for bind in binds.iter().filter(|bind| bind.access == Access::Own) {
        let given = no_links::handle(&bind.source).and_then(|handle| no_links::give(&handle, user));
        given.at(BuildStep::Files(None))?;
    }
    Ok(())
}
