//! Panics of this program's own code: caught where a match is played, so that one does not end all.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use thiserror::Error;

/// What a panic said, and where it happened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("panicked at {place}: {message}")]
pub struct Panic {
    place: String,
    message: String,
}

thread_local! {
    /// How many calls of [`catch`] this thread is in.
    static CATCHING: Cell<u32> = const { Cell::new(0) };
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Does the work; if it panics, says how instead of printing it. Whatever the work has changed
/// must not be relied on after that.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| match CATCHING.get() {
            0 => usual(info),
            _ => {
                LAST.set(Some(Panic::of(info)));
                // Somebody is looking for it.
                if std::env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted != "0") {
                    usual(info);
                }
            }
        }));
    });
    CATCHING.set(CATCHING.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(CATCHING.get() - 1);
    done.map_err(|_| {
        let unknown =
            || Panic { place: "an unknown place".to_owned(), message: "no message".to_owned() };
        LAST.take().unwrap_or_else(unknown)
    })
}

impl Panic {
    fn of(info: &PanicHookInfo<'_>) -> Panic {
        let place = info.location().map_or("an unknown place".to_owned(), ToString::to_string);
        let said = info.payload();
        let message = match (said.downcast_ref::<&str>(), said.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (None, Some(text)) => text.clone(),
            (None, None) => "something that is not text".to_owned(),
        };
        // It becomes part of a line.
        Panic { place, message: message.replace('\n', " ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_what_it_said_and_where() {
        assert_eq!(catch(|| 7), Ok(7));
        let inner = catch(|| {
            let lost: Result<(), Panic> = catch(|| panic!("the first of {}", 2));
            assert!(lost.is_err());
            panic!("the second")
        });
        let panic: Result<(), Panic> = inner;
        let text = panic.expect_err("it panicked").to_string();
        assert!(text.starts_with("panicked at crates/host/src/panics.rs:"), "{text}");
        assert!(text.ends_with(": the second"), "{text}");
    }
}
