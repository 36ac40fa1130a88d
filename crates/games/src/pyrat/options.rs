//! The options that a bot declares, and what its manifest may set them to.

use std::fmt;

use game::quote;

/// An option as a bot declared it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) kind: OptionKind,
}

/// What an option takes. Defaults are as the bot wrote them: they are its own business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OptionKind {
    /// Yes or no.
    Check { default: Option<String> },
    /// A whole number; a limit that is missing does not hold.
    Spin { default: Option<String>, min: Option<i64>, max: Option<i64> },
    /// One of these.
    Combo { default: Option<String>, choices: Vec<String> },
    /// Any text.
    Text { default: Option<String> },
    /// Something to press.
    Button,
}

/// What to tell a bot about one of its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) name: String,
    /// `None` presses a button.
    pub(super) value: Option<String>,
}

/// Checks what a manifest wants against what the bot declared. The settings are in the order
/// of the manifest; an error names the option and what it takes.
pub(super) fn settings(
    declared: &[Declared],
    wanted: &[(String, String)],
) -> Result<Vec<Setting>, String> {
    let mut settings = Vec::new();
    for (name, value) in wanted {
        let found = declared.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        let Some(option) = found else {
            return Err(no_such_option(declared, name));
        };
        match option.kind.value(value) {
            Ok(Press::Value(value)) => {
                settings.push(Setting { name: option.name.clone(), value: Some(value) });
            }
            Ok(Press::Pressed) => {
                settings.push(Setting { name: option.name.clone(), value: None });
            }
            Ok(Press::Left) => {}
            Err(()) => {
                let (name, value) = (&option.name, quote(value.as_bytes()));
                return Err(format!("option {name} takes {}, not {value}", option.kind));
            }
        }
    }
    Ok(settings)
}

fn no_such_option(declared: &[Declared], name: &str) -> String {
    let name = quote(name.as_bytes());
    let names: Vec<&str> = declared.iter().map(|option| option.name.as_str()).collect();
    match names.is_empty() {
        true => format!("the bot has no option {name}: it declares none"),
        false => format!("the bot has no option {name}; its options are {}", names.join(", ")),
    }
}

/// What becomes of a value.
enum Press {
    Value(String),
    Pressed,
    /// A button that is not pressed.
    Left,
}

impl OptionKind {
    /// The value as the bot should hear it.
    fn value(&self, wanted: &str) -> Result<Press, ()> {
        let wanted = wanted.trim_ascii();
        // A line break would let a manifest speak for the host.
        if wanted.contains(char::is_control) {
            return Err(());
        }
        let value = |text: &str| Ok(Press::Value(text.to_owned()));
        match self {
            OptionKind::Check { .. } => match wanted.to_ascii_lowercase().as_str() {
                word @ ("true" | "false") => value(word),
                _ => Err(()),
            },
            OptionKind::Spin { min, max, .. } => {
                let number: i64 = wanted.parse().map_err(|_| ())?;
                let low = min.is_some_and(|min| number < min);
                let high = max.is_some_and(|max| number > max);
                if low || high { Err(()) } else { value(&number.to_string()) }
            }
            OptionKind::Combo { choices, .. } => {
                let choice = choices.iter().find(|choice| choice.eq_ignore_ascii_case(wanted));
                choice.map_or(Err(()), |choice| value(choice))
            }
            OptionKind::Text { .. } => value(wanted),
            OptionKind::Button => match wanted.to_ascii_lowercase().as_str() {
                "" | "true" => Ok(Press::Pressed),
                "false" => Ok(Press::Left),
                _ => Err(()),
            },
        }
    }

    fn default(&self) -> Option<&str> {
        match self {
            OptionKind::Check { default }
            | OptionKind::Spin { default, .. }
            | OptionKind::Combo { default, .. }
            | OptionKind::Text { default } => default.as_deref(),
            OptionKind::Button => None,
        }
    }
}

/// What values it takes.
impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionKind::Check { .. } => f.write_str("true or false"),
            OptionKind::Spin { min: Some(min), max: Some(max), .. } => write!(f, "{min} to {max}"),
            OptionKind::Spin { min: Some(min), max: None, .. } => {
                write!(f, "a number from {min} on")
            }
            OptionKind::Spin { min: None, max: Some(max), .. } => write!(f, "a number up to {max}"),
            OptionKind::Spin { min: None, max: None, .. } => f.write_str("a whole number"),
            OptionKind::Combo { choices, .. } if choices.is_empty() => {
                f.write_str("nothing at all")
            }
            OptionKind::Combo { choices, .. } => write!(f, "one of {}", choices.join(", ")),
            OptionKind::Text { .. } => f.write_str("a text of one line"),
            OptionKind::Button => f.write_str("no value (true or nothing presses it)"),
        }
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option {}: {}", self.name, self.kind)?;
        match self.kind.default() {
            Some(default) => write!(f, ", usually {default}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Vec<Declared> {
        let declared = |name: &str, kind| Declared { name: name.to_owned(), kind };
        vec![
            declared("Depth", OptionKind::Spin { default: None, min: Some(1), max: Some(10) }),
            declared(
                "Play Style",
                OptionKind::Combo {
                    default: None,
                    choices: vec!["Wild".into(), "Very Calm".into()],
                },
            ),
            declared("Log", OptionKind::Check { default: Some("false".into()) }),
            declared("Book", OptionKind::Text { default: None }),
            declared("Clear", OptionKind::Button),
        ]
    }

    fn set(name: &str, value: &str) -> Result<Vec<Setting>, String> {
        settings(&options(), &[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn sound_values_are_told_as_the_bot_spells_them() {
        for (name, value, told_name, told) in [
            ("Depth", "10", "Depth", "10"),
            ("depth", " 1 ", "Depth", "1"),
            ("play style", "very calm", "Play Style", "Very Calm"),
            ("Log", "TRUE", "Log", "true"),
            ("Book", "my openings.txt", "Book", "my openings.txt"),
            ("Book", "", "Book", ""),
        ] {
            let told = Setting { name: told_name.to_owned(), value: Some(told.to_owned()) };
            assert_eq!(set(name, value), Ok(vec![told]), "{name} = {value}");
        }
    }

    #[test]
    fn buttons_are_pressed_without_a_value() {
        let pressed = Setting { name: "Clear".into(), value: None };
        assert_eq!(set("Clear", ""), Ok(vec![pressed.clone()]));
        assert_eq!(set("Clear", "true"), Ok(vec![pressed]));
        assert_eq!(set("Clear", "false"), Ok(vec![]));
    }

    #[test]
    fn wrong_values_are_refused_with_the_right_ones() {
        for (name, value, why) in [
            ("Depth", "11", "option Depth takes 1 to 10, not \"11\""),
            ("Depth", "deep", "option Depth takes 1 to 10, not \"deep\""),
            ("Play Style", "Calm", "option Play Style takes one of Wild, Very Calm, not \"Calm\""),
            ("Log", "yes", "option Log takes true or false, not \"yes\""),
            ("Book", "a\nmove UP", "option Book takes a text of one line, not \"a\\nmove UP\""),
            ("Clear", "3", "option Clear takes no value (true or nothing presses it), not \"3\""),
            (
                "Colour",
                "red",
                "the bot has no option \"Colour\"; its options are Depth, Play Style, Log, Book, \
                 Clear",
            ),
        ] {
            assert_eq!(set(name, value), Err(why.to_owned()));
        }
        let none = settings(&[], &[("A".to_owned(), "1".to_owned())]);
        assert_eq!(none, Err("the bot has no option \"A\": it declares none".to_owned()));
    }
}
