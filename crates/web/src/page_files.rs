//! The files of the page: put into the program, or read from a folder by those who work on them.

use std::collections::hash_map::DefaultHasher;
use std::fs::File;
use std::hash::{Hash as _, Hasher as _};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap};

use crate::refusal::Refusal;
use crate::reply::Reply;

/// The files of the page by their names, in order.
pub static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// No file of the page is longer.
const LONGEST: u64 = 4 << 20;

/// Where the files of the page come from.
#[derive(Clone, Debug)]
pub enum PageFiles {
    /// The program.
    Embedded,
    /// A folder, read anew for every request.
    Folder(PathBuf),
}

impl PageFiles {
    fn read(&self, name: &str) -> Option<Bytes> {
        match self {
            PageFiles::Embedded => {
                let place = FILES.binary_search_by_key(&name, |(name, _)| name).ok()?;
                Some(Bytes::from_static(FILES[place].1))
            }
            PageFiles::Folder(folder) => {
                let name = Path::new(name);
                let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
                let file = name.components().all(plain).then(|| File::open(folder.join(name)))?;
                let mut bytes = Vec::new();
                file.ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
                Some(bytes.into())
            }
        }
    }

    /// A file as a reply; an empty one if the browser has it already.
    pub(crate) fn reply(&self, name: &str, request: &HeaderMap) -> Result<Reply, Refusal> {
        let known = self.read(name).and_then(|bytes| Some((bytes, kind(name)?)));
        let (bytes, kind) = known.ok_or_else(|| {
            Refusal::absent(format!("the page has no file \"{name}\"; begin at its address"))
        })?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let tag = format!("\"{:016x}\"", hasher.finish());
        let same = request.get(header::IF_NONE_MATCH).is_some_and(|known| known == tag.as_str());
        let reply = match same {
            true => Reply::new(kind, Bytes::new()).status(StatusCode::NOT_MODIFIED),
            false => Reply::new(kind, bytes),
        };
        Ok(reply.header(header::ETAG, &tag).kept())
    }
}

/// What a file is, by the end of its name.
fn kind(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_files_of_the_page_and_nowhere_else() {
        let request = HeaderMap::new();
        let folder = PageFiles::Folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("page"));
        for files in [PageFiles::Embedded, folder] {
            assert!(files.reply("index.html", &request).is_ok());
            for name in [
                "",
                ".",
                "..",
                "../Cargo.toml",
                "/etc/passwd",
                "index.html\0",
                "index.html/",
                "x.html",
            ] {
                assert!(files.reply(name, &request).is_err(), "{files:?} {name}");
            }
        }
    }

    #[test]
    fn what_a_browser_has_is_not_sent_again() {
        let files = PageFiles::Embedded;
        let first = files.reply("index.html", &HeaderMap::new()).expect("it is there");
        let first = first.finish(None, None);
        let mut again = HeaderMap::new();
        again.insert(header::IF_NONE_MATCH, first.headers()[header::ETAG].clone());
        let second = files.reply("index.html", &again).expect("it is there").finish(None, None);
        assert_eq!((first.status(), second.status()), (StatusCode::OK, StatusCode::NOT_MODIFIED));
        assert_eq!(first.headers()[header::CACHE_CONTROL], "no-cache");
    }
}
