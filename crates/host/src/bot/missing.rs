//! What a bot says about a file that it does not find.

/// The file that is not there, if a text complains of one in the words of the usual languages.
pub(crate) fn missing_file(text: &[u8]) -> Option<String> {
    // In the first pages of it: nobody searches megabytes for this.
    let text = String::from_utf8_lossy(&text[..text.len().min(4096)]);
    text.lines().rev().find_map(|line| {
        for words in ["No such file or directory: ", "Cannot find module "] {
            if let Some((_, after)) = line.split_once(words) {
                return bare(after.split_inclusive(['\'', '"']).nth(1).unwrap_or(after));
            }
        }
        for words in [": No such file or directory", ": not found"] {
            if let Some((before, _)) = line.split_once(words) {
                return bare(before.rsplit(": ").next().unwrap_or(before));
            }
        }
        None
    })
}

/// A name without what surrounds it.
fn bare(name: &str) -> Option<String> {
    let name = name.trim_matches(|sign: char| sign.is_whitespace() || "'\"‘’`".contains(sign));
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::missing_file;

    #[test]
    fn the_file_that_is_missing_is_found_in_what_languages_say() {
        for (text, file) in [
            ("FileNotFoundError: [Errno 2] No such file or directory: 'book/a.txt'", "book/a.txt"),
            ("cat: /etc/book: No such file or directory", "/etc/book"),
            ("/usr/bin/env: ‘pypy’: No such file or directory", "pypy"),
            ("sh: 1: ./engine: not found", "./engine"),
            ("Error: Cannot find module '/home/me/b.js'", "/home/me/b.js"),
        ] {
            assert_eq!(missing_file(text.as_bytes()).as_deref(), Some(file), "{text}");
        }
        assert_eq!(missing_file(b"ModuleNotFoundError: No module named 'numpy'"), None);
    }
}
