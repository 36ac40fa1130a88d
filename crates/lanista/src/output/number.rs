//! Numbers that may be below zero, for people and for files. What rounds to zero has no sign: `-0`
//! is printed nowhere.

pub(crate) use league::{rounded, unsigned_zero as whole};

/// With so many digits after the point.
pub(crate) fn fixed(number: f64, digits: usize) -> String {
    unsigned_zero(format!("{number:.digits$}"))
}

/// With a sign, `+` as well, and so many digits after the point.
pub(crate) fn signed(number: f64, digits: usize) -> String {
    let text = unsigned_zero(format!("{number:.digits$}"));
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// A probability in percent. It is never certain, however near it is.
pub(crate) fn probability(chance: f64, digits: usize) -> String {
    let least = 0.1_f64.powi(i32::try_from(digits).unwrap_or(i32::MAX));
    let percent = 100.0 * chance;
    if percent >= 100.0 - least / 2.0 {
        format!(">{:.digits$}", 100.0 - least)
    } else if percent <= least / 2.0 {
        format!("<{least:.digits$}")
    } else {
        format!("{percent:.digits$}")
    }
}

/// Half the width of an interval, in whole Elo; with as many more digits as it takes for a small
/// one not to look like none.
pub(crate) fn error(half_width: f64) -> String {
    let digits = match half_width {
        width if width >= 2.0 => 0,
        width if width >= 0.2 => 1,
        _ => 2,
    };
    format!("{half_width:.digits$}")
}

/// Rounding is done by whoever wrote the digits; only then is it known whether they are all 0.
fn unsigned_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_error_does_not_look_like_none() {
        let shown = [314.6, 2.0, 1.96, 0.21, 0.049].map(error);
        assert_eq!(shown, ["315", "2", "2.0", "0.2", "0.05"]);
    }

    #[test]
    fn a_probability_is_never_certain() {
        let shown =
            [0.0, 0.004, 0.005, 0.5, 0.994, 0.996, 1.0].map(|chance| probability(chance, 0));
        assert_eq!(shown, ["<1", "<1", "<1", "50", "99", ">99", ">99"]);
        let shown = [0.0004, 0.0006, 0.9994, 0.99999].map(|chance| probability(chance, 1));
        assert_eq!(shown, ["<0.1", "0.1", "99.9", ">99.9"]);
    }

    #[test]
    fn what_rounds_to_zero_has_no_minus() {
        for trace in [-0.0, -1e-12, -0.004] {
            assert_eq!(fixed(trace, 0), "0");
            assert_eq!(fixed(trace, 2), "0.00");
            assert_eq!(signed(trace, 1), "+0.0");
            assert_eq!(serde_json::json!(rounded(trace, 2)).to_string(), "0.0");
        }
        assert_eq!(serde_json::json!(whole(-0.0)).to_string(), "0.0");
        assert_eq!((fixed(-0.6, 0), signed(-0.06, 1)), ("-1".to_owned(), "-0.1".to_owned()));
        assert_eq!((fixed(12.5, 1), signed(12.5, 1)), ("12.5".to_owned(), "+12.5".to_owned()));
    }
}
