//! A film that grows while it is watched: made once, read by any number of browsers, each at its own pace.

use std::sync::{Arc, Mutex};

use crate::site::locked;

/// So many bytes of a film are taken at a time.
const PART: usize = 64 << 10;

/// A film of a game that is being played.
#[derive(Default)]
pub(crate) struct LiveFilm(Mutex<FilmLines>);

#[derive(Default)]
struct FilmLines {
    head: Option<Arc<str>>,
    /// How many heads there have been: a bot may describe itself when the film has begun.
    heads: u64,
    /// A line a step, and the last line.
    steps: Vec<Arc<str>>,
    end: Option<FilmEnd>,
}

/// Why a film does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FilmEnd {
    /// The game is over, and the film is whole.
    Over,
    /// The match is played anew, as another game.
    Again,
    /// The game is over or its program has ended, and the rest was not seen.
    Gone,
    /// For another reason, in words.
    Failed(String),
}

/// A line of a film: 0 is the head, `n` is step `n`.
pub(crate) type NumberedLine = (usize, Arc<str>);

impl LiveFilm {
    pub(super) fn set_head(&self, head: String) {
        let mut lines = locked(&self.0);
        lines.head = Some(head.into());
        lines.heads += 1;
    }

    pub(super) fn add(&self, steps: Vec<String>) {
        locked(&self.0).steps.extend(steps.into_iter().map(Arc::from));
    }

    /// Ends it, unless it has ended.
    pub(super) fn end(&self, end: FilmEnd) {
        locked(&self.0).end.get_or_insert(end);
    }
}

/// How far somebody has read a film.
pub(crate) struct FilmPosition {
    film: Arc<LiveFilm>,
    heads: u64,
    next: usize,
    ended: bool,
}

/// What somebody reads next.
#[derive(Default)]
pub(crate) struct NextLines {
    pub(crate) lines: Vec<NumberedLine>,
    /// After these lines nothing more comes.
    pub(crate) end: Option<FilmEnd>,
    /// There is more already.
    pub(crate) more: bool,
}

impl FilmPosition {
    /// Reads a film after so many steps, which the reader has.
    pub(crate) fn new(film: Arc<LiveFilm>, from: usize) -> FilmPosition {
        FilmPosition { film, heads: 0, next: from, ended: false }
    }

    /// What is new, or a part of it.
    pub(crate) fn read(&mut self) -> NextLines {
        let mut read = NextLines::default();
        let film = locked(&self.film.0);
        let Some(head) = &film.head else {
            read.end = film.end.clone().filter(|_| !self.ended);
            self.ended = film.end.is_some();
            return read;
        };
        if film.heads != self.heads {
            self.heads = film.heads;
            read.lines.push((0, head.clone()));
        }
        let mut bytes = 0;
        for line in film.steps.iter().skip(self.next) {
            if bytes >= PART {
                break;
            }
            self.next += 1;
            bytes += line.len();
            read.lines.push((self.next, line.clone()));
        }
        read.more = self.next < film.steps.len();
        if !read.more && !self.ended {
            read.end.clone_from(&film.end);
            self.ended = film.end.is_some();
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(read: &NextLines) -> Vec<usize> {
        read.lines.iter().map(|(number, _)| *number).collect()
    }

    #[test]
    fn every_reader_gets_what_it_has_not_and_the_end_once() {
        let film = Arc::new(LiveFilm::default());
        let mut early = FilmPosition::new(film.clone(), 0);
        assert!(early.read().lines.is_empty(), "there is no head yet");
        film.set_head("head".to_owned());
        film.add(vec!["1".to_owned(), "2".to_owned()]);
        assert_eq!(numbers(&early.read()), [0, 1, 2]);
        assert!(early.read().lines.is_empty());
        // Whoever was here before goes on.
        let mut again = FilmPosition::new(film.clone(), 1);
        assert_eq!(numbers(&again.read()), [0, 2]);
        film.set_head("another".to_owned());
        film.add(vec!["3".to_owned()]);
        film.end(FilmEnd::Over);
        film.end(FilmEnd::Gone);
        for reader in [&mut early, &mut again] {
            let read = reader.read();
            assert_eq!((numbers(&read), read.end), (vec![0, 3], Some(FilmEnd::Over)));
            assert_eq!(reader.read().end, None);
        }
    }

    #[test]
    fn a_long_film_comes_in_parts() {
        let film = Arc::new(LiveFilm::default());
        film.set_head("head".to_owned());
        film.add(vec!["x".repeat(PART / 2 + 1); 5]);
        film.end(FilmEnd::Over);
        let mut reader = FilmPosition::new(film, 0);
        let parts: Vec<_> = (0..3).map(|_| reader.read()).collect();
        let counts: Vec<_> = parts.iter().map(|part| part.lines.len()).collect();
        assert_eq!(counts, [3, 2, 1]);
        assert_eq!(parts[1].end, None);
        assert_eq!(
            (parts[1].more, parts[2].more, &parts[2].end),
            (true, false, &Some(FilmEnd::Over))
        );
    }
}
