//! Names for variables and labels: those of the source, made unique.

use super::Lowering;
use rely_program::LocationId;
use rustc_hash::FxHashMap;

/// Names in use, each with the number that the next one like it gets.
#[derive(Debug, Default)]
pub(super) struct Names(FxHashMap<String, u32>);

impl Names {
    /// The name itself if it is free, otherwise with a number.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while let Some(next) = self.0.get_mut(&name) {
            let numbered = format!("{wanted}#{next}");
            *next += 1;
            name = numbered;
        }
        self.0.insert(name.clone(), 2);
        name
    }
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// Labels a location; the label of an inlined function carries the function's name.
    pub(super) fn label(&mut self, location: LocationId, label: &str) {
        let wanted = self.qualified(label);
        let name = self.thread.labels.unique(&wanted);
        self.builder.set_label(location, name);
    }

    /// A name of the function being walked over, as the thread sees it.
    pub(super) fn qualified(&self, name: &str) -> String {
        let name = self.spelled(name);
        match self.frames.last() {
            Some(frame) if self.frames.len() > 1 => format!("{}.{name}", self.spelled(frame.name)),
            _ => name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_when_they_repeat() {
        let mut names = Names::default();
        let given: Vec<String> = ["x", "x", "x#2", "x"].iter().map(|name| names.unique(name)).collect();
        assert_eq!(given, ["x", "x#2", "x#2#2", "x#3"]);
    }
}
