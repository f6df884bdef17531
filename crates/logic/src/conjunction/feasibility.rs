//! The pivoting of the simplex: from any point to one that respects all bounds, or to a row that
//! shows that there is none.

use super::effort::{Effort, Halt};
use super::number::{Number, Overflow};
use super::simplex::{Place, Side, Simplex, Slot, combine, weighted};
use super::tableau::{Column, Row, Tableau};
use crate::certificate::Combination;

/// Why there is no solution: a row whose basic variable cannot reach a bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct StuckRow {
    row: Row,
    side: Side,
}

impl<N: Number, T: Tableau<N>> Simplex<N, T> {
    /// Pivots until all bounds hold, or until a row shows that they cannot.
    pub(super) fn make_feasible(&mut self, effort: &mut Effort<'_>) -> Result<Option<StuckRow>, Halt> {
        // Bland's rule does not cycle but is slow: it takes over when the greedy rule has had
        // its chance.
        let mut greedy_pivots = 20 + 4 * self.tableau.rows();
        loop {
            let careful = greedy_pivots == 0;
            let Some(stuck) = self.violated_row(careful)? else { return Ok(None) };
            let Some(column) = self.entering_column(stuck, careful) else { return Ok(Some(stuck)) };
            effort.pivot(self.tableau.size())?;
            greedy_pivots = greedy_pivots.saturating_sub(1);
            let bound = match stuck.side {
                Side::Lower => &self.lower[self.basic[stuck.row]],
                Side::Upper => &self.upper[self.basic[stuck.row]],
            };
            let Some(target) = bound.as_ref().map(|bound| bound.value.clone()) else { continue };
            let cost = self.exchange(stuck.row, column, target)?;
            effort.work(cost)?;
        }
    }

    /// A row whose basic variable violates a bound; with `careful`, that of the lowest number.
    fn violated_row(&self, careful: bool) -> Result<Option<StuckRow>, Overflow> {
        let mut best: Option<StuckRow> = None;
        for row in 0..self.tableau.rows() {
            if let Some(side) = self.violated_side(row)? {
                let better = best.is_none_or(|best| self.basic[row] < self.basic[best.row]);
                if better {
                    best = Some(StuckRow { row, side });
                }
                if !careful {
                    break;
                }
            }
        }
        Ok(best)
    }

    #[inline]
    fn violated_side(&self, row: Row) -> Result<Option<Side>, Overflow> {
        let slot = self.basic[row];
        if let Some(bound) = &self.lower[slot]
            && self.beyond(row, &bound.value, Side::Lower)?
        {
            return Ok(Some(Side::Lower));
        }
        if let Some(bound) = &self.upper[slot]
            && self.beyond(row, &bound.value, Side::Upper)?
        {
            return Ok(Some(Side::Upper));
        }
        Ok(None)
    }

    /// Whether the row's basic variable lies beyond a bound of the given side.
    #[inline]
    fn beyond(&self, row: Row, bound: &N, side: Side) -> Result<bool, Overflow> {
        let (value, denominator) = (self.tableau.value(row), self.tableau.denominator(row));
        let order = if denominator.is_one() { value.cmp(bound) } else { value.cmp(&bound.mul(denominator)?) };
        let order = match self.infinitesimal {
            Some(slot) if order.is_eq() => self.infinitesimal_part(row, slot).cmp(&0),
            _ => order,
        };
        Ok(match side {
            Side::Lower => order.is_lt(),
            Side::Upper => order.is_gt(),
        })
    }

    /// The sign of the infinitesimal's coefficient in a row.
    fn infinitesimal_part(&self, row: Row, infinitesimal: Slot) -> i32 {
        match self.places[infinitesimal] {
            Place::Nonbasic(column) => self.tableau.coefficient(row, column).signum(),
            Place::Basic(_) => 0,
        }
    }

    /// A column whose variable can move so that the violated row gets better. With `careful`, the
    /// variable of the lowest number; else one without bounds if possible, because as a basic
    /// variable it will never be violated, and one that keeps the row's denominator small.
    fn entering_column(&self, stuck: StuckRow, careful: bool) -> Option<Column> {
        let mut best: Option<(Column, (usize, bool))> = None;
        for (column, coefficient) in self.tableau.row(stuck.row) {
            let slot = self.nonbasic[column];
            if !self.can_move(slot, stuck.side, coefficient.signum()) {
                continue;
            }
            let rank = if careful {
                (slot, false)
            } else {
                (self.bound_count(slot) as usize, !coefficient.is_unit())
            };
            if best.as_ref().is_none_or(|(_, best)| rank < *best) {
                best = Some((column, rank));
            }
        }
        best.map(|(column, _)| column)
    }

    /// Whether a nonbasic variable with a coefficient of this sign has room to move a row's basic
    /// variable away from the violated bound.
    #[inline]
    fn can_move(&self, slot: Slot, violated: Side, sign: i32) -> bool {
        if Some(slot) == self.infinitesimal {
            return false;
        }
        let upwards = (violated == Side::Lower) == (sign > 0);
        if upwards {
            self.upper[slot].as_ref().is_none_or(|bound| self.values[slot] < bound.value)
        } else {
            self.lower[slot].as_ref().is_none_or(|bound| self.values[slot] > bound.value)
        }
    }

    /// The proof that a stuck row holds.
    pub(super) fn explain(&self, stuck: StuckRow) -> Combination {
        let StuckRow { row, side } = stuck;
        let mut parts = Vec::with_capacity(self.tableau.columns() + 1);
        let own = match side {
            Side::Lower => &self.lower[self.basic[row]],
            Side::Upper => &self.upper[self.basic[row]],
        };
        parts.extend(own.as_ref().map(|bound| weighted(bound, side, self.tableau.denominator(row))));
        for (column, coefficient) in self.tableau.row(row) {
            let slot = self.nonbasic[column];
            if Some(slot) == self.infinitesimal {
                continue;
            }
            // Whatever would help is blocked by the bound on that side.
            let blocked = if coefficient.signum() > 0 { side.opposite() } else { side };
            let bound = match blocked {
                Side::Lower => &self.lower[slot],
                Side::Upper => &self.upper[slot],
            };
            parts.extend(bound.as_ref().map(|bound| weighted(bound, blocked, coefficient)));
        }
        combine(parts)
    }
}
