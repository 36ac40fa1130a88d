//! Times of answers, counted by how long they are, so that a percentile needs no list of them all.

use std::time::Duration;

/// Which bucket a time falls into: eight for every doubling, from a microsecond on.
pub(crate) fn bucket(time: Duration) -> u32 {
    let micros = (time.as_nanos() as f64 / 1000.0).max(1.0);
    (micros.log2() * 8.0) as u32
}

/// The lower end of a bucket, in milliseconds.
pub(crate) fn bucket_start(bucket: u32) -> f64 {
    (f64::from(bucket) / 8.0).exp2() / 1000.0
}

/// The upper end of a bucket, in milliseconds.
pub(crate) fn bucket_end(bucket: u32) -> f64 {
    (f64::from(bucket + 1) / 8.0).exp2() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_times_to_within_a_tenth() {
        for micros in [1_u64, 2, 10, 999, 12_345, 1_000_000, 60_000_000] {
            let end = bucket_end(bucket(Duration::from_micros(micros))) * 1000.0;
            assert!(end >= micros as f64 && end < micros as f64 * 1.0906, "{micros}: {end}");
        }
    }
}
