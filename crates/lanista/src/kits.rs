//! Kits: bots to start from, a folder for each game and language. They are files of this project
//! (`kits`) and are put into the program when it is built.

use std::sync::LazyLock;

use serde::Deserialize;

/// A file as it lies in the folder of the kits.
struct KitFile {
    path: &'static str,
    bytes: &'static [u8],
    executable: bool,
}

static FILES: &[KitFile] = include!(concat!(env!("OUT_DIR"), "/kit_files.rs"));

/// A language that there are kits in; `kits/kits.toml` says what the fields mean.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Language {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) also: Vec<String>,
    pub(crate) title: String,
    pub(crate) strategy: String,
    #[serde(default)]
    pub(crate) build: Vec<String>,
    pub(crate) command: Vec<String>,
    pub(crate) programs: Vec<String>,
    pub(crate) packages: Vec<String>,
    pub(crate) tried: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Languages {
    language: Vec<Language>,
}

/// All languages, those that are used most first.
pub(crate) fn languages() -> &'static [Language] {
    static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
        let text = std::str::from_utf8(file("kits.toml").expect("it is there").bytes);
        let languages: Languages =
            toml::from_str(text.expect("it is text")).expect("a test reads it");
        languages.language
    });
    &LANGUAGES
}

/// A file of a bot that is to be made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NewFile {
    /// Below the folder of the bot.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) executable: bool,
}

/// The files of the kit for a game in a language, for a bot of this name; none if there is no such kit.
pub(crate) fn kit(game: &str, language: &Language, bot: &str) -> Option<Vec<NewFile>> {
    let folder = format!("{game}/{}/", language.name);
    let of_kit = FILES.iter().filter_map(|file| Some((file.path.strip_prefix(&folder)?, file)));
    let mut files: Vec<NewFile> = of_kit
        .map(|(path, file)| NewFile {
            // Git would not follow a link to a file of that name.
            path: if path == "gitignore" { ".gitignore" } else { path }.to_owned(),
            bytes: if path.ends_with(&language.strategy) {
                named(file.bytes, "\"mybot\"", bot)
            } else {
                file.bytes.to_vec()
            },
            executable: file.executable,
        })
        .collect();
    if files.is_empty() {
        return None;
    }
    let parts = [format!("{game}/README.md"), format!("languages/{}/README.md", language.name)];
    let parts = parts.iter().filter_map(|path| file(path)).map(|file| file.bytes);
    let bytes = named(&parts.collect::<Vec<_>>().join(&b"\n"[..]), "mybot", bot);
    files.push(NewFile { path: "README.md".to_owned(), bytes, executable: false });
    Some(files)
}

/// The languages in which there is a kit for a game.
pub(crate) fn languages_of(game: &str) -> impl Iterator<Item = &'static Language> {
    let game = game.to_owned();
    languages().iter().filter(move |language| {
        let folder = format!("{game}/{}/", language.name);
        FILES.iter().any(|file| file.path.starts_with(&folder))
    })
}

fn file(path: &str) -> Option<&'static KitFile> {
    FILES.iter().find(|file| file.path == path)
}

/// A text with the name of the bot in the place of the kit's, where that is a plain word in every language.
fn named(text: &[u8], kit: &str, bot: &str) -> Vec<u8> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    match std::str::from_utf8(text) {
        Ok(text) if bot.chars().all(plain) => {
            text.replace(kit, &kit.replace("mybot", bot)).into_bytes()
        }
        Ok(_) | Err(_) => text.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Manifest {
        game: String,
        command: Vec<String>,
        #[serde(default)]
        build: Vec<String>,
    }

    #[test]
    fn there_is_a_whole_kit_for_every_game_in_every_language() {
        for language in languages() {
            for game in games::GAMES.iter().map(|game| game.card().id) {
                let files = kit(game, language, "lucky");
                let files = files.unwrap_or_else(|| panic!("{game} in {}", language.name));
                let text = |path: &str| {
                    let file = files.iter().find(|file| file.path == path);
                    let file =
                        file.unwrap_or_else(|| panic!("{game} in {}: {path}", language.name));
                    String::from_utf8(file.bytes.clone()).expect("it is text")
                };
                let manifest: Manifest = toml::from_str(&text("bot.toml")).expect("a manifest");
                assert_eq!(manifest.game, game, "{}", language.name);
                assert_eq!(manifest.command, language.command, "{game} in {}", language.name);
                assert_eq!(manifest.build, language.build, "{game} in {}", language.name);
                assert!(text("README.md").contains(&language.strategy), "{}", language.name);
                assert!(text("README.md").contains(&format!("lanista play {game}")), "{game}");
                assert!(text(&language.strategy).lines().count() < 100, "{game}");
                assert!(!text(&language.strategy).contains("mybot"), "it has the bot's name");
                let check = files.iter().find(|file| file.path == "check").expect("it is there");
                assert!(check.executable);
                assert!(!text(".gitignore").is_empty());
            }
        }
    }

    #[test]
    fn a_name_that_would_need_quoting_is_not_put_into_a_program() {
        assert_eq!(named(b"name(\"mybot\")", "mybot", "lucky-2"), b"name(\"lucky-2\")");
        assert_eq!(named(b"name(\"mybot\")", "mybot", "a\"b"), b"name(\"mybot\")");
    }
}
