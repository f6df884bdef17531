//! Where headers are looked for, and which of them have been read.

use crate::engine::{Buffer, Engine, Guard};
use crate::lexer::Lexer;
use crate::macros::Definition;
use crate::printer::Current;
use crate::symbols::Symbol;
use crate::text::Text;
use crate::token::Origin;
use crate::{Declined, Request};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::rc::Rc;

/// Includes that nest deeper than this are declined; gcc's limit is 200.
const MAX_DEPTH: usize = 150;

/// Gives the preprocessor the files that it asks for.
pub trait Files {
    /// The content of a file, or `None` if there is no such file. What is there and cannot be
    /// read is declined.
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, Declined>;
}

/// A file that has been read.
#[derive(Debug)]
pub(crate) struct File {
    /// The path under which it was found.
    pub(crate) name: String,
    pub(crate) text: Rc<Text>,
    pub(crate) is_system: bool,
    /// The directory of the search path in which it was found, if it was not found beside the
    /// file that includes it.
    directory: Option<usize>,
    /// While this name is defined the file is empty.
    guard: Cell<Option<Symbol>>,
}

#[derive(Debug)]
struct Directory {
    path: String,
    is_system: bool,
}

/// The search path, and what was found in it.
#[derive(Debug)]
pub(crate) struct Search {
    directories: Vec<Directory>,
    /// By path and directory: in which directory a file was found decides what follows it.
    found: FxHashMap<(Option<usize>, String), Option<Rc<File>>>,
    /// The paths of files with `#pragma once`.
    pub(crate) once: FxHashSet<String>,
}

impl Search {
    pub(crate) fn new(request: &Request) -> Self {
        let own = request.directories.iter().map(|path| Directory { path: path.clone(), is_system: false });
        let system = request.toolchain.directories.iter();
        let system = system.map(|path| Directory { path: path.clone(), is_system: true });
        Self {
            directories: own.chain(system).collect(),
            found: FxHashMap::default(),
            once: FxHashSet::default(),
        }
    }
}

/// The name of a header in an `#include`.
#[derive(Clone, Debug)]
pub(crate) struct HeaderName {
    pub(crate) name: String,
    pub(crate) is_angled: bool,
}

impl Engine<'_> {
    /// Starts to read the program.
    pub(crate) fn enter_main(&mut self, name: &str, text: Vec<u8>) -> Result<(), Declined> {
        let file = File::new(name.to_owned(), text, false, None)?;
        self.enter(Rc::new(file));
        Ok(())
    }

    fn enter(&mut self, file: Rc<File>) {
        let origin = if file.is_system { Origin::System } else { Origin::User };
        let lexer = Lexer::new(file.text.clone(), origin);
        self.buffers.push(Buffer { lexer, file, conditionals: Vec::new(), guard: Guard::Start });
    }

    /// Starts to read text that the compiler or the user has put in front of the program.
    pub(crate) fn enter_text(&mut self, text: &str, origin: Origin) -> Result<(), Declined> {
        let file = Rc::new(File::new("<command-line>".into(), text.into(), false, None)?);
        let lexer = Lexer::before_the_file(file.text.clone(), origin);
        self.buffers.push(Buffer { lexer, file, conditionals: Vec::new(), guard: Guard::No });
        Ok(())
    }

    /// Ends the file that is being read; false if it is the outermost.
    pub(crate) fn leave_file(&mut self) -> Result<bool, Declined> {
        let Some(buffer) = self.buffers.last() else { return Ok(false) };
        if !buffer.conditionals.is_empty() {
            return Err(Declined::Error("a conditional that does not end"));
        }
        if self.buffers.len() == 1 {
            return Ok(false);
        }
        if self.arguments != crate::expand::Arguments::No {
            return Err(Declined::Feature("a macro whose arguments are in another file"));
        }
        if let Some(left) = self.buffers.pop()
            && let Guard::After(guard) = left.guard
            && left.file.guard.get().is_none()
        {
            left.file.guard.set(Some(guard));
        }
        if let Some(buffer) = self.buffers.last_mut() {
            if !matches!(buffer.guard, Guard::Inside(_)) {
                buffer.guard = Guard::No;
            }
            let current = Current { name: &buffer.file.name, is_system: buffer.file.is_system };
            self.printer.marker(buffer.lexer.line(), current, " 2");
        }
        Ok(true)
    }

    /// Starts to read a header, unless that has no effect. `line` is that of the directive.
    pub(crate) fn include(&mut self, header: &HeaderName, is_next: bool, line: u32) -> Result<(), Declined> {
        if self.buffers.len() > MAX_DEPTH {
            return Err(Declined::TooMuch("includes that nest too deeply"));
        }
        let Some(file) = self.find(header, is_next)? else {
            return Err(Declined::Missing(header.name.clone()));
        };
        let guard = file.guard.get();
        let is_guarded =
            guard.is_some_and(|guard| matches!(self.node(guard).definition, Definition::Macro(_)));
        if is_guarded || self.search.once.contains(&file.name) {
            return Ok(());
        }
        if let Some(buffer) = self.buffers.last() {
            let current = Current { name: &buffer.file.name, is_system: buffer.file.is_system };
            self.printer.go_to_line(line, current);
        }
        self.printer.marker(1, Current { name: &file.name, is_system: file.is_system }, " 1");
        self.enter(file);
        Ok(())
    }

    /// The file that a header name means here.
    pub(crate) fn find(&mut self, header: &HeaderName, is_next: bool) -> Result<Option<Rc<File>>, Declined> {
        if header.name.is_empty() {
            return Err(Declined::Error("an empty header name"));
        }
        if header.name.starts_with('/') {
            return self.open(header.name.clone(), false, None);
        }
        let current = self.buffers.last().map(|buffer| buffer.file.clone());
        if is_next && self.buffers.len() == 1 {
            return Err(Declined::Feature("`#include_next` in the program itself"));
        }
        let next = current.as_ref().and_then(|file| file.directory).map_or(0, |directory| directory + 1);
        let first = if is_next { next } else { 0 };
        if !is_next
            && !header.is_angled
            && let Some(current) = current
        {
            let folder = current.name.rfind('/').map_or("", |slash| &current.name[..=slash]);
            let path = format!("{folder}{}", header.name);
            if let Some(file) = self.open(path, current.is_system, None)? {
                return Ok(Some(file));
            }
        }
        for index in first..self.search.directories.len() {
            let directory = &self.search.directories[index];
            let slash = if directory.path.ends_with('/') { "" } else { "/" };
            let path = format!("{}{slash}{}", directory.path, header.name);
            let is_system = directory.is_system;
            if let Some(file) = self.open(path, is_system, Some(index))? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    fn open(
        &mut self,
        path: String,
        is_system: bool,
        directory: Option<usize>,
    ) -> Result<Option<Rc<File>>, Declined> {
        let key = (directory, path);
        if let Some(known) = self.search.found.get(&key) {
            return Ok(known.clone());
        }
        let file = match self.files.read(&key.1)? {
            Some(bytes) if bytes.len() > self.limits.bytes => {
                return Err(Declined::TooMuch("too long a file"));
            }
            Some(bytes) => Some(Rc::new(File::new(key.1.clone(), bytes, is_system, directory)?)),
            None => None,
        };
        self.search.found.insert(key, file.clone());
        Ok(file)
    }

    /// Whether a file with the same content was marked with `#pragma once` under another name;
    /// compilers take the two for one if more than the content is the same.
    pub(crate) fn has_twin(&self, file: &File) -> bool {
        let others = self.search.found.values().flatten();
        others.into_iter().any(|other| other.name != file.name && other.text.bytes == file.text.bytes)
    }
}

impl File {
    fn new(name: String, text: Vec<u8>, is_system: bool, directory: Option<usize>) -> Result<Self, Declined> {
        let text = Rc::new(Text::new(text)?);
        if name.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0x80..) || byte.is_ascii_control()) {
            return Err(Declined::Character("an odd character in the name of a file".into()));
        }
        Ok(Self { name, text, is_system, directory, guard: Cell::new(None) })
    }
}
