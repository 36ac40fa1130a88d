//! `lanista run --cluster`, `lanista worker` and `lanista cluster`.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use cluster::{
    Coordinator, CoordinatorOptions, LinkOptions, WorkEnd, WorkerOptions, run_statuses, wire, work,
};
use host::LiveGames;
use league::{RemotePlayers, TournamentFile};
use rustix::process::{Pid, Signal};
use serde_json::Value;
use table::picture::cut;

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::cluster::{
    ClusterCommand, ClusterKeyArgs, ClusterStatusArgs, ClusterUpArgs, ServerOptions,
};
use crate::cli::{CageOptions, ClusterArgs, ClusterRunOptions, WorkerArgs};
use crate::options::cage;
use crate::output::text::{count, wrapped};
use crate::output::text_table::{Align, Columns};
use crate::terminal::{note, remark, say};

/// How often is looked whether somebody wants a server to end.
const GLANCE: Duration = Duration::from_millis(100);

fn link(url: &str, server: &ServerOptions) -> LinkOptions {
    let server = server.clone();
    LinkOptions {
        url: url.to_owned(),
        token: server.token_file,
        nkey: server.nkey_file,
        creds: server.creds_file,
        ca: server.tls_ca,
        identity: server.tls_cert.zip(server.tls_key),
    }
}

/// A run that workers play.
pub(crate) struct ClusterRun(Arc<Coordinator>);

impl ClusterRun {
    /// Connects to the server that workers are connected to.
    pub(crate) fn start(
        options: &ClusterRunOptions,
        cage: &CageOptions,
        cup: &TournamentFile,
        dir: &Path,
        catalogue: Catalogue,
        live: Option<Arc<LiveGames>>,
    ) -> Result<ClusterRun> {
        let url = options.cluster.as_deref().unwrap_or_default();
        let options = CoordinatorOptions {
            link: link(url, &options.server),
            name: cup.name.clone(),
            games: catalogue.games(),
            manner: cup.manner,
            terms: cup.cluster,
            lease: Duration::from_secs(options.lease),
            local: options.local.unwrap_or(0).into(),
            least_tier: cage.require_tier.map(Into::into),
            live,
            notes: Arc::new(note),
        };
        remark(&format!(
            "waiting for workers; `lanista worker {}` starts one",
            options.link.shown()
        ));
        Ok(ClusterRun(Arc::new(Coordinator::new(options, dir)?)))
    }

    pub(crate) fn players(&self) -> Arc<dyn RemotePlayers> {
        self.0.clone()
    }

    /// How it goes, in a few words.
    pub(crate) fn line(&self) -> String {
        let status = self.0.status();
        match (status.is_connected, status.workers.len()) {
            (false, _) => "no connection".to_owned(),
            (true, 0) => "waiting for workers".to_owned(),
            (true, workers) => count(workers as u64, "worker"),
        }
    }

    /// Tells workers that all is played.
    pub(crate) fn finish(&self) {
        self.0.finish();
    }
}

pub(crate) fn worker(args: &WorkerArgs, catalogue: Catalogue) -> Result<Exit> {
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    let cache = match &args.cache {
        Some(cache) => cache.clone(),
        None => usual_cache()?,
    };
    std::fs::create_dir_all(&cache)
        .with_context(|| format!("cannot make the folder {}", cache.display()))?;
    let cache = cache.canonicalize().with_context(|| format!("cannot find {}", cache.display()))?;
    let name = match &args.name {
        Some(name) if wire::token(name) == *name => name.clone(),
        Some(name) => bail!("\"{name}\" is no name of a worker: use letters, digits, - and _"),
        None => usual_name(),
    };
    let cores = host::cores().len();
    host::catch_interrupts();
    let is_quiet = args.quiet;
    let slots = args.concurrency.map_or(cores, usize::from);
    let options = WorkerOptions {
        link: link(&args.url, &args.server),
        name,
        slots,
        speed: cluster::measure_speed(slots),
        cage: cage::terms(&args.cage, &exe, None)?,
        exe,
        cache,
        games: catalogue.games(),
        exit_when_idle: args.exit_when_idle.map(Duration::from_secs),
        notes: Arc::new(move |text| {
            if !is_quiet {
                remark(text);
            }
        }),
    };
    match work(&options)? {
        WorkEnd::Idle => {
            (options.notes)("nothing to do any more");
            Ok(Exit::Done)
        }
        WorkEnd::Stopped => {
            (options.notes)("stopped");
            Ok(Exit::Done)
        }
    }
}

/// The machine's name and the number of this process.
fn usual_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    wire::token(&format!("{}-{}", host.trim(), std::process::id()))
}

/// Where bots are kept. Root's own cache is closed to the user that its bots run as.
fn usual_cache() -> Result<PathBuf> {
    if rustix::process::geteuid().is_root() {
        return Ok(PathBuf::from("/var/cache/lanista/bots"));
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = cache.filter(|path| path.is_absolute()).or_else(home);
    let cache = cache.context("there is no HOME; say with --cache where bots are kept")?;
    Ok(cache.join("lanista/bots"))
}

pub(crate) fn cluster(args: &ClusterArgs) -> Result<Exit> {
    match &args.command {
        ClusterCommand::Status(args) => status(args),
        ClusterCommand::Up(args) => up(args),
        ClusterCommand::Key(args) => key(args),
    }
}

/// How the runs on a server go.
fn status(args: &ClusterStatusArgs) -> Result<Exit> {
    let runs = run_statuses(&link(&args.url, &args.server), Duration::from_millis(700))?;
    if args.metrics {
        say(cluster::metrics(&runs).trim_end())?;
        return Ok(Exit::Done);
    }
    if runs.is_empty() && !args.json {
        remark("nobody coordinates a run there");
    }
    for run in &runs {
        if args.json {
            say(&crate::terminal::json(run)?)?;
            continue;
        }
        say(&status_text(run))?;
    }
    Ok(Exit::Done)
}

/// Longer names of workers are cut: a line has eighty columns, also after a million games.
const WIDEST_WORKER: usize = 20;

/// How a run goes, for people.
fn status_text(run: &Value) -> String {
    let text = |value: &Value| game::printable(value.as_str().unwrap_or_default().as_bytes(), 300);
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let workers = run["workers"].as_array().cloned().unwrap_or_default();
    let mut head = format!(
        "{}: {}, {} with them, {} finished",
        text(&run["name"]),
        count(workers.len() as u64, "worker"),
        count(number(&run["held"]), "game"),
        number(&run["kept"]),
    );
    if let Some(left) = run["left"].as_u64() {
        head += &format!(", {left} that nobody plays yet");
    }
    let mut lines = vec![head];
    if !workers.is_empty() {
        let right = |title| (title, Align::Right);
        let mut columns = Columns::new(
            [("worker", Align::Left)]
                .into_iter()
                .chain(["places", "games", "done", "games/s"].map(right))
                .chain([("tier", Align::Left), ("arch", Align::Left), right("speed")]),
        );
        for worker in &workers {
            columns.row(vec![
                cut(&text(&worker["name"]), WIDEST_WORKER).into_owned(),
                number(&worker["slots"]).to_string(),
                number(&worker["held"]).to_string(),
                number(&worker["games"]).to_string(),
                format!("{:.1}", worker["rate"].as_f64().unwrap_or(0.0)),
                text(&worker["tier"]),
                text(&worker["arch"]),
                format!("{:.0}", worker["speed"].as_f64().unwrap_or(0.0)),
            ]);
        }
        lines.push(columns.text());
    }
    let repeats = &run["repeats"];
    if number(&repeats["games"]) > 0 {
        let games = count(number(&repeats["games"]), "game");
        let ratio = repeats["time_ratio"].as_f64().unwrap_or(1.0);
        lines.push(format!(
            "{games} repeated elsewhere, {} different; answers took {ratio:.2} times as long",
            number(&repeats["different"]),
        ));
    }
    let excluded = run["excluded"].as_array().into_iter().flatten();
    lines.extend(
        excluded.map(|one| format!("{} is excluded: {}", text(&one["name"]), text(&one["why"]))),
    );
    for list in [&repeats["differences"], &run["unplayable"]] {
        lines.extend(list.as_array().into_iter().flatten().map(text));
    }
    let wrap = |(at, line): (usize, String)| match line.contains('\n') {
        true => line,
        false => wrapped(&line, if at == 0 { 0 } else { 2 }, crate::terminal::columns()),
    };
    lines.into_iter().enumerate().map(wrap).collect::<Vec<String>>().join("\n")
}

/// Makes a key.
fn key(args: &ClusterKeyArgs) -> Result<Exit> {
    let shown = args.file.display();
    let mut options = std::fs::File::options();
    let file = options.write(true).create_new(true).mode(0o600).open(&args.file);
    let mut file = file.with_context(|| format!("cannot make {shown}"))?;
    let (seed, public) = cluster::new_key();
    writeln!(file, "{seed}").with_context(|| format!("cannot write {shown}"))?;
    say(&public)?;
    Ok(Exit::Done)
}

/// A server for trying out.
fn up(args: &ClusterUpArgs) -> Result<Exit> {
    let port = args.port.to_string();
    let mut command = Command::new("nats-server");
    command.args(["--addr", "127.0.0.1", "--port", &port]).stdin(Stdio::null());
    let mut server = match command.spawn() {
        Ok(server) => server,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "nats-server is not installed; on Debian and Ubuntu: apt install nats-server; \
             elsewhere: https://docs.nats.io says how"
        ),
        Err(error) => return Err(error).context("cannot start nats-server"),
    };
    host::catch_interrupts();
    remark(&format!("nats://127.0.0.1:{port} is for this machine alone; Ctrl-C ends it"));
    loop {
        if let Some(ended) = server.try_wait().context("cannot wait for nats-server")? {
            match ended.success() || host::interrupted() {
                true => return Ok(Exit::Done),
                false => bail!("nats-server ended: {ended}"),
            }
        }
        if host::interrupted() {
            // It may have had the signal itself, and ends at once if not.
            let _ = rustix::process::kill_process(Pid::from_child(&server), Signal::TERM);
            server.wait().context("cannot wait for nats-server")?;
            return Ok(Exit::Done);
        }
        std::thread::park_timeout(GLANCE);
    }
}
