//! A tableau that stores only what is not zero.

use super::{Column, Row, Tableau};
use crate::conjunction::number::{Number, Overflow};

/// One row: `denominator * basic = sum of entries`, the entries ascending by column.
#[derive(Clone, Debug)]
struct SparseRow<N> {
    entries: Vec<(u32, N)>,
    denominator: N,
    /// The numerator of the basic variable's value.
    value: N,
    /// The machine words that the row takes.
    words: usize,
}

/// A tableau for many variables of which few meet in one constraint.
#[derive(Clone, Debug)]
pub(in crate::conjunction) struct SparseTableau<N> {
    rows: Vec<SparseRow<N>>,
    /// For each column the rows in which it may be not zero; a row can be listed in vain or twice.
    columns: Vec<Vec<u32>>,
    /// The machine words of all rows.
    size: usize,
    zero: N,
}

impl<N: Number> Default for SparseTableau<N> {
    fn default() -> Self {
        Self { rows: Vec::new(), columns: Vec::new(), size: 0, zero: N::ZERO }
    }
}

impl<N: Number> SparseTableau<N> {
    /// The rows in which a column is not zero.
    fn rows_of(&self, column: Column) -> impl Iterator<Item = Row> + '_ {
        let rows = self.columns[column].iter().map(|&row| row as Row);
        rows.filter(move |&row| row < self.rows.len() && !self.coefficient(row, column).is_zero())
    }

    /// Cleans a column's list of rows and returns it.
    fn exact_rows(&mut self, column: Column) -> Vec<Row> {
        let mut rows: Vec<Row> = self.rows_of(column).collect();
        rows.sort_unstable();
        rows.dedup();
        self.columns[column] = rows.iter().map(|&row| row as u32).collect();
        rows
    }

    /// `row := scale * row + factor * other`, value and denominator of the row included, where
    /// `value` is the other row's contribution to the value.
    fn combine(
        &mut self,
        row: Row,
        scale: &N,
        factor: &N,
        other: &[(u32, N)],
        value: &N,
    ) -> Result<(), Overflow> {
        let old = std::mem::take(&mut self.rows[row].entries);
        let mut merged = Vec::with_capacity(old.len() + other.len());
        let mut pending = old.into_iter().peekable();
        for (column, added) in other {
            while let Some((before, coefficient)) = pending.next_if(|(before, _)| before < column) {
                merged.push((before, coefficient.mul(scale)?));
            }
            match pending.next_if(|(present, _)| present == column) {
                Some((_, coefficient)) => {
                    let sum = coefficient.scale_add_mul(scale, factor, added)?;
                    if !sum.is_zero() {
                        merged.push((*column, sum));
                    }
                }
                None => {
                    merged.push((*column, factor.mul(added)?));
                    self.columns[*column as Column].push(row as u32);
                }
            }
        }
        for (column, coefficient) in pending {
            merged.push((column, coefficient.mul(scale)?));
        }
        let changed = &mut self.rows[row];
        changed.entries = merged;
        changed.value = changed.value.scale_add_mul(scale, factor, value)?;
        changed.denominator = changed.denominator.mul(scale)?;
        changed.reduce()?;
        self.measure(row);
        Ok(())
    }

    /// Counts the machine words of a row that was changed.
    fn measure(&mut self, row: Row) {
        let changed = &mut self.rows[row];
        let numbers = changed.entries.iter().map(|(_, coefficient)| coefficient);
        let words: u64 = numbers.chain([&changed.denominator, &changed.value]).map(Number::words).sum();
        self.size = self.size - changed.words + words as usize;
        changed.words = words as usize;
    }
}

impl<N: Number> SparseRow<N> {
    /// Divides the row by its common divisor.
    fn reduce(&mut self) -> Result<(), Overflow> {
        let mut divisor = self.denominator.clone();
        for (_, coefficient) in &self.entries {
            if divisor.is_one() {
                return Ok(());
            }
            divisor = divisor.gcd(coefficient)?;
        }
        if !divisor.is_one() {
            self.denominator = self.denominator.div_exact(&divisor);
            self.value = self.value.div_exact(&divisor);
            for (_, coefficient) in &mut self.entries {
                *coefficient = coefficient.div_exact(&divisor);
            }
        }
        Ok(())
    }

    fn position(&self, column: Column) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&(column as u32), |entry| entry.0)
    }
}

impl<N: Number> Tableau<N> for SparseTableau<N> {
    fn clear(&mut self) {
        self.rows.clear();
        self.columns.clear();
        self.size = 0;
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn size(&self) -> usize {
        self.size
    }

    fn row<'a>(&'a self, row: Row) -> impl Iterator<Item = (Column, &'a N)>
    where
        N: 'a,
    {
        self.rows[row].entries.iter().map(|(column, coefficient)| (*column as Column, coefficient))
    }

    fn coefficient(&self, row: Row, column: Column) -> &N {
        let row = &self.rows[row];
        row.position(column).map_or(&self.zero, |position| &row.entries[position].1)
    }

    fn denominator(&self, row: Row) -> &N {
        &self.rows[row].denominator
    }

    fn value(&self, row: Row) -> &N {
        &self.rows[row].value
    }

    fn add_column(&mut self) -> Column {
        self.columns.push(Vec::new());
        self.columns.len() - 1
    }

    fn add_row(&mut self) -> Row {
        self.rows.push(SparseRow { entries: Vec::new(), denominator: N::ONE, value: N::ZERO, words: 0 });
        self.rows.len() - 1
    }

    fn add_nonbasic(&mut self, row: Row, factor: &N, column: Column, value: &N) -> Result<(), Overflow> {
        let scaled = factor.mul(&self.rows[row].denominator)?;
        let entry = [(column as u32, scaled.clone())];
        self.combine(row, &N::ONE, &N::ONE, &entry, &scaled.mul(value)?)
    }

    fn add_basic(&mut self, row: Row, factor: &N, other: Row) -> Result<(), Overflow> {
        // d*b = r and e*c = s give d*e*(b + f*c) = e*r + d*f*s.
        let SparseRow { entries, denominator, value, .. } = self.rows[other].clone();
        let weight = self.rows[row].denominator.mul(factor)?;
        self.combine(row, &denominator, &weight, &entries, &value)
    }

    fn shift_column(&mut self, column: Column, change: &N) -> Result<(), Overflow> {
        for row in self.exact_rows(column) {
            let value = self.rows[row].value.add_mul(self.coefficient(row, column), change)?;
            self.rows[row].value = value;
        }
        Ok(())
    }

    fn remove_row(&mut self, row: Row) {
        let removed = self.rows.swap_remove(row);
        self.size -= removed.words;
        if let Some(moved) = self.rows.get(row) {
            for (column, _) in &moved.entries {
                self.columns[*column as Column].push(row as u32);
            }
        }
    }

    fn pivot(&mut self, row: Row, column: Column, target: &N, entering: &N) -> Result<u64, Overflow> {
        let touched = self.exact_rows(column);
        let SparseRow { mut entries, denominator, value, words } = self.rows[row].clone();
        let Ok(position) = self.rows[row].position(column) else { return Ok(0) };
        let pivot = entries[position].1.clone();
        // By how much denominator * entering changes, up to the pivot's sign.
        let mut change = denominator.mul(target)?.sub(&value)?;
        let scale;
        if pivot.signum() > 0 {
            for (_, coefficient) in &mut entries {
                *coefficient = coefficient.neg()?;
            }
            entries[position].1 = denominator;
            scale = pivot;
        } else {
            entries[position].1 = denominator.neg()?;
            scale = pivot.neg()?;
            change = change.neg()?;
        }
        let mut cost = entries.len() as u64;
        for other in touched.into_iter().filter(|&other| other != row) {
            let Ok(place) = self.rows[other].position(column) else { continue };
            // The entering variable's own entry is replaced, not added to.
            let factor = self.rows[other].entries.remove(place).1;
            let divisor = scale.gcd(&factor)?;
            let (scale, factor) = (scale.div_exact(&divisor), factor.div_exact(&divisor));
            self.combine(other, &scale, &factor, &entries, &change)?;
            // Products and quotients of long numbers take quadratic time.
            let changed = &self.rows[other];
            cost += changed.words as u64 * changed.denominator.words();
        }
        let value = change.add_mul(&scale, entering)?;
        self.rows[row] = SparseRow { entries, denominator: scale, value, words };
        self.measure(row);
        Ok(cost)
    }

    fn row_with(&self, column: Column, key: impl Fn(Row) -> u32) -> Option<Row> {
        self.rows_of(column).min_by_key(|&row| key(row))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::conjunction::tableau::DenseTableau;

    const COLUMNS: usize = 5;

    fn build<T: Tableau<i64>>(rows: &[[i64; COLUMNS]]) -> T {
        let mut tableau = T::default();
        for _ in 0..COLUMNS {
            tableau.add_column();
        }
        for coefficients in rows {
            let row = tableau.add_row();
            for (column, coefficient) in coefficients.iter().enumerate().filter(|(_, c)| **c != 0) {
                tableau.add_nonbasic(row, coefficient, column, &(column as i64)).unwrap();
            }
        }
        tableau
    }

    /// Entries, denominator and value.
    type Contents = (Vec<(Column, i64)>, i64, i64);

    fn contents<T: Tableau<i64>>(tableau: &T) -> Vec<Contents> {
        let row = |row: Row| tableau.row(row).map(|(column, c)| (column, *c)).collect();
        let rows = 0..tableau.rows();
        rows.map(|r| (row(r), *tableau.denominator(r), *tableau.value(r))).collect()
    }

    /// Pivots, shifts, sums and removals, told apart by a number.
    fn act<T: Tableau<i64>>(tableau: &mut T, values: &mut [i64; COLUMNS], action: (u8, usize, usize)) {
        let (kind, row, column) = action;
        if tableau.rows() == 0 {
            return;
        }
        let row = row % tableau.rows();
        match kind {
            0 => tableau.remove_row(row),
            1 => {
                values[column] += 2;
                tableau.shift_column(column, &2).unwrap();
            }
            2 => {
                let sum = tableau.add_row();
                tableau.add_nonbasic(sum, &3, column, &values[column]).unwrap();
                tableau.add_basic(sum, &-2, row).unwrap();
            }
            _ if *tableau.coefficient(row, column) != 0 => {
                tableau.pivot(row, column, &7, &values[column]).unwrap();
                values[column] = 7;
            }
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn sparse_and_dense_tableaus_agree(
            rows in prop::collection::vec(prop::array::uniform5(-2i64..=2), 1..5),
            script in prop::collection::vec((0u8..7, 0usize..6, 0..COLUMNS), 0..10),
        ) {
            let (mut sparse, mut dense): (SparseTableau<i64>, DenseTableau<i64>) = (build(&rows), build(&rows));
            let mut values: [i64; COLUMNS] = std::array::from_fn(|column| column as i64);
            for action in script {
                let mut other_values = values;
                act(&mut sparse, &mut values, action);
                act(&mut dense, &mut other_values, action);
                prop_assert_eq!(contents(&sparse), contents(&dense));
                for (entries, denominator, value) in contents(&dense) {
                    // The value is what the row says, and the row is reduced.
                    prop_assert_eq!(entries.iter().map(|(column, c)| c * values[*column]).sum::<i64>(), value);
                    let divisor = entries.iter().fold(denominator, |d, (_, c)| Number::gcd(&d, c).unwrap());
                    prop_assert_eq!(divisor, 1);
                }
            }
        }
    }
}
