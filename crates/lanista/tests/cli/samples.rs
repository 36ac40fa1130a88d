//! Replays of every format version that was ever written can still be read and verified.

use crate::common::{Folder, run, stderr};

#[test]
fn old_replays_still_verify() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/tests-data/replays");
    let folder = Folder::new("samples");
    let mut count = 0;
    for sample in std::fs::read_dir(samples).expect("the samples are there").flatten() {
        let path = sample.path().display().to_string();
        let output = run(&folder, &["replay", &path, "--verify"]);
        assert_eq!(output.status.code(), Some(0), "{path}: {}", stderr(&output));
        count += 1;
    }
    assert!(count > 0, "there are samples");
}
