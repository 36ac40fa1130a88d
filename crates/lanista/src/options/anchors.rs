//! Ratings that bots are given on the command line: `--anchor NAME=ELO`.

use anyhow::{Context as _, Result, bail};
use league::{ANCHORS, Anchors};

/// Understands `NAME=ELO`, each.
pub(crate) fn read(texts: &[String]) -> Result<Anchors> {
    let one = |text: &String| {
        let (name, elo) = text
            .rsplit_once('=')
            .with_context(|| format!("--anchor is NAME=ELO, not \"{text}\""))?;
        let elo = elo.trim().parse().ok().filter(|elo| ANCHORS.contains(elo));
        let (least, most) = (ANCHORS.start(), ANCHORS.end());
        let elo: f64 = elo.with_context(|| {
            format!("--anchor {text}: a rating is a number within {least} to {most}")
        })?;
        Ok((name.to_owned(), elo))
    };
    texts.iter().map(one).collect()
}

/// Whoever has a given rating has to be there.
pub(crate) fn refuse_strangers<'a>(
    anchors: &Anchors,
    names: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let names: Vec<&str> = names.collect();
    if let Some(name) = anchors.keys().find(|name| !names.contains(&name.as_str())) {
        let near = game::did_you_mean(name, names.iter().copied());
        bail!("--anchor: \"{name}\" is not one of the bots{near}");
    }
    Ok(())
}
