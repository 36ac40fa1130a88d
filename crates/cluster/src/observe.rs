//! How the runs on a server go: asked from outside, also as metrics.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::link::{Link, LinkError, LinkOptions};
use crate::wire;

/// Asks all coordinators on a server how their runs go, and waits so long for answers.
pub fn run_statuses(options: &LinkOptions, patience: Duration) -> Result<Vec<Value>, LinkError> {
    let link = Link::connect(options, "status", |_| {})?;
    // Others may ask at the same time.
    let inbox = format!("_INBOX.status.{:016x}", host::random_seed());
    let answers = link.subscribe(&inbox)?;
    link.ask_all(wire::STATUS, &inbox);
    let until = Instant::now() + patience;
    let mut runs = Vec::new();
    while let Ok(answer) = answers.recv_timeout(until.saturating_duration_since(Instant::now())) {
        // Nobody listens: the server says so with an empty message.
        if let Ok(run) = serde_json::from_slice::<Value>(&answer.payload) {
            runs.push(run);
        } else if answer.payload.is_empty() {
            break;
        }
    }
    runs.sort_by_key(|run| run["name"].to_string());
    Ok(runs)
}

/// The statuses of runs in the text format of Prometheus.
pub fn metrics(runs: &[Value]) -> String {
    let mut text = String::new();
    let escaped = |text: &Value| {
        let text = text.as_str().unwrap_or_default();
        text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
    };
    type Figure = fn(&Value) -> f64;
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let of_runs: [(&str, &str, &str, Figure); 7] = [
        ("lanista_workers", "gauge", "workers that were heard of lately", |run| {
            run["workers"].as_array().map_or(0.0, |workers| workers.len() as f64)
        }),
        ("lanista_slots", "gauge", "games at a time of all workers", |run| {
            let workers = run["workers"].as_array().into_iter().flatten();
            workers.map(|worker| worker["slots"].as_f64().unwrap_or(0.0)).sum()
        }),
        ("lanista_games_held", "gauge", "games that workers hold", |run| {
            run["held"].as_f64().unwrap_or(0.0)
        }),
        ("lanista_games_left", "gauge", "games that nobody plays yet", |run| {
            run["left"].as_f64().unwrap_or(0.0)
        }),
        ("lanista_games_kept_total", "counter", "games kept since the coordinator began", |run| {
            run["kept"].as_f64().unwrap_or(0.0)
        }),
        ("lanista_leases_expired_total", "counter", "games whose worker fell silent", |run| {
            run["expired"].as_f64().unwrap_or(0.0)
        }),
        ("lanista_workers_excluded", "gauge", "workers that are not believed", |run| {
            run["excluded"].as_array().map_or(0.0, |excluded| excluded.len() as f64)
        }),
    ];
    for (name, kind, help, figure) in of_runs {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for run in runs {
            let _ = writeln!(text, "{name}{{run=\"{}\"}} {}", escaped(&run["run"]), figure(run));
        }
    }
    let of_workers = [
        ("lanista_worker_games_total", "counter", "games that a worker has finished", "games"),
        ("lanista_worker_games_held", "gauge", "games that a worker holds", "held"),
        ("lanista_worker_slots", "gauge", "games at a time of a worker", "slots"),
        (
            "lanista_worker_speed",
            "gauge",
            "millions of steps of a fixed workload a second",
            "speed",
        ),
    ];
    for (name, kind, help, key) in of_workers {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for run in runs {
            for worker in run["workers"].as_array().into_iter().flatten() {
                let _ = writeln!(
                    text,
                    "{name}{{run=\"{}\",worker=\"{}\",tier=\"{}\"}} {}",
                    escaped(&run["run"]),
                    escaped(&worker["name"]),
                    escaped(&worker["tier"]),
                    number(&worker[key]),
                );
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metrics_have_a_line_for_every_run_and_worker_and_no_label_breaks_out() {
        let worker = json!({ "name": "a\"b\n", "games": 3, "held": 1, "slots": 2, "speed": 0.5, "tier": "A" });
        let runs = [json!({ "run": "cup-1", "workers": [worker], "held": 1, "excluded": [] })];
        let text = metrics(&runs);
        assert!(text.contains("lanista_workers{run=\"cup-1\"} 1\n"), "{text}");
        let line = "lanista_worker_games_total{run=\"cup-1\",worker=\"a\\\"b\\n\",tier=\"A\"} 3\n";
        assert!(text.contains(line), "{text}");
        assert!(text.lines().all(|line| line.starts_with('#') || line.contains(' ')), "{text}");
    }
}
