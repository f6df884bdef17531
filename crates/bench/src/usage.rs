//! How much memory a process and everything that it started hold, as Linux tells in `/proc`.
//!
//! Where there is no `/proc` nothing is known, and memory is not limited from outside.

use std::collections::HashMap;
use std::fs;

/// A process and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number.
    pub pid: i32,
    /// Resident memory.
    pub bytes: u64,
}

/// What one line of `/proc/<pid>/stat` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    parent: i32,
    group: i32,
    pages: u64,
}

/// The leader, the processes of its group, and those that descend from it.
pub fn members(leader: i32) -> Vec<Member> {
    let processes = all();
    let page = rustix::param::page_size() as u64;
    let belongs = |pid: i32, stat: Stat| stat.group == leader || descends(pid, leader, &processes);
    let mut members: Vec<Member> = processes
        .iter()
        .filter(|(pid, stat)| belongs(**pid, **stat))
        .map(|(pid, stat)| Member { pid: *pid, bytes: stat.pages.saturating_mul(page) })
        .collect();
    members.sort_unstable_by_key(|member| member.pid);
    members
}

fn all() -> HashMap<i32, Stat> {
    let Ok(entries) = fs::read_dir("/proc") else { return HashMap::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| Some((pid, parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?)))
        .collect()
}

/// The name of the program stands in parentheses and may contain anything, so that the fields
/// are counted from the last closing one.
fn parse(line: &str) -> Option<Stat> {
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        pages: fields.get(21)?.parse().ok()?,
    })
}

fn descends(pid: i32, ancestor: i32, processes: &HashMap<i32, Stat>) -> bool {
    let mut at = pid;
    // The numbers come from different moments: a circle is not impossible, a long way is.
    for _ in 0..1000 {
        if at == ancestor {
            return true;
        }
        match processes.get(&at) {
            Some(stat) if stat.parent > 1 => at = stat.parent,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_do_not_confuse_the_fields() {
        let line = "17 (a) b (c) S 5 9 3 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1000 42 1844";
        assert_eq!(parse(line), Some(Stat { parent: 5, group: 9, pages: 42 }));
        assert_eq!(parse("17 (cut off"), None);
    }

    #[test]
    fn descendants_are_found_through_those_between() {
        let stat = |parent| Stat { parent, group: 0, pages: 1 };
        let processes = HashMap::from([(20, stat(10)), (30, stat(20)), (40, stat(1)), (50, stat(50))]);
        assert!(descends(30, 10, &processes));
        assert!(!descends(40, 10, &processes));
        assert!(!descends(50, 10, &processes), "a circle ends");
    }
}
