//! Random programs, written so that many of them fit into one file.

/// A program in which all names of the file, and that of `main`, end with `@`.
pub(crate) struct Generated {
    pub(crate) template: String,
    /// The numbers that the globals consist of: the name of our variable, and for each of its
    /// cells what it is called in C.
    pub(crate) cells: Vec<(String, Vec<String>)>,
}

/// The integer types.
pub(crate) const TYPES: [&str; 12] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

/// The types of the thread library.
pub(crate) const LIBRARY_TYPES: [&str; 12] = [
    "pthread_t",
    "pthread_mutex_t",
    "pthread_cond_t",
    "pthread_rwlock_t",
    "pthread_barrier_t",
    "pthread_spinlock_t",
    "pthread_attr_t",
    "pthread_mutexattr_t",
    "pthread_condattr_t",
    "pthread_rwlockattr_t",
    "pthread_barrierattr_t",
    "sem_t",
];

impl Generated {
    /// The text of the program alone, for us: we know the types of the thread library by name.
    pub(crate) fn text(&self) -> String {
        let text = self.template.replace('@', "");
        let is_used = |name: &&&str| text.contains(**name);
        let declared: String =
            LIBRARY_TYPES.iter().filter(is_used).map(|name| format!("typedef int {name};\n")).collect();
        declared + &text
    }

    /// The text of the program as one of many in a file.
    pub(crate) fn numbered(&self, number: usize) -> String {
        self.template.replace('@', &format!("_{number}"))
    }
}
