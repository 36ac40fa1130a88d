//! Helpers for the wording of messages: counts, lists, widths.

pub(crate) use game::count;
use table::picture::width;

/// So many players, fewest and most.
pub(crate) fn players((least, most): (u16, u16)) -> String {
    match least == most {
        true => count(least.into(), "player"),
        false => format!("{least} to {most} players"),
    }
}

/// Text in lines that fit, each after the first so many blanks from the left. The first begins as
/// it is.
pub(crate) fn wrapped(text: &str, indent: usize, columns: usize) -> String {
    let mut lines = vec![String::new()];
    let begins = text.len() - text.trim_start().len();
    lines[0].push_str(&text[..begins]);
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        let blank = line.trim().is_empty();
        if !blank && width(line) + 1 + width(word) > columns {
            lines.push(format!("{:indent$}{word}", ""));
        } else if blank {
            line.push_str(word);
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// A title and what it is about, which goes on below its beginning.
pub(crate) fn titled(title: &str, about: &str, columns: usize) -> String {
    let indent = title.chars().count();
    // Wrapping takes single blanks for granted; those of the title are for its looks.
    let text = wrapped(&format!("{}{about}", "x".repeat(indent)), indent, columns);
    title.to_owned() + &text[indent..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_go_on_below_their_beginning() {
        assert_eq!(players((2, 2)), "2 players");
        assert_eq!(players((1, 1000)), "1 to 1000 players");
        assert_eq!(wrapped("  a: one two three", 5, 12), "  a: one two\n     three");
        assert_eq!(wrapped("verylongword another", 2, 5), "verylongword\n  another");
        assert_eq!(wrapped("", 2, 5), "");
    }
}
