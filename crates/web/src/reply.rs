//! What goes back to a browser: status, headers, body. Every reply gets the headers that keep it harmless here.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Bytes, Frame, SizeHint};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode, header};
use serde::Serialize;

use crate::growing::Reader;

/// What is sent after the headers.
pub(crate) enum Body {
    /// All of it.
    Whole(Bytes),
    /// What may still be in the making.
    Growing(Reader),
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Body::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Body::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Body::Growing(reader) => {
                reader.poll_next(context).map(|next| next.map(|part| part.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Body::Whole(bytes) => bytes.is_empty(),
            Body::Growing(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Body::Growing(reader) => {
                reader.rest().map_or(SizeHint::default(), SizeHint::with_exact)
            }
        }
    }
}

/// How long a browser may keep a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Not at all: it is data.
    No,
    /// It may, but has to ask every time whether it is still the same.
    Ask,
}

/// A reply before its common headers are added.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Body,
    pub(crate) keep: Keep,
    headers: HeaderMap,
}

impl Reply {
    /// Some bytes of a kind.
    pub(crate) fn new(kind: &'static str, body: impl Into<Bytes>) -> Reply {
        Reply::of(kind, Body::Whole(body.into()))
    }

    /// A body of a kind.
    pub(crate) fn of(kind: &'static str, body: Body) -> Reply {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        Reply { status: StatusCode::OK, body, keep: Keep::No, headers }
    }

    /// A value as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Reply {
        let bytes = serde_json::to_vec(value).unwrap_or_else(|_| b"null".to_vec());
        Reply::new("application/json", bytes)
    }

    /// The same with another status.
    pub(crate) fn status(mut self, status: StatusCode) -> Reply {
        self.status = status;
        self
    }

    /// The same with another header. What no header can hold is left out.
    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Reply {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// The same; a browser may keep it and asks whether it has changed.
    pub(crate) fn kept(mut self) -> Reply {
        self.keep = Keep::Ask;
        self
    }

    /// The whole response. `host` is what the browser calls this server, once that has been checked; `nonce` is
    /// that of a style inside the page.
    pub(crate) fn finish(self, host: Option<&str>, nonce: Option<&str>) -> Response<Body> {
        let Reply { status, body, keep, mut headers } = self;
        let mut set = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.entry(name).or_insert(value);
            }
        };
        set(header::CONTENT_SECURITY_POLICY, &policy(host, nonce));
        set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        set(header::REFERRER_POLICY, "no-referrer");
        set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
        set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
        let keep = match keep {
            Keep::No => "no-store",
            Keep::Ask => "no-cache",
        };
        set(header::CACHE_CONTROL, keep);
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }
}

/// What a page of ours may do: load its own files, draw pictures it has made, ask this server. No markup is ever made
/// from text (`trusted-types`), nobody frames it, nothing leaves.
fn policy(host: Option<&str>, nonce: Option<&str>) -> String {
    let socket = host.map_or(String::new(), |host| format!(" ws://{host}"));
    let style = nonce.map_or("'self'".to_owned(), |nonce| format!("'nonce-{nonce}'"));
    format!(
        "default-src 'none'; script-src 'self'; style-src {style}; img-src 'self' data: blob:; \
         font-src 'self'; connect-src 'self'{socket}; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}
