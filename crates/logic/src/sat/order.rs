//! The order of decisions: the atoms that took part in recent conflicts first.
//!
//! Activities grow by an amount that grows itself with every conflict, which is the same as
//! letting all of them decay; a binary heap finds the most active atom.

use rely_base::Id;

use super::clause::AtomId;

const DECAY: f64 = 0.95;
const RESCALE_AT: f64 = 1e100;

/// A heap of atoms by activity.
#[derive(Clone, Debug)]
pub(super) struct DecisionOrder {
    activity: Vec<f64>,
    increment: f64,
    heap: Vec<AtomId>,
    /// Where in the heap an atom is.
    position: Vec<Option<u32>>,
}

impl Default for DecisionOrder {
    fn default() -> Self {
        Self { activity: Vec::new(), increment: 1.0, heap: Vec::new(), position: Vec::new() }
    }
}

impl DecisionOrder {
    /// Adds an atom with the next number.
    pub(super) fn add_atom(&mut self) {
        let atom = AtomId::from_index(self.activity.len());
        self.activity.push(0.0);
        self.position.push(None);
        self.insert(atom);
    }

    /// Forgets all atoms from the given number on, and puts all others in.
    pub(super) fn truncate(&mut self, count: usize) {
        self.activity.truncate(count);
        self.position.clear();
        self.position.resize(count, None);
        self.heap.clear();
        for index in 0..count {
            self.insert(AtomId::from_index(index));
        }
    }

    /// Makes an atom available for a decision.
    pub(super) fn insert(&mut self, atom: AtomId) {
        if self.position[atom.index()].is_none() {
            self.heap.push(atom);
            self.place(self.heap.len() - 1, atom);
            self.sift_up(self.heap.len() - 1);
        }
    }

    /// Takes the most active atom out.
    pub(super) fn pop(&mut self) -> Option<AtomId> {
        let top = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.position[top.index()] = None;
        if last != top {
            self.place(0, last);
            self.sift_down(0);
        }
        Some(top)
    }

    /// Notes that an atom took part in a conflict.
    pub(super) fn bump(&mut self, atom: AtomId) {
        self.activity[atom.index()] += self.increment;
        if self.activity[atom.index()] > RESCALE_AT {
            self.activity.iter_mut().for_each(|activity| *activity /= RESCALE_AT);
            self.increment /= RESCALE_AT;
        }
        if let Some(position) = self.position[atom.index()] {
            self.sift_up(position as usize);
        }
    }

    /// Lets all activities fade against those to come.
    pub(super) fn decay(&mut self) {
        self.increment /= DECAY;
    }

    fn place(&mut self, position: usize, atom: AtomId) {
        self.heap[position] = atom;
        self.position[atom.index()] = Some(position as u32);
    }

    fn is_before(&self, left: AtomId, right: AtomId) -> bool {
        self.activity[left.index()] > self.activity[right.index()]
    }

    fn sift_up(&mut self, mut position: usize) {
        let atom = self.heap[position];
        while position > 0 {
            let parent = (position - 1) / 2;
            if !self.is_before(atom, self.heap[parent]) {
                break;
            }
            self.place(position, self.heap[parent]);
            position = parent;
        }
        self.place(position, atom);
    }

    fn sift_down(&mut self, mut position: usize) {
        let atom = self.heap[position];
        loop {
            let left = 2 * position + 1;
            if left >= self.heap.len() {
                break;
            }
            let right = left + 1;
            let better = right < self.heap.len() && self.is_before(self.heap[right], self.heap[left]);
            let child = if better { right } else { left };
            if !self.is_before(self.heap[child], atom) {
                break;
            }
            self.place(position, self.heap[child]);
            position = child;
        }
        self.place(position, atom);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_active_atom_comes_first() {
        let mut order = DecisionOrder::default();
        for _ in 0..20 {
            order.add_atom();
        }
        for (round, index) in [7usize, 3, 11, 3, 19, 7, 3].into_iter().enumerate() {
            order.bump(AtomId::from_index(index));
            if round > 2 {
                order.decay();
            }
        }
        let mut popped: Vec<usize> = std::iter::from_fn(|| order.pop()).map(AtomId::index).collect();
        assert_eq!(&popped[..4], &[3, 7, 19, 11]);
        popped.sort_unstable();
        assert_eq!(popped, (0..20).collect::<Vec<_>>());
        order.insert(AtomId::from_index(5));
        order.insert(AtomId::from_index(5));
        assert_eq!(order.pop(), Some(AtomId::from_index(5)));
        assert_eq!(order.pop(), None);
    }
}
