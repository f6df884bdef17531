//! What tells a finding from others when the file has changed around it.

use crate::finding::{Finding, Kind};
use sha2::{Digest, Sha256};

/// Tells a violation, or a property without a verdict, from others, whichever lines of the file move: no line is part
/// of it. What holds has none.
pub fn fingerprint(file: &str, finding: &Finding) -> Option<String> {
    let mut hash = Sha256::new();
    let parts: Vec<&str> = match &finding.conclusion.0 {
        Kind::Unsafe { violation, .. } => {
            let waiting = violation.waiting.iter().map(|waiting| waiting.statement.as_str());
            [&*violation.kind, violation.message.as_str()].into_iter().chain(waiting).collect()
        }
        Kind::Unknown { .. } => vec!["unknown"],
        Kind::Safe { .. } | Kind::Nothing { .. } => return None,
    };
    for part in [file, finding.property.name()].into_iter().chain(parts) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Some(hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}
