//! Text in pages.

use game::text;

/// Text as it stands in HTML, between tags or in quotation marks.
pub(crate) fn escaped(text: &str) -> String {
    let text = text::one_line(text);
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_has_no_tags_of_others() {
        assert_eq!(escaped("<b a='\"'>&\x1b"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;\\x1b");
    }
}
