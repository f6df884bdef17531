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

impl Generated {
    /// The text of the program alone.
    pub(crate) fn text(&self) -> String {
        self.template.replace('@', "")
    }

    /// The text of the program as one of many in a file.
    pub(crate) fn numbered(&self, number: usize) -> String {
        self.template.replace('@', &format!("_{number}"))
    }
}
