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
pub(super) const TEMPO: i32 = 41;

/// For the side to move.
pub(super) const MOVING: Weights = Weights {
    line: [0, 0, 0, 0, 0, 3, -7, 1, 25, 11, 28, 0, 0, 0],
    crossing: [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 3, 5, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 12, 12, 28, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 5, 13, 29, 27, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -7, 19, 34, 29, -15, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 9, 33, 76, 65, 9, -7, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 36, 72, 33, 0, 3, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    threats: [23, 54, 18, 48, 0],
};

/// For the other side; its threats can still be answered.
pub(super) const WAITING: Weights = Weights {
    line: [0, 0, 0, 0, -1, 3, -8, 0, 25, 4, 33, 94, 90, 0],
    crossing: [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 4, 6, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 11, 13, 28, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 8, 13, 27, 30, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 16, 29, 25, 21, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 12, 33, 66, 52, 32, 43, 0, 0, 0, 0],
        [0, 0, 0, 0, 5, 37, 55, 69, 51, 61, 12, 0, 0, 0],
        [0, 0, 0, 0, 17, -2, 6, -2, 0, 0, 1, 0, 0, 0],
        [0, 0, 0, 0, 1, 35, 42, 12, 11, -18, -3, 0, 1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    threats: [-9, 36, -19, 102, 10],
};
