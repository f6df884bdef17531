//! Allocated objects.

use super::{Facts, Object, ObjectKey, Storage, ThreadKey};
use crate::layout::{Unsupported, leaves_of_shape};
use crate::shape::Shape;
use crate::types::CType;
use crate::value::ObjectId;
use rely_base::Span;
use std::rc::Rc;

/// A place that allocates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub(crate) thread: ThreadKey,
    /// The calls that lead to it, the outermost first, and itself.
    pub(crate) path: Vec<usize>,
}

/// What is known of an allocated object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    /// Where it is kept whether the object is in use.
    pub(crate) states: ObjectId,
    /// Where its size is kept, if that varies.
    pub(crate) sizes: Option<ObjectId>,
    /// Its number in its pool.
    pub(crate) index: usize,
    pub(crate) is_pooled: bool,
}

impl Facts {
    /// Makes an allocated object. What it holds is found out from the first pointer to something
    /// that points to it.
    pub(crate) fn add_allocated(&mut self, key: ObjectKey, bytes: u64, span: Span) -> ObjectId {
        if let Some(id) = self.find(&key) {
            return id;
        }
        let (name, ty) = ("heap".to_owned(), CType::Array(Rc::new(CType::Void), Some(bytes)));
        let (storage, shape, leaves) = (Storage::Global, Shape::default(), Rc::from(Vec::new()));
        let span = Some(span);
        let id = self.objects.push(Object { key: key.clone(), name, ty, storage, span, shape, leaves });
        self.by_key.insert(key, id);
        self.untyped.insert(id);
        id
    }

    /// The size of an allocated object of which it is not known yet what it holds.
    pub(crate) fn untyped_size(&self, id: ObjectId) -> Option<u64> {
        if self.untyped.contains(&id) { self.records.size_of(&self.objects[id].ty) } else { None }
    }

    /// Notes where the state of an allocated object is kept.
    pub(crate) fn allocate(&mut self, id: ObjectId, allocation: Allocation) {
        self.allocations.insert(id, allocation);
    }

    pub(crate) fn allocation(&self, id: ObjectId) -> Option<Allocation> {
        self.allocations.get(&id).copied()
    }

    /// Notes where the length of an array is kept.
    pub(crate) fn set_length(&mut self, array: ObjectId, length: ObjectId) {
        self.lengths.insert(array, length);
    }

    pub(crate) fn length(&self, array: ObjectId) -> Option<ObjectId> {
        self.lengths.get(&array).copied()
    }

    /// Notes that a place that allocates may be reached more than once.
    pub(crate) fn pool(&mut self, site: &Site) {
        self.grown |= self.pooled.insert(site.clone());
    }

    pub(crate) fn is_pooled(&self, site: &Site) -> bool {
        self.pooled.contains(site)
    }

    /// Notes that an object is given to `free`.
    pub(crate) fn free(&mut self, id: ObjectId) {
        self.grown |= self.freed.insert(id);
    }

    pub(crate) fn is_freed(&self, id: ObjectId) -> bool {
        self.freed.contains(&id)
    }

    /// Whether memory is freed that could lie where one of these objects lies later: that of another place that
    /// allocates, or of another object of the same one.
    pub(crate) fn may_reuse_addresses(&self, objects: &[ObjectId]) -> bool {
        self.freed.iter().any(|freed| objects != [*freed])
    }

    /// Notes what an allocated object holds.
    pub(crate) fn set_type(&mut self, id: ObjectId, ty: CType) -> Result<(), Unsupported> {
        let leaves = leaves_of_shape(&self.records, &ty, &Shape::default())?;
        let object = &mut self.objects[id];
        object.ty = ty;
        object.leaves = leaves.into();
        self.untyped.remove(&id);
        self.grown = true;
        Ok(())
    }
}
