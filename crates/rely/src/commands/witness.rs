//! `rely check --witness FILE`: what was found, for other verifiers to check.

use super::invariants::Validation;
use crate::version;
use crate::writing::write_whole;
use rely_evidence::Verdict;
use rely_program::Goal;
use rely_report::{Witness, WitnessFormat, WitnessTask, read_witness, render_witness};
use rely_verify::{Loaded, Verified};
use sha2::{Digest, Sha256};
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes a witness to a file; the ending of its name chooses the format. Returns what the
/// witness leaves out, or why there is none.
pub(super) fn write(
    path: &Path,
    program: &Path,
    verified: &Verified,
    loaded: &Loaded,
    goal: Goal,
    validation: &Validation<'_>,
) -> Result<Option<String>, String> {
    let format = match path.extension().and_then(|extension| extension.to_str()) {
        Some("yml" | "yaml") => WitnessFormat::Yaml,
        Some("graphml") => WitnessFormat::GraphMl,
        _ => return Err(format!("{}: a witness ends with `.yml` or `.graphml`", path.display())),
    };
    let is_c = program.extension().is_some_and(|extension| extension == "c" || extension == "i");
    if !is_c {
        return Err("witnesses are about C programs in files that end with `.c` or `.i`".to_owned());
    }
    let bytes = fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let task = WitnessTask {
        file: program.display().to_string(),
        hash: Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        uuids: [uuid(), uuid()],
        creation_time: now(),
        version: version::TEXT.to_owned(),
    };
    let context = super::proof_context(verified, loaded);
    let render = |kept| render_witness(&verified.verdict, goal, &context, &task, format, kept);
    let mut witness = render(None)?;
    if matches!(verified.verdict, Verdict::Safe(_)) {
        let claimed = read_witness(&witness.text)?;
        witness = render(Some(&validation.that_hold(&claimed)))?;
    }
    let Witness { text, left_out } = witness;
    write_whole(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(left_out)
}

/// A random name (version 4). The standard library draws its keys for hashing at random.
fn uuid() -> String {
    let half = || RandomState::new().hash_one(0);
    let (high, low) = (half() & !0xf000 | 0x4000, half() & !(0b11 << 62) | (0b10 << 62));
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

/// The time in the form `2024-02-29T12:34:56Z`.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date_and_time(since.as_secs())
}

/// Seconds since the beginning of 1970 as a date and a time of day.
fn date_and_time(seconds: u64) -> String {
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= if is_leap(year) { 366 } else { 365 } {
        days -= if is_leap(year) { 366 } else { 365 };
        year += 1;
    }
    let lengths = [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_know_leap_years() {
        assert_eq!(date_and_time(0), "1970-01-01T00:00:00Z");
        assert_eq!(date_and_time(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(date_and_time(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(date_and_time(1_735_689_599), "2024-12-31T23:59:59Z");
    }

    #[test]
    fn names_are_random_and_say_so() {
        let (first, second) = (uuid(), uuid());
        assert_ne!(first, second);
        assert_eq!((first.len(), &first[14..15]), (36, "4"));
        assert!(matches!(&first[19..20], "8" | "9" | "a" | "b"), "{first}");
    }
}
