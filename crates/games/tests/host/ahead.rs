//! Bots that leave at the end of a game: the next game's processes are there before it begins.

use std::path::PathBuf;

use game::{Afterwards, Seed};
use games::jedna::Jedna;
use host::{BotSpec, Job, Placement, Run};
use serde_json::{Map, Value};
use table::{
    AnyGame as _, Contestant, Entrant, Erased, Hosted as _, Occasion, Recording, Terms, TurnOrder,
};

const GAMES: usize = 5;

/// Draws and passes, slowly enough for others to be started meanwhile, and keeps a diary.
const BOT: &str = r#"
echo start >> "$DIARY"
while read -r line; do
  case $line in
    *'"type":"game_end"'*) echo end >> "$DIARY"; exit 0 ;;
    *'"draw"]'*) sleep 0.02; echo '{"action":"draw"}' ;;
    *'"pass"]'*) sleep 0.02; echo '{"action":"pass"}' ;;
  esac
done
"#;

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("lanista-ahead-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        std::fs::write(path.join("bot.sh"), BOT).expect("a file can be written");
        let manifest = format!(
            "name = \"leaver\"\ngame = \"jedna\"\ncommand = [\"sh\", \"bot.sh\"]\n\
             reuse = \"never\"\nenv = {{ DIARY = \"{}\" }}\n",
            path.join("diary").display()
        );
        std::fs::write(path.join("bot.toml"), manifest).expect("a file can be written");
        Folder(path)
    }

    fn diary(&self) -> String {
        std::fs::read_to_string(self.0.join("diary")).expect("the bots have written")
    }

    /// Living processes of this test's bots.
    fn processes(&self) -> usize {
        let mine = format!("DIARY={}", self.0.join("diary").display());
        let all = std::fs::read_dir("/proc").expect("this is Linux").flatten();
        let environments = all.filter_map(|it| std::fs::read(it.path().join("environ")).ok());
        environments
            .filter(|bytes| bytes.split(|&byte| byte == 0).any(|one| one == mine.as_bytes()))
            .count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn job(index: usize) -> Job {
    let entrant = |seat| {
        Entrant::new(format!("leaver {seat}"), Contestant::Program { then: Afterwards::Leave })
    };
    let terms = Terms {
        id: index.to_string(),
        seed: Seed(index as u64),
        entrants: (0..2).map(entrant).collect(),
        clock: Jedna::card().clock,
        adjudication: table::Adjudication::NONE,
        occasion: Occasion::SingleMatch,
        recording: Recording::Off,
    };
    let setup = Map::from_iter([("max_turns".to_owned(), Value::from(4))]);
    let table = Box::new(move || Erased::<Jedna>::new().table(&setup, terms.clone()));
    Job { index: index as u64, bots: vec![0, 0], turn_order: TurnOrder::Alternating, table }
}

#[test]
fn the_next_games_processes_are_started_while_this_one_is_played() {
    let folder = Folder::new();
    let run = Run {
        roster: vec![BotSpec::parse(&folder.0.display().to_string(), &folder.0).expect("a bot")],
        concurrency: 1,
        placement: Placement::Auto,
        exe: None,
        scratch: None,
        pondering: host::Pondering::Stopped,
        cage: host::CageTerms::none(),
        live: None,
        people: None,
    };
    let mut finished = 0;
    run.play((0..GAMES).map(job), None, |game| {
        let (report, _) = game.result.expect("the set-up is sound");
        assert!(report.players.iter().all(|player| player.faults.is_empty()), "{report:?}");
        finished += 1;
        std::ops::ControlFlow::Continue(())
    })
    .expect("the machine lets processes be started");
    assert_eq!(finished, GAMES);
    assert_eq!(folder.processes(), 0, "nothing is left behind");

    let diary = folder.diary();
    let starts = diary.lines().filter(|line| *line == "start").count();
    assert_eq!(starts, 2 * GAMES, "every game has two processes, and none is started in vain");
    if host::cores().len() < 2 {
        // Without a core to spare nothing is started ahead.
        return;
    }
    let first_end = diary.lines().position(|line| line == "end").expect("somebody saw the end");
    assert!(first_end >= 4, "the second game's processes are there in the first: {diary}");
}
