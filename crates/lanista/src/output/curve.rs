//! What a bot thought of the positions of a game, one after another, as a small curve.

/// The widest curve.
const COLUMNS: usize = 60;

/// From the worst to the best.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What a bot said of one position.
pub(crate) struct CurvePoint {
    /// In whose place it was asked.
    pub(crate) seat: usize,
    /// How good it is for that player.
    pub(crate) value: f64,
}

/// A line of bars for each player; of two players one line, because what is good for one is bad for the other.
pub(crate) fn lines(points: &[CurvePoint], names: &[String]) -> Vec<String> {
    if points.is_empty() {
        return vec!["it gives no evaluation that could be drawn as a curve".to_owned()];
    }
    if let [first, _] = names {
        let sign = |point: &CurvePoint| if point.seat == 0 { point.value } else { -point.value };
        return vec![line(first, &points.iter().map(sign).collect::<Vec<f64>>())];
    }
    let of = |seat: usize| points.iter().filter(move |point| point.seat == seat);
    let names = names.iter().enumerate();
    names
        .filter(|(seat, _)| of(*seat).next().is_some())
        .map(|(seat, name)| line(name, &of(seat).map(|point| point.value).collect::<Vec<f64>>()))
        .collect()
}

fn line(name: &str, values: &[f64]) -> String {
    // A win that has been found is off every scale.
    let ordinary = values.iter().map(|value| value.abs()).filter(|value| *value < table::FOUND_WIN);
    let bound = ordinary.fold(0.0, f64::max) * 1.25;
    let bound = if bound > 0.0 { bound } else { table::FOUND_WIN };
    let bars = bars(&values.iter().map(|value| value.clamp(-bound, bound)).collect::<Vec<f64>>());
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("evaluation for {name} ({} to {}): {bars}", words(least), words(most))
}

fn words(value: f64) -> String {
    match value {
        table::FOUND_WIN => "a forced win".to_owned(),
        value if value == -table::FOUND_WIN => "a forced loss".to_owned(),
        value => value.to_string(),
    }
}

fn bars(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let columns = values.len().min(COLUMNS);
    let bar = |column: usize| {
        // The first and the last are always among them.
        let value = values[column * (values.len() - 1) / (columns - 1).max(1)];
        let share = if most > least { (value - least) / (most - least) } else { 0.5 };
        BARS[(share * 7.0).round() as usize]
    };
    (0..columns).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(usize, f64)], names: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let points: Vec<CurvePoint> =
            points.iter().map(|&(seat, value)| CurvePoint { seat, value }).collect();
        lines(&points, &names)
    }

    #[test]
    fn of_two_players_what_is_good_for_one_is_bad_for_the_other() {
        let lines = curve(&[(0, 0.0), (1, -70.0), (0, 35.0), (1, 70.0)], &["ann", "bob"]);
        assert_eq!(lines, ["evaluation for ann (-70 to 70): ▅█▆▁"]);
        let won = curve(&[(0, 0.0), (0, 80.0), (0, -80.0), (1, -10000.0)], &["ann", "bob"]);
        assert_eq!(won, ["evaluation for ann (-80 to a forced win): ▄▇▁█"]);
    }

    #[test]
    fn more_players_have_a_line_each_and_nothing_is_said_of_nothing() {
        let lines = curve(&[(0, 1.0), (2, 3.0), (0, 2.0)], &["ann", "bob", "cy"]);
        assert_eq!(lines, ["evaluation for ann (1 to 2): ▁█", "evaluation for cy (3 to 3): ▅"]);
        assert!(curve(&[], &["ann"])[0].contains("no evaluation"));
        let long: Vec<(usize, f64)> = (0..1000).map(|step| (0, f64::from(step))).collect();
        let line = &curve(&long, &["ann"])[0];
        assert!(line.ends_with('█') && line.matches('▁').count() < 12, "{line}");
    }
}
