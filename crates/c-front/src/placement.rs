//! Where the members of structures and unions lie: the rules of gcc for x86-64.
//!
//! Positions are counted in bits. A member begins at the next multiple of its alignment, which is
//! that of its type unless the member, the structure or `#pragma pack` says otherwise; a bit-field
//! begins at the next bit, unless it would reach over more units of its type than one such type
//! takes. The rules are those of `place_field` and `layout_decl` in gcc's `stor-layout.cc`; the tests
//! compare them with gcc on generated structures.

use crate::types::{BitField, CType, MemoryLocation};

/// A member as it is declared.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Option<String>,
    pub(crate) ty: CType,
    /// The alignment that a `typedef` gives the type, if it is not its own.
    pub(crate) type_align: Option<u64>,
    /// What `aligned` or `_Alignas` says at the member.
    pub(crate) align: Option<u64>,
    pub(crate) is_packed: bool,
    /// The number of bits of a bit-field.
    pub(crate) width: Option<u64>,
}

impl Member {
    /// The type of the member if it begins with this bit.
    pub(crate) fn placed_type(&self, start: u64) -> CType {
        match (self.width, self.ty.scalar()) {
            (Some(width @ 1..=64), Some(kind)) => CType::BitField(BitField {
                kind,
                shift: (start % BYTE) as u8,
                width: width as u8,
                location: MemoryLocation::default(),
            }),
            _ => self.ty.clone(),
        }
    }
}

#[cfg(test)]
impl Member {
    pub(crate) fn plain(name: &str, ty: CType) -> Self {
        Member { name: Some(name.into()), ty, type_align: None, align: None, is_packed: false, width: None }
    }
}

/// What is said about all members.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Packing {
    pub(crate) is_packed: bool,
    /// What `aligned` says at the structure.
    pub(crate) align: Option<u64>,
    /// What `#pragma pack` says.
    pub(crate) limit: Option<u64>,
}

/// The bits with which members begin, and what the whole takes, in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) starts: Vec<u64>,
    pub(crate) size: u64,
    pub(crate) align: u64,
}

const BYTE: u64 = 8;

/// Places members whose types have these sizes and alignments.
pub(crate) fn place(members: &[Member], sizes: &[(u64, u64)], packing: Packing, is_union: bool) -> Placed {
    let mut align = packing.align.unwrap_or(1).saturating_mul(BYTE).max(BYTE);
    let (mut next, mut size, mut starts) = (0_u64, 0_u64, Vec::with_capacity(members.len()));
    for (member, &(type_size, type_align)) in members.iter().zip(sizes) {
        let part = Part::new(member, type_size, type_align, packing);
        align = align.max(part.align_of_whole);
        let start = if is_union { 0 } else { part.start(next) };
        next = start.saturating_add(part.bits);
        size = size.max(next);
        starts.push(start);
    }
    let size = size.checked_next_multiple_of(align).unwrap_or(u64::MAX);
    Placed { starts, size: size / BYTE, align: align / BYTE }
}

/// How one member is placed; all in bits.
struct Part {
    bits: u64,
    align: u64,
    /// The alignment that the structure must have for it.
    align_of_whole: u64,
    /// The size and the alignment of the type of which a bit-field may not span too many.
    unit: Option<(u64, u64)>,
}

impl Part {
    fn new(member: &Member, type_size: u64, type_align: u64, packing: Packing) -> Self {
        let (type_size, type_align) = (type_size.saturating_mul(BYTE), type_align * BYTE);
        let limit = packing.limit.map(|bytes| bytes * BYTE);
        let own = member.align.map(|bytes| bytes * BYTE);
        let is_packed = member.is_packed || packing.is_packed;
        let limited = |align: u64| limit.map_or(align, |limit| align.min(limit));
        match member.width {
            None => {
                let align = match (is_packed, own) {
                    (true, Some(own)) => own,
                    (true, None) => BYTE,
                    (false, own) => own.unwrap_or(0).max(type_align),
                };
                let align = limited(align);
                Part { bits: type_size, align, align_of_whole: align, unit: None }
            }
            // Such a bit-field only ends those before it, whatever is packed.
            Some(0) => {
                let align = own.unwrap_or(0).max(type_align);
                Part { bits: 0, align, align_of_whole: BYTE, unit: None }
            }
            Some(bits) => {
                let align = limited(own.unwrap_or(1));
                let of_type = match (limit, is_packed) {
                    (Some(limit), _) => type_align.min(limit),
                    (None, true) => BYTE,
                    (None, false) => type_align,
                };
                let align_of_whole = if member.name.is_some() { align.max(of_type) } else { BYTE };
                let unit = (!is_packed && limit.is_none()).then_some((type_size, type_align));
                Part { bits, align, align_of_whole, unit }
            }
        }
    }

    /// Where it begins if the next free bit is this one.
    fn start(&self, next: u64) -> u64 {
        let start = next.checked_next_multiple_of(self.align).unwrap_or(u64::MAX);
        match self.unit {
            Some((size, align)) if (start % align + self.bits).div_ceil(align) > size / align => {
                start.checked_next_multiple_of(align).unwrap_or(u64::MAX)
            }
            _ => start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::IntKind;

    /// Members by the bytes of their type and, for bit-fields, the bits.
    fn check(members: &[(u64, Option<u64>)], packing: Packing, starts: &[u64], size: u64, align: u64) {
        let sizes: Vec<(u64, u64)> = members.iter().map(|&(size, _)| (size, size)).collect();
        let members: Vec<Member> = members
            .iter()
            .map(|&(_, width)| Member { width, ..Member::plain("m", CType::Int(IntKind::Int)) })
            .collect();
        let expected = Placed { starts: starts.to_vec(), size, align };
        assert_eq!(place(&members, &sizes, packing, false), expected);
    }

    #[test]
    fn members_are_padded_and_packed() {
        let plain = Packing::default();
        check(&[(1, None), (8, None), (2, None)], plain, &[0, 64, 128], 24, 8);
        check(&[(1, None), (8, None)], Packing { is_packed: true, ..plain }, &[0, 8], 9, 1);
        check(&[(1, None), (8, None)], Packing { limit: Some(2), ..plain }, &[0, 16], 10, 2);
        check(&[(1, None)], Packing { align: Some(16), ..plain }, &[0], 16, 16);
    }

    #[test]
    fn bit_fields_do_not_reach_over_their_type() {
        let plain = Packing::default();
        check(&[(4, Some(20)), (4, Some(20))], plain, &[0, 32], 8, 4);
        check(&[(4, Some(20)), (4, Some(20))], Packing { is_packed: true, ..plain }, &[0, 20], 5, 1);
        check(&[(4, Some(3)), (4, Some(0)), (1, None)], plain, &[0, 32, 32], 8, 4);
        check(&[(1, None), (4, Some(3))], plain, &[0, 8], 4, 4);
    }
}
