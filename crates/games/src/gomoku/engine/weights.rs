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
pub(super) const TEMPO: i32 = 117;

/// For the side to move.
pub(super) const MOVING: Weights = Weights {
    line: [0, 0, 0, 0, 4, -1, -1, 14, 35, 24, 52, 0, 0, 0],
    crossing: [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -8, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -3, 10, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 5, 27, 31, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -4, 9, 27, -9, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -6, 13, 53, 13, 26, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 2, 45, 51, 35, -12, -9, 0, 0, 0, 0],
        [0, 0, 0, 0, -5, 47, 78, 7, -12, 15, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    threats: [77, -25, 45, -2, 0],
};

/// For the other side; its threats can still be answered.
pub(super) const WAITING: Weights = Weights {
    line: [0, 0, 0, 0, 2, -2, -1, 12, 31, 17, 55, 80, 156, 0],
    crossing: [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 3, 26, 31, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 2, 9, 21, 7, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, -2, 14, 45, 22, 37, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 40, 51, 31, 6, 5, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 49, 71, 58, 53, 66, 3, 0, 0, 0],
        [0, 0, 0, 0, 0, 1, 0, 4, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, -14, 70, 70, -2, 7, -18, -1, 0, -1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    threats: [87, -10, -9, 203, 51],
};
