//! Whether a bot that root starts, and that runs as somebody else, can reach its own files. Where
//! it cannot, the game is not begun: "exited with code 2" would look like the bot's fault.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::bot::script;
use crate::bot::spec::{BotError, BotSpec, Program};
use crate::cage::{CageTerms, OwnDir, Tier};

impl BotSpec {
    /// Checks that the user as whom bots run may read this one's files. `launcher` is this very
    /// program.
    pub fn check_access(&self, terms: &CageTerms, launcher: &Path) -> Result<(), BotError> {
        if !rustix::process::geteuid().is_root() || terms.at_most == Tier::E {
            return Ok(());
        }
        for program in self.programs() {
            let closed = closed(program, self.grants.own_dir);
            if closed.is_empty() {
                continue;
            }
            // It takes a moment to find out, and is hardly ever needed.
            let matters = |closed: &&ClosedPath| match terms.tier(launcher) {
                // The folders above are made anew inside.
                Tier::A | Tier::B | Tier::C => closed.where_ == Where::Own,
                Tier::D => true,
                // There it runs as root.
                Tier::E => false,
            };
            if let Some(closed) = closed.iter().find(matters) {
                return Err(BotError::Closed {
                    bot: self.name.clone(),
                    path: closed.path.display().to_string(),
                    mode: closed.mode & 0o777,
                    remedy: if closed.folder { "a+rx" } else { "a+r" },
                });
            }
        }
        Ok(())
    }
}

/// A file or folder that is closed to everybody but its owner and group.
struct ClosedPath {
    path: PathBuf,
    mode: u32,
    folder: bool,
    where_: Where,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// The bot's own folder, its program, its script.
    Own,
    /// A folder above them.
    Above,
}

/// What a program needs and is closed to the user that it runs as.
fn closed(program: &Program, own_dir: OwnDir) -> Vec<ClosedPath> {
    let Program::Command { exe, args, dir, .. } = program else { return Vec::new() };
    let mut own = vec![exe.clone()];
    if let Some(script) = script::of(exe, args, dir) {
        own.extend(script.parent().map(Path::to_owned));
        own.push(script);
    }
    if own_dir == OwnDir::Yes {
        own.push(dir.clone());
    }
    let own: Vec<PathBuf> = own.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let above = own.iter().flat_map(|path| path.ancestors().skip(1).map(Path::to_owned));
    let above: Vec<PathBuf> = above.collect();
    let own = own.into_iter().map(|path| (path, Where::Own));
    let above = above.into_iter().map(|path| (path, Where::Above));
    own.chain(above).filter_map(|(path, where_)| is_closed(path, where_)).collect()
}

fn is_closed(path: PathBuf, where_: Where) -> Option<ClosedPath> {
    let about = path.metadata().ok()?;
    let (mode, folder) = (about.mode(), about.is_dir());
    let needed = match (folder, where_) {
        (true, Where::Own) => 0o005,
        (true, Where::Above) => 0o001,
        (false, _) => 0o004,
    };
    (mode & needed != needed).then_some(ClosedPath { path, mode, folder, where_ })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_closed_to_others_is_found() {
        let folder = std::env::temp_dir().join(format!("lanista-access-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let script = folder.join("bot.py");
        std::fs::write(&script, "").expect("a file can be written");
        let set = |path: &Path, mode: u32| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, mode).expect("it is ours");
        };
        let program = Program::Command {
            exe: PathBuf::from("/usr/bin/python3"),
            args: vec!["-u".to_owned(), "bot.py".to_owned()],
            dir: folder.clone(),
            env: Default::default(),
            shown: String::new(),
        };
        let found = |own_dir| -> Vec<PathBuf> {
            let closed = closed(&program, own_dir).into_iter();
            let own = closed.filter(|closed| closed.where_ == Where::Own);
            own.map(|closed| closed.path).collect()
        };
        let real = folder.canonicalize().expect("it is there");
        for own_dir in [OwnDir::Yes, OwnDir::No] {
            set(&folder, 0o755);
            set(&script, 0o644);
            assert!(found(own_dir).is_empty(), "{:?}", found(own_dir));
            set(&script, 0o600);
            assert_eq!(found(own_dir), [real.join("bot.py")]);
            set(&script, 0o644);
            set(&folder, 0o700);
            assert!(found(own_dir).contains(&real), "{:?}", found(own_dir));
        }
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
