//! The weights of the evaluation, fitted to the results of games the engine played against itself.
//!
//! 200 points mean odds of e to one. Patterns are numbered as in [`super::pattern::Pattern`].

/// How a colour's empty cells and threats count.
pub(super) struct Weights {
    /// For every line of a cell, by its pattern.
    pub(super) line: [i16; 14],
    /// For the two best lines of a cell crossing, by the better pattern and the other.
    pub(super) crossing: [[i16; 14]; 14],
    /// For having any cell that threatens, by [`super::worth::Threat`] from free three to
    /// unstoppable.
    pub(super) threats: [i16; 5],
}

/// For having the move.
pub(super) const TEMPO: i32 = 160;

/// For the side to move.
pub(super) const MOVING: Weights = Weights {
    line: [0, 0, 0, 0, 4, 1, -3, 20, 42, 27, 80, 0, 0, 0],
    crossing: [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -9, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 2, 13, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 10, 26, 34, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -12, 11, 29, -2, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -15, 21, 44, 0, -11, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 7, 48, 72, 39, -27, -29, 0, 0, 0, 0],
        [0, 0, 0, 0, -25, 53, 76, 3, 11, 9, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    threats: [83, 0, 11, 113, 0],
};

/// For the other side; its threats can still be answered.
pub(super) const WAITING: Weights = Weights {
    line: [0, 0, 0, 0, 2, 0, -4, 17, 37, 22, 79, 27, 170, 0],
    crossing: [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 4, 14, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 7, 23, 34, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -2, 14, 22, 14, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -10, 16, 36, 14, -18, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 7, 47, 70, 41, -23, 9, 0, 0, 0, 0],
        [0, 0, 0, 0, -13, 56, 70, 38, 105, 86, -32, 0, 0, 0],
        [0, 0, 0, 0, -10, 7, 1, 1, -2, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -4, 76, 74, -11, -2, -63, -1, 0, 1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    threats: [87, 20, -55, 135, 104],
};
