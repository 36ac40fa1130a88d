//! Whether a bot is still the one that played before.

use std::path::Path;

use game::Digest;
use host::{BotSpec, Program, Reuse};

/// A short name for all that makes a bot what it is: its program, the files that its command
/// names, and what its manifest adds. For noticing changes, not for keeping secrets.
pub fn identity(bot: &BotSpec) -> String {
    let mut digest = Digest::new("bot");
    match &bot.program {
        Program::BuiltIn(name) => {
            digest.bytes(b"builtin").bytes(name.as_bytes());
        }
        Program::Command { exe, args, dir, env, .. } => {
            file(&mut digest, exe);
            for arg in args {
                digest.bytes(arg.as_bytes());
                let path = dir.join(arg);
                if path.is_file() {
                    file(&mut digest, &path);
                }
            }
            for (name, value) in env {
                digest.bytes(name.as_bytes()).bytes(value.as_bytes());
            }
            digest.word(u64::from(bot.reuse == Reuse::Never));
        }
    }
    for (name, value) in &bot.options {
        digest.bytes(name.as_bytes()).bytes(value.as_bytes());
    }
    let limits = bot.limits;
    digest.word(limits.memory_mb).word(limits.processes.into()).word(limits.cores.into());
    format!("{:016x}", digest.finish())
}

fn file(digest: &mut Digest, path: &Path) {
    match std::fs::read(path) {
        Ok(bytes) => digest.bytes(&bytes),
        // Not ours to judge: the game will show.
        Err(_) => digest.bytes(b"unreadable"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_script_is_another_bot() {
        let folder = std::env::temp_dir().join(format!("lanista-identity-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("writable");
        let of = |text: &str| {
            std::fs::write(folder.join("bot.sh"), text).expect("writable");
            identity(&BotSpec::parse("x=sh bot.sh", &folder).expect("a shell is there"))
        };
        let first = of("echo 1");
        assert_ne!(of("echo 2"), first);
        assert_eq!(of("echo 1"), first);
        let other = BotSpec::parse("x=sh bot.sh --fast", &folder).expect("a shell is there");
        assert_ne!(identity(&other), first);
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
