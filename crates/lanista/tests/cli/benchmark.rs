//! `lanista bench` prints a table that a script can read. What it says is not judged here.

use crate::common::{Folder, json_lines, run, stderr};

#[test]
fn a_short_look_has_every_figure() {
    let folder = Folder::new("bench-host");
    let output = run(&folder, &["bench", "--quick", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = json_lines(&output).remove(0);
    assert!(report["machine"]["cores"].as_u64() > Some(0), "{report}");
    let groups = report["groups"].as_array().expect("groups");
    let figures: Vec<_> =
        groups.iter().flat_map(|group| group["figures"].as_array().expect("figures")).collect();
    assert!(groups.len() >= 6 && figures.len() >= 15, "{report}");
    for figure in figures {
        assert!(figure["median"].as_f64() > Some(0.0), "{figure}");
    }
    let ply = &groups[0]["figures"][2];
    assert!(ply["ratio"].as_f64() > Some(0.0), "{ply}");
}
