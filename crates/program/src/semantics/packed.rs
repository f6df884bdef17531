//! States as short byte strings, for those who keep millions of them.
//!
//! The encoding is exact: equal states have equal strings, different states different ones,
//! and [`Semantics::unpack`] gives back the state. Small numbers take one byte each. A string
//! only has a meaning together with its program:
//!
//! ```text
//! 2 * (number of spawned template threads) + (1 if the program has halted)
//! for each slot:  [the thread, if it was spawned from a template]
//!                 0 if it has not started, otherwise 1 + its location's number in the thread
//! for each cell:  its value
//! ```
//!
//! Numbers are little-endian groups of seven bits; values are folded so that small negative
//! numbers are short as well.

use super::Semantics;
use super::state::{Slot, State};
use crate::ir::ThreadId;
use crate::types::Value;
use rely_base::Id;

/// A byte string that is no state of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not a state of the program")]
pub struct NotAState;

impl Semantics<'_> {
    /// Appends the encoding of a state to `bytes`.
    pub fn pack(&self, state: &State, bytes: &mut Vec<u8>) {
        let instances = self.layout.instances.len();
        let spawned = state.slots.len() - instances;
        push_number(bytes, (spawned as u128) << 1 | u128::from(state.halted));
        for (index, slot) in state.slots.iter().enumerate() {
            if index >= instances {
                push_number(bytes, slot.thread.index() as u128);
            }
            let location = slot.location.map_or(0, |at| 1 + self.layout.location_numbers[at]);
            push_number(bytes, u128::from(location));
        }
        for &cell in &state.cells {
            push_number(bytes, fold(cell));
        }
    }

    /// Makes `state` the one that the bytes encode. If they encode none, `state` is of no use
    /// any more.
    pub fn unpack(&self, bytes: &[u8], state: &mut State) -> Result<(), NotAState> {
        let mut reader = Reader { bytes };
        let header = reader.number()?;
        state.halted = header & 1 == 1;
        state.slots.clear();
        state.cells.clear();
        let mut first_cell = self.layout.initial_globals.len();
        for &thread in &self.layout.instances {
            first_cell = self.unpack_slot(&mut reader, state, thread, first_cell)?;
        }
        for _ in 0..header >> 1 {
            let thread = self.unpack_template(&mut reader)?;
            first_cell = self.unpack_slot(&mut reader, state, thread, first_cell)?;
        }
        for _ in 0..first_cell {
            state.cells.push(unfold(reader.number()?));
        }
        if reader.bytes.is_empty() { Ok(()) } else { Err(NotAState) }
    }

    /// Adds a slot to the state and returns where the cells of the next one begin.
    fn unpack_slot(
        &self,
        reader: &mut Reader<'_>,
        state: &mut State,
        thread: ThreadId,
        first_cell: usize,
    ) -> Result<usize, NotAState> {
        let location = match reader.number()? {
            0 => None,
            number => {
                let index = usize::try_from(number - 1).map_err(|_| NotAState)?;
                Some(*self.layout.thread_locations[thread].get(index).ok_or(NotAState)?)
            }
        };
        let cell = u32::try_from(first_cell).map_err(|_| NotAState)?;
        state.slots.push(Slot { thread, location, first_cell: cell });
        Ok(first_cell + self.layout.initial_locals(thread).len())
    }

    fn unpack_template(&self, reader: &mut Reader<'_>) -> Result<ThreadId, NotAState> {
        let index = reader.number()?;
        if index >= self.program.threads.len() as u128 {
            return Err(NotAState);
        }
        let thread = ThreadId::from_index(index as usize);
        if self.layout.instance_first_cell(thread).is_some() { Err(NotAState) } else { Ok(thread) }
    }
}

/// Numbers near zero, of either sign, become small.
fn fold(value: Value) -> u128 {
    (value << 1 ^ value >> 127) as u128
}

fn unfold(folded: u128) -> Value {
    (folded >> 1) as Value ^ -((folded & 1) as Value)
}

#[inline]
fn push_number(bytes: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

struct Reader<'b> {
    bytes: &'b [u8],
}

impl Reader<'_> {
    #[inline]
    fn number(&mut self) -> Result<u128, NotAState> {
        match self.bytes {
            [first, rest @ ..] if *first < 0x80 => {
                self.bytes = rest;
                Ok(u128::from(*first))
            }
            _ => self.long_number(),
        }
    }

    fn long_number(&mut self) -> Result<u128, NotAState> {
        let mut number = 0_u128;
        for shift in (0..128).step_by(7) {
            let (&byte, rest) = self.bytes.split_first().ok_or(NotAState)?;
            self.bytes = rest;
            let bits = u128::from(byte & 0x7f);
            number |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits).ok_or(NotAState)?;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(NotAState)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Expr, Initial, Op, Outcome, Place, ProgramBuilder, Scope, Sort, ThreadKind, Var};

    #[test]
    fn numbers_come_back() {
        let edges = [0, 1, -1, 63, 64, -64, -65, 127, 128, 1 << 40, Value::MAX, Value::MIN, Value::MIN + 1];
        for value in edges {
            let mut bytes = Vec::new();
            push_number(&mut bytes, fold(value));
            assert_eq!(unfold(Reader { bytes: &bytes }.number().unwrap()), value);
        }
    }

    /// An instance that spawns a template with a local, over two globals.
    fn spawner() -> crate::Program {
        let mut builder = ProgramBuilder::new("spawner");
        builder.global("x", Sort::Int, -1000);
        let initial = Initial::Any(Domain::AllInts);
        let any = Var {
            name: "y".into(),
            sort: Sort::Int,
            scope: Scope::Global,
            length: None,
            initial,
            span: None,
            atomic: false,
        };
        let y = builder.var(any);
        let worker = builder.thread("worker", ThreadKind::Template);
        builder.local(worker, "v", Sort::Int, 7);
        let main = builder.thread("main", ThreadKind::Instance { running: true });
        let spawn = Op::Spawn { thread: worker, arguments: vec![], handle: Some(Place::Scalar(y)) };
        builder.edge(builder.entry(main), builder.entry(main), vec![spawn], None);
        builder.edge(builder.entry(main), builder.exit(main), vec![Op::Halt], None);
        builder.edge(builder.entry(worker), builder.exit(worker), vec![Op::wait(Expr::Bool(true))], None);
        builder.finish().unwrap()
    }

    #[test]
    fn states_come_back() {
        let program = spawner();
        let semantics = Semantics::new(&program);
        let mut states = vec![semantics.initial(&[Value::MIN]).unwrap()];
        let mut strings = Vec::new();
        for round in 0..20 {
            let state = states[round].clone();
            for slot in state.slots() {
                let Some(location) = state.location(slot) else { continue };
                for &edge in program.outgoing(location) {
                    if let Ok(Outcome::Moved(next)) = semantics.step(&state, slot, edge, &[]) {
                        states.push(next);
                    }
                }
            }
        }
        for state in &states {
            let (mut bytes, mut back) = (Vec::new(), State::default());
            semantics.pack(state, &mut bytes);
            semantics.unpack(&bytes, &mut back).unwrap();
            assert_eq!(&back, state);
            strings.push(bytes);
        }
        for (left, left_bytes) in states.iter().zip(&strings) {
            for (right, right_bytes) in states.iter().zip(&strings) {
                assert_eq!(left == right, left_bytes == right_bytes);
            }
        }
    }

    #[test]
    fn other_bytes_are_no_state() {
        let program = spawner();
        let semantics = Semantics::new(&program);
        let mut bytes = Vec::new();
        semantics.pack(&semantics.initial(&[5]).unwrap(), &mut bytes);
        let mut state = State::default();
        let mut check = |bytes: &[u8]| assert_eq!(semantics.unpack(bytes, &mut state), Err(NotAState));
        for length in 0..bytes.len() {
            check(&bytes[..length]);
        }
        check(&[&bytes[..], &[0]].concat());
        check(&[0xff; 40]); // a number of too many bits
        check(&[2, 1, 1, 1]); // an instance where a template must be
        check(&[2, 1, 9, 1]); // no such thread
        check(&[0, 9, 0, 0]); // no such location
    }
}
