//! Results that were played elsewhere, read from text: CSV, headers in the manner of PGN, and the
//! JSON lines of this program. Only who met whom and how it ended is taken.

use serde::Deserialize;
use thiserror::Error;

/// One result, or several that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignResult {
    /// Who played, by seat.
    pub names: Vec<String>,
    /// Their ranks, from 1.
    pub ranks: Vec<u16>,
    /// How many games.
    pub count: u64,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The results, in their order.
    pub results: Vec<ForeignResult>,
    /// Games that were not finished, or void.
    pub unfinished: u64,
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct ImportError {
    /// Where, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// Which kind of text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    /// A line of titles, then a line a result.
    Csv,
    /// `[White "name"]` and so on.
    Pgn,
    /// A JSON object a line, as `play --json` and `results --json` print them.
    Json,
}

impl ImportFormat {
    /// What a text is, by how it begins.
    pub fn of(text: &str) -> ImportFormat {
        match text.trim_start_matches('\u{feff}').trim_start().chars().next() {
            Some('{') => ImportFormat::Json,
            Some('[') => ImportFormat::Pgn,
            Some(_) | None => ImportFormat::Csv,
        }
    }
}

/// Reads the results in a text.
pub fn import(text: &str) -> Result<Imported, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    match ImportFormat::of(text) {
        ImportFormat::Csv => csv(text),
        ImportFormat::Pgn => pgn(text),
        ImportFormat::Json => json(text),
    }
}

fn wrong(line: usize, what: impl Into<String>) -> ImportError {
    ImportError { line, what: what.into() }
}

/// More games in one line than this are a mistake.
const MOST: u64 = 1_000_000_000;
/// More players in one game than this, too.
const MOST_SEATS: usize = 64;

/// The ranks of two from what is written for their result; none if it is not finished.
fn ranks_of_two(text: &str) -> Option<Option<[u16; 2]>> {
    Some(match text.trim() {
        "1-0" | "1" | "1.0" => Some([1, 2]),
        "0-1" | "0" | "0.0" => Some([2, 1]),
        "1/2-1/2" | "0.5-0.5" | "½-½" | "1/2" | "0.5" | "½" => Some([1, 1]),
        "*" | "" => None,
        _ => return None,
    })
}

const RESULTS: &str = "1-0, 0-1, 1/2-1/2 or * for one that is not finished";

fn two(
    into: &mut Imported,
    line: usize,
    names: [&str; 2],
    result: &str,
    count: u64,
) -> Result<(), ImportError> {
    let ranks = ranks_of_two(result);
    let ranks = ranks
        .ok_or_else(|| wrong(line, format!("\"{}\" is not a result: {RESULTS}", shown(result))))?;
    match ranks {
        None => into.unfinished += count,
        Some(ranks) => {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            into.results
                .push(checked(line, ForeignResult { names, ranks: ranks.to_vec(), count })?);
        }
    }
    Ok(())
}

fn checked(line: usize, result: ForeignResult) -> Result<ForeignResult, ImportError> {
    let names = &result.names;
    if names.iter().any(|name| name.is_empty()) {
        return Err(wrong(line, "a player has no name"));
    }
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return Err(wrong(line, format!("\"{}\" plays against itself", shown(name))));
        }
    }
    Ok(result)
}

fn shown(text: &str) -> String {
    game::printable(text.as_bytes(), 60)
}

// ---- CSV ----

/// Where things are in a line.
struct Titles {
    names: Vec<usize>,
    how: ResultColumns,
    count: Option<usize>,
}

enum ResultColumns {
    Result(usize),
    Ranks(Vec<usize>),
}

impl Titles {
    fn read(fields: &[String]) -> Result<Titles, ImportError> {
        let titles: Vec<String> = fields.iter().map(|title| title.trim().to_lowercase()).collect();
        let find =
            |names: &[&str]| titles.iter().position(|title| names.iter().any(|name| title == name));
        let numbered = |word: &str| -> Vec<usize> {
            (1..=MOST_SEATS).map_while(|seat| find(&[&format!("{word}{seat}")])).collect()
        };
        let count = find(&["games", "count"]);
        let two = [find(&["first", "white", "name1"]), find(&["second", "black", "name2"])];
        if let ([Some(first), Some(second)], Some(result)) = (two, find(&["result"])) {
            return Ok(Titles {
                names: vec![first, second],
                how: ResultColumns::Result(result),
                count,
            });
        }
        let (names, ranks) = (numbered("name"), numbered("rank"));
        match names.len() > 1 && names.len() == ranks.len() {
            true => Ok(Titles { names, how: ResultColumns::Ranks(ranks), count }),
            false => Err(wrong(
                1,
                "the first line names the columns: first,second,result or name1,name2,…,rank1,rank2,…",
            )),
        }
    }
}

fn csv(text: &str) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    let mut titles = None;
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fields = fields(line).ok_or_else(|| wrong(number, "a quotation mark is missing"))?;
        let Some(titles) = &titles else {
            titles = Some(Titles::read(&fields).map_err(|error| wrong(number, error.what))?);
            continue;
        };
        let field = |at: usize| {
            let field = fields.get(at).map(|field| field.trim());
            field.ok_or_else(|| wrong(number, "the line has too few columns"))
        };
        let count = match titles.count {
            None => 1,
            Some(at) => match field(at)?.parse() {
                Ok(count) if count <= MOST => count,
                Ok(_) | Err(_) => {
                    let what = format!("\"{}\" is not a number of games", shown(field(at)?));
                    return Err(wrong(number, what));
                }
            },
        };
        let names = titles.names.iter().map(|at| field(*at)).collect::<Result<Vec<_>, _>>()?;
        match &titles.how {
            ResultColumns::Result(at) => {
                two(&mut imported, number, [names[0], names[1]], field(*at)?, count)?;
            }
            ResultColumns::Ranks(at) => {
                // A game with fewer players leaves the last columns empty.
                let seats = names.iter().take_while(|name| !name.is_empty()).count();
                let rank = |at: &usize| match field(*at)?.parse() {
                    Ok(rank @ 1..) => Ok(rank),
                    Ok(0) | Err(_) => Err(wrong(
                        number,
                        format!("\"{}\" is not a rank: they count from 1", shown(field(*at)?)),
                    )),
                };
                let ranks = at.iter().take(seats).map(rank).collect::<Result<Vec<u16>, _>>()?;
                if seats < 2 {
                    return Err(wrong(number, "a game has two players or more"));
                }
                let names = names[..seats].iter().map(|name| (*name).to_owned()).collect();
                imported.results.push(checked(number, ForeignResult { names, ranks, count })?);
            }
        }
    }
    Ok(imported)
}

/// The fields of a line; none if a quotation mark is open at its end.
fn fields(line: &str) -> Option<Vec<String>> {
    // Spreadsheets use what does not occur in their country's numbers.
    let between = if line.contains(';') && !line.contains(',') { ';' } else { ',' };
    let mut fields = Vec::new();
    let mut letters = line.trim_end_matches('\r').chars().peekable();
    loop {
        let mut field = String::new();
        if letters.peek() == Some(&'"') {
            letters.next();
            loop {
                match letters.next()? {
                    '"' if letters.peek() == Some(&'"') => {
                        letters.next();
                        field.push('"');
                    }
                    '"' => break,
                    letter => field.push(letter),
                }
            }
        }
        let mut ended = true;
        for letter in letters.by_ref() {
            if letter == between {
                ended = false;
                break;
            }
            field.push(letter);
        }
        fields.push(field);
        if ended {
            return Some(fields);
        }
    }
}

// ---- PGN ----

#[derive(Default)]
struct Tags {
    first: Option<String>,
    second: Option<String>,
    result: Option<String>,
    /// The line of the first of them.
    line: usize,
}

impl Tags {
    fn finish(self, imported: &mut Imported) -> Result<(), ImportError> {
        match self {
            Tags { first: None, second: None, result: None, .. } => Ok(()),
            Tags { first: Some(first), second: Some(second), result: Some(result), line } => {
                two(imported, line, [&first, &second], &result, 1)
            }
            Tags { line, .. } => Err(wrong(line, "a game needs the tags White, Black and Result")),
        }
    }
}

/// Moves are passed over: a line that is no tag says nothing here.
fn pgn(text: &str) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    let mut tags = Tags::default();
    let mut in_tags = false;
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line.trim())) {
        let tag = line.strip_prefix('[').and_then(|rest| rest.split_once(' '));
        let value = tag.and_then(|(_, rest)| {
            let value = rest.trim().strip_prefix('"')?.strip_suffix(']')?.trim_end();
            value.strip_suffix('"')
        });
        let (Some((name, _)), Some(value)) = (tag, value) else {
            in_tags = false;
            continue;
        };
        if !in_tags {
            std::mem::take(&mut tags).finish(&mut imported)?;
            tags.line = number;
            in_tags = true;
        }
        let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
        match name {
            "White" => tags.first = Some(value),
            "Black" => tags.second = Some(value),
            "Result" => tags.result = Some(value),
            _ => {}
        }
    }
    tags.finish(&mut imported)?;
    Ok(imported)
}

// ---- JSON ----

/// What is needed of a report.
#[derive(Deserialize)]
struct ReportLine {
    outcome: game::Verdict,
    players: Vec<ReportPlayer>,
}

#[derive(Deserialize)]
struct ReportPlayer {
    name: String,
    rank: u16,
}

fn json(text: &str) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        if line.trim().is_empty() {
            continue;
        }
        let line: ReportLine = serde_json::from_str(line)
            .map_err(|_| wrong(number, "it is not a result as `lanista play --json` prints it"))?;
        match line.outcome {
            game::Verdict::Void => imported.unfinished += 1,
            game::Verdict::Win | game::Verdict::Draw => {
                let ranks: Vec<u16> = line.players.iter().map(|player| player.rank).collect();
                if ranks.len() < 2 || ranks.len() > MOST_SEATS || ranks.contains(&0) {
                    return Err(wrong(number, "a game has two players or more, with ranks from 1"));
                }
                let names = line.players.into_iter().map(|player| player.name).collect();
                imported.results.push(checked(number, ForeignResult { names, ranks, count: 1 })?);
            }
        }
    }
    Ok(imported)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(names: &[&str], ranks: &[u16], count: u64) -> ForeignResult {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        ForeignResult { names, ranks: ranks.to_vec(), count }
    }

    #[test]
    fn tables_of_two_say_who_was_first_and_how_it_ended() {
        let text = "First, second,RESULT,games,where\n\
            a,b,1-0,1,x\n\"a, \"\"the\"\" bot\",b,0.5,30,\n\n# a remark\na,c,*,2,\nc,a,0-1,1,\n";
        let imported = import(text).expect("it can be read");
        assert_eq!(
            imported.results,
            [
                result(&["a", "b"], &[1, 2], 1),
                result(&["a, \"the\" bot", "b"], &[1, 1], 30),
                result(&["c", "a"], &[2, 1], 1),
            ]
        );
        assert_eq!(imported.unfinished, 2);
        assert_eq!(
            import("white;black;result\r\na;b;1/2-1/2\r\n").expect("it can be read").results,
            [result(&["a", "b"], &[1, 1], 1)]
        );
    }

    #[test]
    fn tables_of_more_have_a_rank_for_everybody() {
        let text = "name1,name2,name3,rank1,rank2,rank3\na,b,c,2,1,2\nb,c,,1,2,\n";
        assert_eq!(
            import(text).expect("it can be read").results,
            [result(&["a", "b", "c"], &[2, 1, 2], 1), result(&["b", "c"], &[1, 2], 1)]
        );
    }

    #[test]
    fn headers_of_games_are_read_and_moves_passed_over() {
        let text = "[Event \"x\"]\n[White \"a\"]\n[Black \"b \\\"two\\\"\"]\n[Result \"1-0\"]\n\n1. e4 e5 {[a comment} 1-0\n\n\
            [White \"b\"]\n[Black \"a\"]\n[Result \"*\"]\n\n*\n\n[White \"b\"]\n[Black \"a\"]\n[Result \"1/2-1/2\"]\n";
        let imported = import(text).expect("it can be read");
        assert_eq!(
            imported.results,
            [result(&["a", "b \"two\""], &[1, 2], 1), result(&["b", "a"], &[1, 1], 1)]
        );
        assert_eq!(imported.unfinished, 1);
    }

    #[test]
    fn lines_of_this_program_are_read() {
        let line = |outcome: &str, ranks: [u16; 2]| {
            format!(
                "{{\"v\":1,\"outcome\":\"{outcome}\",\"players\":[{{\"name\":\"a\",\"rank\":{}}},{{\"name\":\"b\",\"rank\":{}}}]}}\n",
                ranks[0], ranks[1]
            )
        };
        let text = line("win", [2, 1]) + &line("void", [0, 0]) + &line("draw", [1, 1]);
        let imported = import(&text).expect("it can be read");
        assert_eq!(
            imported.results,
            [result(&["a", "b"], &[2, 1], 1), result(&["a", "b"], &[1, 1], 1)]
        );
        assert_eq!(imported.unfinished, 1);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, words) in [
            ("a,b\n", 1, "first,second,result"),
            ("first,second,result\na,b,2-0\n", 2, "\"2-0\" is not a result"),
            ("first,second,result\na,a,1-0\n", 2, "plays against itself"),
            ("first,second,result\n,a,1-0\n", 2, "no name"),
            ("first,second,result\n\"a,b,1-0\n", 2, "quotation mark"),
            ("first,second,result\na,b\n", 2, "too few columns"),
            ("first,second,result,games\na,b,1-0,-3\n", 2, "not a number of games"),
            ("name1,name2,rank1,rank2\na,b,0,1\n", 2, "is not a rank"),
            ("[White \"a\"]\n[Result \"1-0\"]\n", 1, "White, Black and Result"),
            ("{\"v\":1}\n", 1, "not a result"),
        ] {
            let error = import(text).expect_err(text);
            assert_eq!(error.line, line, "{text}");
            assert!(error.what.contains(words), "{text}: {error}");
        }
    }
}
