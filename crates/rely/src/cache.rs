//! Results of earlier runs, by all that they depend on: the text of the program behind the preprocessor, the build of
//! Rely, and the options.
//!
//! An entry is a file that appears complete or not at all, and a checksum tells whether it is still what
//! was written. So several commands can share the directory, and each can be ended at any time.

use crate::writing::write_whole;
use rely_report::{FileReport, from_stored, to_stored};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// Of more entries than this the oldest are removed.
const MOST_ENTRIES: usize = 20_000;

/// A file that is being written is not older than this; what is was left behind.
const LONGEST_WRITE: Duration = Duration::from_secs(3600);

/// A directory with results.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    build: String,
    written: AtomicUsize,
}

impl Cache {
    /// The cache of the user: in RELY_CACHE_DIR, or where the system has such directories. `None` if there is no
    /// place for it, or if RELY_CACHE_DIR is empty.
    pub fn of_user() -> Option<Self> {
        if std::env::var_os("RELY_CACHE_DIR").is_some_and(|value| value.is_empty()) {
            return None;
        }
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let by_system = || variable("XDG_CACHE_HOME").map(|folder| folder.join("rely"));
        let at_home = || variable("HOME").map(|folder| folder.join(".cache/rely"));
        let folder = variable("RELY_CACHE_DIR").or_else(by_system).or_else(at_home)?;
        Some(Self::new(&folder, this_build()?))
    }

    fn new(folder: &Path, build: String) -> Self {
        Self { folder: folder.to_owned(), build, written: AtomicUsize::new(0) }
    }

    /// The name of the result for a program.
    pub fn key(&self, options: &str, source: &rely_verify::Source) -> String {
        let mut hash = Sha256::new();
        let preprocessed = source.preprocessed.as_deref().unwrap_or("");
        let rest = format!("{:?} {:?}", source.effects, source.harness);
        // Comments can be annotations, and no preprocessor leaves them.
        let others = source.others.iter().flat_map(|unit| {
            [unit.name.as_str(), unit.original.as_deref().unwrap_or(""), unit.preprocessed.as_str()]
        });
        let included = source.included.iter().flat_map(|file| [file.name.as_str(), file.text.as_str()]);
        let own = [&self.build, options, &source.name, &source.text, preprocessed, &rest];
        for part in own.into_iter().chain(others).chain(included) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What is known, if something is.
    pub fn get(&self, key: &str) -> Option<FileReport> {
        let report = from_stored(&fs::read_to_string(self.folder.join(key)).ok()?)?;
        Some(FileReport { is_cached: true, ..report })
    }

    /// Remembers a result, as well as possible.
    pub fn put(&self, key: &str, report: &FileReport) {
        let Some(text) = to_stored(report) else { return };
        self.written.fetch_add(1, Ordering::Relaxed);
        // Who cannot write has no cache.
        fs::create_dir_all(&self.folder).and_then(|()| write_whole(&self.folder.join(key), text)).ok();
    }

    /// Removes what nobody needs, if something was added.
    pub fn tidy_up(&self) {
        if self.written.load(Ordering::Relaxed) > 0 {
            self.remove_oldest(MOST_ENTRIES);
        }
    }

    fn remove_oldest(&self, most: usize) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let now = SystemTime::now();
        let mut known = Vec::new();
        for entry in entries.flatten() {
            let Ok(changed) = entry.metadata().and_then(|data| data.modified()) else { continue };
            let path = entry.path();
            if path.extension().is_none() {
                known.push((changed, path));
            } else if now.duration_since(changed).is_ok_and(|age| age > LONGEST_WRITE) {
                fs::remove_file(path).ok();
            }
        }
        if known.len() > most {
            known.sort();
            let surplus = known.len() - most / 2;
            known.drain(..surplus).for_each(|(_, path)| drop(fs::remove_file(path)));
        }
    }
}

/// What tells this build from others, also from those of the same version.
fn this_build() -> Option<String> {
    let data = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let changed = data.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", crate::version::TEXT, data.len(), changed.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_program::Goal;
    use rely_report::{Conclusion, Finding};
    use rely_verify::{CText, CUnit, Language, Source};

    fn report(reason: &str) -> FileReport {
        let conclusion = Conclusion::unknown(reason, None);
        let findings = vec![Finding::new(Goal::Assert, "explore".to_owned(), conclusion)];
        FileReport::new("a.rely".to_owned(), Ok(findings))
    }

    fn reason(report: Option<FileReport>) -> Option<String> {
        let report = report?;
        assert!(report.is_cached);
        Some(format!("{:?}", report.outcome.ok()?[0].conclusion))
    }

    #[test]
    fn what_a_result_depends_on_is_in_its_name() {
        let source = |text: &str| Source::new("a.rely", Language::Rely, text);
        let cache = |build: &str| Cache::new(Path::new("nowhere"), build.to_owned());
        let key = cache("1").key("-p assert", &source("x"));
        assert_eq!(key, cache("1").key("-p assert", &source("x")));
        assert_ne!(key, cache("2").key("-p assert", &source("x")));
        assert_ne!(key, cache("1").key("-p race", &source("x")));
        assert_ne!(key, cache("1").key("-p assert", &source("y")));
        let other = Source { name: "b.rely".to_owned(), ..source("x") };
        assert_ne!(key, cache("1").key("-p assert", &other));
        let preprocessed = Source { preprocessed: Some("y".to_owned()), ..source("x") };
        assert_ne!(key, cache("1").key("-p assert", &preprocessed));
        let with_unit = |original: &str| {
            let (name, original) = ("b.c".to_owned(), Some(original.to_owned()));
            let unit = CUnit { name, original, preprocessed: String::new() };
            cache("1").key("", &Source { others: vec![unit], ..source("x") })
        };
        assert_ne!(with_unit("//@rely never x"), with_unit("//@rely never y"));
        let with_header = |text: &str| {
            let file = CText { name: "b.h".to_owned(), text: text.to_owned() };
            cache("1").key("", &Source { included: vec![file], ..source("x") })
        };
        assert_ne!(with_header("//@rely never x"), with_header(""));
    }

    #[test]
    fn damaged_entries_are_none() {
        let folder = tempfile::tempdir().expect("a directory");
        let cache = Cache::new(&folder.path().join("new"), "1".to_owned());
        assert_eq!(reason(cache.get("k")), None);
        cache.put("k", &report("because"));
        assert_eq!(reason(cache.get("k")), reason(Some(FileReport { is_cached: true, ..report("because") })));
        let path = folder.path().join("new/k");
        let text = fs::read_to_string(&path).expect("it is there");
        for damaged in [text.replace("because", "becausf"), text[..text.len() - 1].to_owned(), String::new()]
        {
            fs::write(&path, damaged).expect("writable");
            assert_eq!(reason(cache.get("k")), None);
        }
    }

    #[test]
    fn the_oldest_entries_go() {
        let folder = tempfile::tempdir().expect("a directory");
        let cache = Cache::new(folder.path(), "1".to_owned());
        (0..9).for_each(|number| cache.put(&format!("k{number}"), &report("because")));
        cache.remove_oldest(9);
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 9);
        cache.remove_oldest(8);
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 4);
    }

    /// Whoever reads meanwhile sees an entry of one of them, or none.
    #[test]
    fn several_can_write_at_once() {
        let folder = tempfile::tempdir().expect("a directory");
        let write = |text: String| {
            let cache = Cache::new(folder.path(), "1".to_owned());
            let report = report(&text);
            (0..50).for_each(|_| cache.put("k", &report));
        };
        std::thread::scope(|scope| {
            let writers = ["x".repeat(10), "y".repeat(100_000)].map(|text| scope.spawn(move || write(text)));
            let cache = Cache::new(folder.path(), "1".to_owned());
            while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                let path = folder.path().join("k");
                assert!(!path.exists() || cache.get("k").is_some());
            }
        });
        let names = fs::read_dir(folder.path()).expect("readable").count();
        assert_eq!(names, 1);
    }
}
