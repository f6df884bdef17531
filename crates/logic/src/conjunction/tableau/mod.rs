//! The tableau: every basic variable as a combination of the nonbasic ones.
//!
//! A row says `denominator * basic = sum of coefficient * nonbasic`, all in integers and without
//! a common divisor, the denominator positive. Nonbasic variables always have integer values, so a
//! basic variable's value is an integer numerator over its row's denominator. Most rows of most
//! problems have the denominator one, and then a pivot is plain additions.
//!
//! There are two: [`DenseTableau`] for the handful of variables of an engine's question, and
//! [`SparseTableau`] for systems that are large.

mod dense;
mod sparse;

use super::number::{Number, Overflow};

pub(super) use dense::DenseTableau;
pub(super) use sparse::SparseTableau;

/// A row of the tableau. Rows are renumbered when one is removed.
pub(super) type Row = usize;
/// A column of the tableau.
pub(super) type Column = usize;

/// Coefficients, denominators and values of the basic variables.
pub(super) trait Tableau<N: Number>: Default {
    /// Forgets everything but keeps the memory.
    fn clear(&mut self);
    fn rows(&self) -> usize;
    fn columns(&self) -> usize;
    /// How many machine words are stored, a measure of the memory in use.
    fn size(&self) -> usize;
    /// The coefficients of a row that are not zero.
    fn row<'a>(&'a self, row: Row) -> impl Iterator<Item = (Column, &'a N)>
    where
        N: 'a;
    fn coefficient(&self, row: Row, column: Column) -> &N;
    fn denominator(&self, row: Row) -> &N;
    /// The numerator of the value of the row's basic variable.
    fn value(&self, row: Row) -> &N;
    /// Adds a column of zeros.
    fn add_column(&mut self) -> Column;
    /// Adds a row of zeros with the denominator one and the value zero.
    fn add_row(&mut self) -> Row;
    /// Adds `factor * nonbasic` to what the basic variable of a row is, where the nonbasic
    /// variable has the given value.
    fn add_nonbasic(&mut self, row: Row, factor: &N, column: Column, value: &N) -> Result<(), Overflow>;
    /// Adds `factor` times the basic variable of another row to what that of a row is.
    fn add_basic(&mut self, row: Row, factor: &N, other: Row) -> Result<(), Overflow>;
    /// Changes the value of a nonbasic variable by an integer.
    fn shift_column(&mut self, column: Column, change: &N) -> Result<(), Overflow>;
    /// Removes a row; the last row takes its number.
    fn remove_row(&mut self, row: Row);
    /// Exchanges the basic variable of a row with the nonbasic one of a column. The variable that
    /// leaves the basis takes the integer value `target`; the one that enters had the value
    /// `entering`, and moves so that the row stays true. The answer is what it cost: how many
    /// machine words were computed, roughly.
    fn pivot(&mut self, row: Row, column: Column, target: &N, entering: &N) -> Result<u64, Overflow>;
    /// Some row in which the column is not zero, the one with the least key.
    fn row_with(&self, column: Column, key: impl Fn(Row) -> u32) -> Option<Row>;
}
