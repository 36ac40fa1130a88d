//! Why something was not done: as JSON for the page's modules, as a page for a person.

use hyper::{Response, StatusCode};

use crate::reply::{Body, Reply};
use crate::secret::Secret;

/// Why something was not done, and with which status that is said.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// What, why, what next.
    pub(crate) why: String,
}

/// How a refusal is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusalFormat {
    Json,
    Page,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, why: impl Into<String>) -> Refusal {
        Refusal { status, why: why.into() }
    }

    /// There is no such thing.
    pub(crate) fn absent(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, why)
    }

    /// The question makes no sense.
    pub(crate) fn wrong(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, why)
    }

    /// It is there, and something is wrong with it.
    pub(crate) fn failed(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why)
    }

    /// The whole response.
    pub(crate) fn finish(self, form: RefusalFormat, host: Option<&str>) -> Response<Body> {
        // The page has a style of its own, which nothing but this page may use.
        let nonce = match form {
            RefusalFormat::Page => Secret::new().ok().map(|secret| secret.words()),
            RefusalFormat::Json => None,
        };
        let reply = match form {
            RefusalFormat::Json => Reply::json(&serde_json::json!({ "error": self.why })),
            RefusalFormat::Page => {
                let page = page(self.status, &self.why, nonce.as_deref().unwrap_or_default());
                Reply::new("text/html; charset=utf-8", page)
            }
        };
        reply.status(self.status).finish(host, nonce.as_deref())
    }
}

fn page(status: StatusCode, why: &str, nonce: &str) -> String {
    let title = status.canonical_reason().unwrap_or("Error");
    let why = escaped(why);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} – lanista</title>\
         <style nonce=\"{nonce}\">:root{{color-scheme:light dark}}body{{font:1rem/1.5 system-ui,sans-serif;\
         max-width:40rem;margin:15vh auto;padding:0 1rem;overflow-wrap:anywhere}}\
         h1{{font-size:1.4rem}}</style></head>\
         <body><main><h1>{title}</h1><p>{why}</p></main></body></html>\n"
    )
}

/// Text as a part of a page, whatever is in it.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in game::text::lines(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            plain => safe.push(plain),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_only_text_on_its_page() {
        let page = page(StatusCode::NOT_FOUND, "<script>alert('1')</script>\u{202e}&\"", "n");
        assert!(!page.contains("<script>") && !page.contains('\u{202e}'), "{page}");
        assert!(page.contains("&lt;script&gt;alert(&#39;1&#39;)"), "{page}");
    }
}
