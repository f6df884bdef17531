//! What is known of a program's memory, gathered while lowering it and used when lowering it
//! again.
//!
//! A pointer that the program assigns while it runs is kept as a number, and a use of it asks
//! which of the objects that it may point to has this number. Which these are depends on all
//! assignments of the whole program. So the program is lowered in rounds: each round notes
//! what is stored where, and starts from what the last one has noted, until nothing is added.
//! Everything here only ever grows, and there are finitely many objects, so that ends.

mod heap;
mod reshape;

pub(crate) use heap::{Allocation, Site};

use crate::Wakeups;
use crate::image::Image;
use crate::layout::{Leaf, Unsupported, leaf_at, leaves_of_shape};
use crate::shape::Shape;
use crate::types::{CType, Records};
use crate::value::{ObjectId, Target, Targets, merge_targets};
use rely_base::{Arena, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The thread in which something lives, by the name of its function.
pub(crate) type ThreadKey = Rc<str>;

/// What an object is, so that each round finds the same one. Declarations are told apart by
/// their positions. At any time a thread has at most one activation of each function at each
/// depth of recursion, so their locals need to exist only once in each thread and depth.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKey {
    Global(String),
    StaticLocal(usize),
    Local(ThreadKey, usize),
    /// A local, or a result, of a function that returns `void *`: what it points to depends on the call, so it is told apart
    /// by the calls that lead there, the outermost first, and its position.
    LocalOfCall(ThreadKey, Vec<usize>),
    /// An array of variable length with room for so many elements, which depends on the call.
    VariableArray(ThreadKey, usize, u64),
    /// A variable of which each thread has its own.
    ThreadLocal(ThreadKey, String),
    /// What an allocation yields, by its number in the pool of the place.
    Heap(Site, usize),
    /// Which objects of a pool are in use.
    HeapStates(Site),
    /// How large the objects of a pool are.
    HeapSizes(Site),
    Function(String),
    /// Where a function leaves its result; a structure, depending on where it is called.
    FunctionResult(ThreadKey, String, usize),
    /// Where a call through a pointer leaves the result of whatever function it calls.
    CallResult(ThreadKey, usize),
    /// What a structure was when the expression at a position was evaluated.
    Copy(ThreadKey, usize),
    /// Where a thread leaves the result that `pthread_join` fetches.
    ThreadResult(String),
    /// Whether the only thread of a function was joined or detached.
    ThreadGone(String),
    /// What was read of an atomic structure in one step.
    AtomicCopy(ThreadKey, usize),
    /// How many elements an array of variable length has; whether all threads see that.
    ArrayLength(ThreadKey, usize, bool),
    /// What pointers of a type lead to that functions of a library are given.
    EntryArgument(String),
    /// Memory that does not belong to the program, by a name for all of it.
    Outside(&'static str),
}

/// Who has an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Global,
    /// One thread has it; of a thread that is started several times, each has its own.
    Thread(ThreadKey),
    /// It is a function.
    Code,
}

/// A piece of memory.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) key: ObjectKey,
    pub(crate) name: String,
    pub(crate) ty: CType,
    pub(crate) storage: Storage,
    pub(crate) span: Option<Span>,
    pub(crate) shape: Shape,
    /// Its scalars, as its type and its shape have it.
    pub(crate) leaves: Rc<[Leaf]>,
}

/// The argument with which a thread function is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StartArgument {
    /// Always this number.
    Number(i128),
    /// Always this address.
    Address(ObjectId, i64),
    Various,
}

/// Objects lie at addresses from here on; smaller numbers point nowhere.
const FIRST_ADDRESS: i128 = 4_096;

/// How much memory that does not belong to the program may be looked at from one pointer.
pub(crate) const OUTSIDE_BYTES: u64 = 1 << 32;

/// All that is known so far.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) records: Records,
    objects: Arena<ObjectId, Object>,
    by_key: FxHashMap<ObjectKey, ObjectId>,
    /// What the scalars of objects may point to.
    points_to: FxHashMap<Target, Targets>,
    /// Locals whose address is stored where other threads can find it.
    shared: FxHashSet<ObjectId>,
    /// Locals of `main` that live until it ends.
    main_locals: FxHashSet<ObjectId>,
    /// Whether `main` may end while other threads go on.
    main_leaves_others: bool,
    start_arguments: FxHashMap<String, StartArgument>,
    /// The scalars that get the result of a thread, and whether they are ever read.
    results: FxHashMap<Target, bool>,
    /// Thread functions whose results somebody asks for.
    wanted_results: FxHashSet<String>,
    /// Functions that several threads run whose results are wanted.
    blurred_results: FxHashSet<String>,
    /// Where objects lie, and where the next one will.
    addresses: FxHashMap<ObjectId, i128>,
    next_address: i128,
    /// With what objects start that exist for as long as the program runs. A round may follow
    /// a pointer to an object before it comes to the object's declaration, so these outlive
    /// rounds; so do addresses, which they contain.
    images: FxHashMap<ObjectId, Rc<Image>>,
    /// The shapes that objects get in the next round.
    reshaped: FxHashMap<ObjectId, (Shape, Rc<[Leaf]>)>,
    /// Allocated objects of which it is not known yet what they hold.
    untyped: FxHashSet<ObjectId>,
    allocations: FxHashMap<ObjectId, Allocation>,
    /// Where the lengths of arrays are kept that have a variable one.
    lengths: FxHashMap<ObjectId, ObjectId>,
    /// Places that allocate and are reached more than once perhaps.
    pooled: FxHashSet<Site>,
    /// Allocated objects that are given to `free`.
    freed: FxHashSet<ObjectId>,
    /// What the library keeps of mutexes and attributes, where it may be anything but zero.
    details: FxHashSet<Target>,
    /// Mutexes that are written to as memory, not by the library.
    copied_mutexes: FxHashSet<Target>,
    /// Strings in the text.
    strings: FxHashSet<ObjectId>,
    /// Arrays whose contents are not followed, because the library writes there.
    blurred: FxHashSet<Target>,
    /// Whether threads are created.
    has_threads: bool,
    /// Where keys of values of threads are created, with the functions that destroy these.
    keys: Vec<(usize, Option<String>)>,
    /// Thread functions whose threads are joined, or detached, more than once perhaps.
    rejoined: FxHashMap<String, Rejoined>,
    /// Whether something was added that this round may have missed.
    grown: bool,
}

/// How it is found out that a thread is joined twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rejoined {
    /// A variable knows whether its only thread was joined.
    Known,
    /// It is not found out.
    Unknown,
}

impl Facts {
    pub(crate) fn new(wakeups: Wakeups) -> Self {
        Facts {
            records: Records::new(wakeups),
            objects: Arena::default(),
            by_key: FxHashMap::default(),
            points_to: FxHashMap::default(),
            shared: FxHashSet::default(),
            main_locals: FxHashSet::default(),
            main_leaves_others: false,
            start_arguments: FxHashMap::default(),
            results: FxHashMap::default(),
            wanted_results: FxHashSet::default(),
            blurred_results: FxHashSet::default(),
            addresses: FxHashMap::default(),
            next_address: FIRST_ADDRESS,
            images: FxHashMap::default(),
            reshaped: FxHashMap::default(),
            untyped: FxHashSet::default(),
            allocations: FxHashMap::default(),
            lengths: FxHashMap::default(),
            pooled: FxHashSet::default(),
            freed: FxHashSet::default(),
            details: FxHashSet::default(),
            copied_mutexes: FxHashSet::default(),
            strings: FxHashSet::default(),
            blurred: FxHashSet::default(),
            has_threads: false,
            keys: Vec::new(),
            rejoined: FxHashMap::default(),
            grown: false,
        }
    }

    /// Whether the last round has added something, which the next one takes into account.
    pub(crate) fn take_grown(&mut self) -> bool {
        self.reshape();
        std::mem::take(&mut self.grown)
    }

    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id]
    }

    pub(crate) fn find(&self, key: &ObjectKey) -> Option<ObjectId> {
        self.by_key.get(key).copied()
    }

    pub(crate) fn add_object(
        &mut self,
        key: ObjectKey,
        name: String,
        ty: CType,
        storage: Storage,
        span: Option<Span>,
    ) -> Result<ObjectId, Unsupported> {
        if let Some(id) = self.find(&key) {
            return Ok(id);
        }
        let leaves = match storage {
            Storage::Code => Vec::new(),
            _ => leaves_of_shape(&self.records, &ty, &Shape::default())?,
        };
        let (shape, leaves) = (Shape::default(), leaves.into());
        let id = self.objects.push(Object { key: key.clone(), name, ty, storage, span, shape, leaves });
        self.by_key.insert(key, id);
        Ok(id)
    }

    /// The address at which an object lies. Any would do: they are numbered as they come.
    pub(crate) fn address_of(&mut self, object: ObjectId) -> i128 {
        if let Some(&address) = self.addresses.get(&object) {
            return address;
        }
        let address = self.next_address;
        let size = match self.is_outside(object) {
            true => OUTSIDE_BYTES,
            false => self.records.size_of(&self.objects[object].ty).unwrap_or(1).max(1),
        };
        // The byte behind the end belongs to nobody else: a pointer may stand there.
        self.next_address = (address + i128::from(size)) / 16 * 16 + 16;
        self.addresses.insert(object, address);
        address
    }

    /// What lies at which address.
    pub(crate) fn addresses(&self) -> Vec<(ObjectId, i128)> {
        self.addresses.iter().map(|(&object, &address)| (object, address)).collect()
    }

    /// Whether this is memory that does not belong to the program.
    pub(crate) fn is_outside(&self, object: ObjectId) -> bool {
        matches!(self.objects[object].key, ObjectKey::Outside(_))
    }

    /// Notes that the contents of an array are not followed.
    pub(crate) fn blur(&mut self, place: Target) {
        self.grown |= self.blurred.insert(place);
    }

    /// Whether some of an object is not followed: to read it may take a step.
    pub(crate) fn is_partly_blurred(&self, object: ObjectId) -> bool {
        self.blurred.iter().any(|place| place.object == object)
    }

    pub(crate) fn is_blurred(&self, place: Target) -> bool {
        self.blurred.contains(&place)
    }

    /// With what an object starts, if that is known.
    pub(crate) fn image(&self, object: ObjectId) -> Option<&Rc<Image>> {
        self.images.get(&object)
    }

    pub(crate) fn set_image(&mut self, object: ObjectId, image: Image) {
        self.images.insert(object, Rc::new(image));
    }

    /// Notes that threads are created.
    pub(crate) fn note_threads(&mut self) {
        self.grown |= !self.has_threads;
        self.has_threads = true;
    }

    /// Whether there is more than one thread.
    pub(crate) fn has_threads(&self) -> bool {
        self.has_threads
    }

    /// Whether all threads see the object.
    pub(crate) fn is_shared(&self, id: ObjectId) -> bool {
        self.objects[id].storage == Storage::Global || self.shared.contains(&id)
    }

    /// Whether the object belongs to a thread, so that it may exist several times or not at all.
    pub(crate) fn is_of_thread(&self, id: ObjectId) -> bool {
        matches!(self.objects[id].storage, Storage::Thread(_))
    }

    /// Notes a variable of the outermost block of `main`.
    pub(crate) fn note_main_local(&mut self, id: ObjectId) {
        self.main_locals.insert(id);
    }

    /// Notes that `main` may end before the program does.
    pub(crate) fn note_main_leaves_others(&mut self) {
        self.grown |= !self.main_leaves_others;
        self.main_leaves_others = true;
    }

    /// Whether the object may be gone while the program goes on, so that an address of it leads nowhere.
    pub(crate) fn can_dangle(&self, id: ObjectId) -> bool {
        self.is_of_thread(id) && (self.main_leaves_others || !self.main_locals.contains(&id))
    }

    /// Whether the object is a local that others can reach.
    pub(crate) fn is_published(&self, id: ObjectId) -> bool {
        self.shared.contains(&id)
    }

    /// Notes that other threads can get hold of these addresses.
    pub(crate) fn publish(&mut self, targets: &Targets) {
        for target in targets {
            if self.is_of_thread(target.object) {
                self.grown |= self.shared.insert(target.object);
            }
        }
    }

    /// What a scalar may point to.
    pub(crate) fn targets_of(&self, place: Target) -> Targets {
        self.points_to.get(&place).cloned().unwrap_or_default()
    }

    /// Notes that a value with these targets is stored in a scalar.
    pub(crate) fn store(&mut self, place: Target, targets: &Targets) {
        if targets.is_empty() {
            return;
        }
        if self.is_shared(place.object) {
            self.publish(targets);
        }
        let known = self.points_to.entry(place).or_default();
        let merged = merge_targets(known, targets);
        if merged.len() > known.len() {
            *known = merged;
            self.grown = true;
        }
    }

    /// The scalar, or array, at an offset of an object; the offset itself if there is none.
    pub(crate) fn target(&self, object: ObjectId, offset: i64) -> Target {
        let offset = offset.max(0) as u64;
        let leaf = leaf_at(&self.objects[object].leaves, offset);
        // An empty structure, or the first member of one that is an array of structures, has
        // no scalar of its own, but an address.
        Target { object, offset: leaf.map_or(offset, |leaf| leaf.offset) }
    }

    /// Notes an argument with which a thread function is started.
    pub(crate) fn start(&mut self, function: &str, argument: StartArgument) {
        match self.start_arguments.get_mut(function) {
            None => {
                self.start_arguments.insert(function.to_owned(), argument);
                self.grown = true;
            }
            Some(known) if *known != argument && *known != StartArgument::Various => {
                *known = StartArgument::Various;
                self.grown = true;
            }
            Some(_) => {}
        }
    }

    /// Notes that what is stored now has no place before the next round.
    pub(crate) fn store_later(&mut self) {
        self.grown = true;
    }

    /// Notes that the result of a thread goes to a scalar; returns whether that is ever read.
    pub(crate) fn receives_result(&mut self, place: Target) -> bool {
        match self.results.get(&place) {
            Some(&is_read) => is_read,
            None => {
                self.results.insert(place, false);
                self.grown = true;
                false
            }
        }
    }

    /// Notes that a scalar is read.
    pub(crate) fn read(&mut self, place: Target) {
        if let Some(is_read) = self.results.get_mut(&place)
            && !*is_read
        {
            *is_read = true;
            self.grown = true;
        }
    }

    /// Notes that somebody asks for the result of a thread.
    pub(crate) fn want_result(&mut self, function: &str) {
        self.grown |= self.wanted_results.insert(function.to_owned());
    }

    /// The result of a function that several threads run is not followed.
    pub(crate) fn blur_result(&mut self, function: &str) {
        self.grown |= self.blurred_results.insert(function.to_owned());
    }

    pub(crate) fn is_result_blurred(&self, function: &str) -> bool {
        self.blurred_results.contains(function)
    }

    pub(crate) fn is_result_wanted(&self, function: &str) -> bool {
        self.wanted_results.contains(function)
    }

    /// The locals that others can reach: name, thread and declaration.
    pub(crate) fn published(&self) -> Vec<(String, ThreadKey, Option<Span>)> {
        let mut shared: Vec<ObjectId> = self.shared.iter().copied().collect();
        shared.sort_unstable();
        let described = |id: ObjectId| {
            let object = &self.objects[id];
            match &object.storage {
                Storage::Thread(thread) => Some((object.name.clone(), thread.clone(), object.span)),
                _ => None,
            }
        };
        shared.into_iter().filter_map(described).collect()
    }

    /// Notes that something else than zero is stored in a detail of the library.
    pub(crate) fn use_detail(&mut self, place: Target) {
        self.grown |= self.details.insert(place);
    }

    /// Whether a detail of the library may be anything but zero.
    pub(crate) fn is_detail_used(&self, place: Target) -> bool {
        self.details.contains(&place)
    }

    /// Whether a scalar of an object is left out, because it is zero in the whole program.
    pub(crate) fn is_left_out(&self, leaf: &Leaf) -> bool {
        leaf.ty.is_detail() && self.details.is_empty()
    }

    /// Notes that a mutex is overwritten, as by the copy of a structure.
    pub(crate) fn copy_mutex(&mut self, place: Target) {
        self.grown |= self.copied_mutexes.insert(place);
    }

    pub(crate) fn is_copied_mutex(&self, place: Target) -> bool {
        self.copied_mutexes.contains(&place)
    }

    /// Notes that an object is a string in the text.
    pub(crate) fn add_string(&mut self, object: ObjectId) {
        self.strings.insert(object);
    }

    pub(crate) fn is_string(&self, object: ObjectId) -> bool {
        self.strings.contains(&object)
    }

    /// The number of the key that is created at a place.
    pub(crate) fn key(&mut self, site: usize, destructor: Option<&str>) -> usize {
        if let Some(known) = self.keys.iter().position(|(own, _)| *own == site) {
            return known + 1;
        }
        self.keys.push((site, destructor.map(str::to_owned)));
        self.grown = true;
        self.keys.len()
    }

    /// The numbers of all keys, with the functions that destroy their values.
    pub(crate) fn keys(&self) -> Vec<(usize, Option<String>)> {
        (1..).zip(self.keys.iter().map(|(_, destructor)| destructor.clone())).collect()
    }

    /// Notes that threads of a function are joined more than once perhaps.
    pub(crate) fn rejoin(&mut self, function: &str, how: Rejoined) {
        let known = self.rejoined.get(function).copied();
        if known.is_none_or(|known| known < how) {
            self.rejoined.insert(function.to_owned(), how);
            self.grown = true;
        }
    }

    pub(crate) fn rejoined(&self, function: &str) -> Option<Rejoined> {
        self.rejoined.get(function).copied()
    }

    pub(crate) fn start_argument(&self, function: &str) -> Option<&StartArgument> {
        self.start_arguments.get(function)
    }
}
