//! Symmetric positive definite matrices: solving and inverting by the method of Cholesky.

/// A square matrix, row by row. Of a symmetric one only the lower half is read.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

/// A pivot is never taken to be smaller than this share of its own diagonal: rounding must not make
/// a direction about which nothing is known look impossible.
const LEAST_PIVOT: f64 = 1e-15;

impl Matrix {
    pub(crate) fn zero(size: usize) -> Matrix {
        Matrix { size, cells: vec![0.0; size * size] }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(crate) fn add(&mut self, row: usize, column: usize, what: f64) {
        self.cells[row * self.size + column] += what;
    }

    /// Adds another matrix of the same size.
    pub(crate) fn add_all(&mut self, other: &Matrix) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(sum, more)| *sum += more);
    }

    pub(crate) fn set(&mut self, row: usize, column: usize, what: f64) {
        self.cells[row * self.size + column] = what;
    }

    /// The product with a vector, of a matrix with both halves filled in.
    pub(crate) fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size).map(|row| dot(self.row(row), vector)).collect()
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.size..(row + 1) * self.size]
    }

    /// The lower triangle L with L·Lᵀ = self.
    pub(crate) fn factor(mut self) -> Factor {
        for row in 0..self.size {
            for column in 0..=row {
                let (above, below) = (self.row(column), self.row(row));
                let known = dot(&above[..column], &below[..column]);
                let left = below[column] - known;
                let value = if row == column {
                    let least = (below[column] * LEAST_PIVOT).max(f64::MIN_POSITIVE);
                    left.max(least).sqrt()
                } else {
                    left / self.at(column, column)
                };
                self.set(row, column, value);
            }
        }
        Factor(self)
    }
}

/// The sum of products, in four sums side by side: one after the other would wait for each other.
pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    let (ones, others) = (one.chunks_exact(4), other.chunks_exact(4));
    let rest = ones.remainder().iter().zip(others.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (one, other) in ones.zip(others) {
        for (sum, (a, b)) in sums.iter_mut().zip(one.iter().zip(other)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// A matrix as the product of a lower triangle and its mirror image.
pub(crate) struct Factor(Matrix);

impl Factor {
    /// The x with matrix·x = `right`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        self.forward(&mut x, 0);
        self.backward(&mut x, 0);
        x
    }

    /// The logarithm of the determinant.
    pub(crate) fn log_determinant(&self) -> f64 {
        (0..self.0.size).map(|at| 2.0 * self.0.at(at, at).ln()).sum()
    }

    /// Solves L·y = x in place; `x` is zero before `from`.
    fn forward(&self, x: &mut [f64], from: usize) {
        for row in from..self.0.size {
            let cells = self.0.row(row);
            let known = dot(&cells[from..row], &x[from..row]);
            x[row] = (x[row] - known) / cells[row];
        }
    }

    /// Solves Lᵀ·y = x in place, down to the element `to`.
    fn backward(&self, x: &mut [f64], to: usize) {
        for row in (to..self.0.size).rev() {
            let cells = self.0.row(row);
            x[row] /= cells[row];
            let value = x[row];
            for (left, cell) in x[to..row].iter_mut().zip(&cells[to..row]) {
                *left -= value * cell;
            }
        }
    }

    /// The inverse, both halves filled in.
    pub(crate) fn inverse(&self) -> Matrix {
        let size = self.0.size;
        let mut inverse = Matrix::zero(size);
        let mut column = vec![0.0; size];
        for index in 0..size {
            column.fill(0.0);
            column[index] = 1.0;
            self.forward(&mut column, index);
            self.backward(&mut column, index);
            for (row, value) in column.iter().enumerate().skip(index) {
                inverse.set(row, index, *value);
                inverse.set(index, row, *value);
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_times_the_matrix_is_one() {
        let size = 12;
        let mut matrix = Matrix::zero(size);
        for row in 0..size {
            for column in 0..size {
                // The matrix of Hilbert plus one on the diagonal.
                let extra = if row == column { 1.0 } else { 0.0 };
                matrix.set(row, column, 1.0 / (row + column + 1) as f64 + extra);
            }
        }
        let factor = matrix.clone().factor();
        let inverse = factor.inverse();
        for row in 0..size {
            let unit: Vec<f64> =
                (0..size).map(|column| if row == column { 1.0 } else { 0.0 }).collect();
            let solved = factor.solve(&unit);
            for column in 0..size {
                let product: f64 =
                    (0..size).map(|k| matrix.at(row, k) * inverse.at(k, column)).sum();
                assert!((product - unit[column]).abs() < 1e-12);
                assert!((solved[column] - inverse.at(row, column)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_matrix_without_an_inverse_gives_finite_numbers() {
        let mut matrix = Matrix::zero(2);
        for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            matrix.set(row, column, 1.0);
        }
        let inverse = matrix.factor().inverse();
        assert!((0..2).all(|at| inverse.at(at, at).is_finite()));
    }
}
