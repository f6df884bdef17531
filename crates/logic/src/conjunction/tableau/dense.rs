//! A tableau whose rows are dense and lie one after the other in one vector.

use super::{Column, Row, Tableau};
use crate::conjunction::number::{Number, Overflow};

/// A tableau for few variables.
#[derive(Clone, Debug, Default)]
pub(in crate::conjunction) struct DenseTableau<N> {
    coefficients: Vec<N>,
    /// Room for columns in each row; at least `columns`.
    stride: usize,
    columns: usize,
    denominators: Vec<N>,
    /// Numerators of the basic variables' values.
    values: Vec<N>,
    /// A copy of the pivot row, so that the other rows can be changed meanwhile.
    pivot_row: Vec<N>,
}

impl<N: Number> DenseTableau<N> {
    fn cells(&self, row: Row) -> &[N] {
        let start = row * self.stride;
        &self.coefficients[start..start + self.columns]
    }

    fn widen(&mut self) {
        let wider = (self.stride * 2).max(16);
        let mut coefficients = Vec::with_capacity(self.rows() * wider);
        for row in 0..self.rows() {
            coefficients.extend_from_slice(self.cells(row));
            coefficients.resize((row + 1) * wider, N::ZERO);
        }
        self.coefficients = coefficients;
        self.stride = wider;
    }

    /// Replaces, in another row, the entering variable by the pivot row.
    fn eliminate(&mut self, row: Row, column: Column, scale: &N, change: &N) -> Result<(), Overflow> {
        let start = row * self.stride;
        let cells = &mut self.coefficients[start..start + self.columns];
        let factor = std::mem::take(&mut cells[column]);
        if scale.is_one() {
            for (cell, pivot) in cells.iter_mut().zip(&self.pivot_row) {
                if !pivot.is_zero() {
                    *cell = cell.add_mul(&factor, pivot)?;
                }
            }
            self.values[row] = self.values[row].add_mul(&factor, change)?;
            if self.denominators[row].is_one() {
                return Ok(());
            }
        } else {
            let divisor = scale.gcd(&factor)?;
            let (scale, factor) = (scale.div_exact(&divisor), factor.div_exact(&divisor));
            for (cell, pivot) in cells.iter_mut().zip(&self.pivot_row) {
                *cell = cell.scale_add_mul(&scale, &factor, pivot)?;
            }
            self.values[row] = self.values[row].scale_add_mul(&scale, &factor, change)?;
            self.denominators[row] = self.denominators[row].mul(&scale)?;
        }
        self.reduce(row)
    }

    /// Divides a row by its common divisor.
    fn reduce(&mut self, row: Row) -> Result<(), Overflow> {
        let start = row * self.stride;
        let mut divisor = self.denominators[row].clone();
        for cell in &self.coefficients[start..start + self.columns] {
            if divisor.is_one() {
                return Ok(());
            }
            if !cell.is_zero() {
                divisor = divisor.gcd(cell)?;
            }
        }
        if divisor.is_one() {
            return Ok(());
        }
        self.denominators[row] = self.denominators[row].div_exact(&divisor);
        self.values[row] = self.values[row].div_exact(&divisor);
        for cell in &mut self.coefficients[start..start + self.columns] {
            *cell = cell.div_exact(&divisor);
        }
        Ok(())
    }
}

impl<N: Number> Tableau<N> for DenseTableau<N> {
    fn clear(&mut self) {
        self.coefficients.clear();
        self.columns = 0;
        self.denominators.clear();
        self.values.clear();
    }

    #[inline]
    fn rows(&self) -> usize {
        self.denominators.len()
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn size(&self) -> usize {
        self.coefficients.len()
    }

    #[inline]
    fn row<'a>(&'a self, row: Row) -> impl Iterator<Item = (Column, &'a N)>
    where
        N: 'a,
    {
        self.cells(row).iter().enumerate().filter(|(_, coefficient)| !coefficient.is_zero())
    }

    #[inline]
    fn coefficient(&self, row: Row, column: Column) -> &N {
        &self.coefficients[row * self.stride + column]
    }

    #[inline]
    fn denominator(&self, row: Row) -> &N {
        &self.denominators[row]
    }

    #[inline]
    fn value(&self, row: Row) -> &N {
        &self.values[row]
    }

    fn add_column(&mut self) -> Column {
        let column = self.columns;
        if column == self.stride {
            self.widen();
        }
        self.columns += 1;
        column
    }

    fn add_row(&mut self) -> Row {
        let row = self.rows();
        self.coefficients.resize((row + 1) * self.stride, N::ZERO);
        self.denominators.push(N::ONE);
        self.values.push(N::ZERO);
        row
    }

    fn add_nonbasic(&mut self, row: Row, factor: &N, column: Column, value: &N) -> Result<(), Overflow> {
        let scaled = factor.mul(&self.denominators[row])?;
        let cell = &mut self.coefficients[row * self.stride + column];
        *cell = cell.add_mul(&N::ONE, &scaled)?;
        self.values[row] = self.values[row].add_mul(&scaled, value)?;
        Ok(())
    }

    fn add_basic(&mut self, row: Row, factor: &N, other: Row) -> Result<(), Overflow> {
        // d*b = r and e*c = s give d*e*(b + f*c) = e*r + d*f*s.
        let (own, foreign) = (self.denominators[row].clone(), self.denominators[other].clone());
        let weight = own.mul(factor)?;
        for column in 0..self.columns {
            let added = self.coefficients[other * self.stride + column].clone();
            let cell = &mut self.coefficients[row * self.stride + column];
            *cell = cell.scale_add_mul(&foreign, &weight, &added)?;
        }
        self.values[row] = self.values[row].scale_add_mul(&foreign, &weight, &self.values[other])?;
        self.denominators[row] = own.mul(&foreign)?;
        self.reduce(row)
    }

    fn shift_column(&mut self, column: Column, change: &N) -> Result<(), Overflow> {
        for row in 0..self.rows() {
            let coefficient = &self.coefficients[row * self.stride + column];
            if !coefficient.is_zero() {
                self.values[row] = self.values[row].add_mul(coefficient, change)?;
            }
        }
        Ok(())
    }

    fn remove_row(&mut self, row: Row) {
        let last = self.rows() - 1;
        if row != last {
            for column in 0..self.columns {
                self.coefficients.swap(row * self.stride + column, last * self.stride + column);
            }
        }
        self.coefficients.truncate(last * self.stride);
        self.denominators.swap_remove(row);
        self.values.swap_remove(row);
    }

    fn pivot(&mut self, row: Row, column: Column, target: &N, entering: &N) -> Result<u64, Overflow> {
        let start = row * self.stride;
        let pivot = self.coefficients[start + column].clone();
        let positive = pivot.signum() > 0;
        let denominator = self.denominators[row].clone();
        // By how much denominator * entering changes, up to the pivot's sign.
        let mut change = denominator.mul(target)?.sub(&self.values[row])?;
        if positive {
            for cell in &mut self.coefficients[start..start + self.columns] {
                *cell = cell.neg()?;
            }
            self.coefficients[start + column] = denominator;
            self.denominators[row] = pivot;
        } else {
            self.coefficients[start + column] = denominator.neg()?;
            self.denominators[row] = pivot.neg()?;
            change = change.neg()?;
        }
        self.values[row] = change.add_mul(&self.denominators[row], entering)?;
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(&self.coefficients[start..start + self.columns]);
        let scale = self.denominators[row].clone();
        let mut changed_rows = 1;
        for other in 0..self.rows() {
            if other != row && !self.coefficients[other * self.stride + column].is_zero() {
                self.eliminate(other, column, &scale, &change)?;
                changed_rows += 1;
            }
        }
        Ok(changed_rows * self.columns as u64 * scale.words())
    }

    fn row_with(&self, column: Column, key: impl Fn(Row) -> u32) -> Option<Row> {
        (0..self.rows()).filter(|&row| !self.coefficient(row, column).is_zero()).min_by_key(|&row| key(row))
    }
}
