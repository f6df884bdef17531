//! The rules of the YAML format of witnesses, written down independently of the writer.
//!
//! They follow the published description of the format: which keys an entry, a waypoint, an
//! invariant and a ghost variable have, which values are allowed, and what stands at a place.

use std::collections::HashSet;
use yaml_rust2::Yaml;

/// The rules of the YAML format for one file.
pub struct Rules<'r> {
    /// The text of the program.
    pub source: &'r str,
    /// The name of its file.
    pub file: &'r str,
    /// What is wrong.
    pub complaints: Vec<String>,
}

impl Rules<'_> {
    fn demand(&mut self, holds: bool, what: &str, value: &Yaml) {
        if !holds {
            self.complaints.push(format!("{what}: {value:?}"));
        }
    }

    /// The value is a map with all of the required keys, and none but those and the others.
    fn keys(&mut self, value: &Yaml, required: &[&str], others: &[&str]) {
        let Some(map) = value.as_hash() else { return self.demand(false, "not a map", value) };
        for key in required {
            self.demand(map.contains_key(&Yaml::String((*key).to_owned())), &format!("no `{key}`"), value);
        }
        for key in map.keys() {
            let known = key.as_str().is_some_and(|key| required.contains(&key) || others.contains(&key));
            self.demand(known, "a key that the format does not have", key);
        }
    }

    fn one_of(&mut self, value: &Yaml, allowed: &[&str]) {
        self.demand(value.as_str().is_some_and(|text| allowed.contains(&text)), "not allowed", value);
    }

    /// Judges a whole file.
    pub fn document(&mut self, document: &Yaml, hash: &str) {
        let entries = document.as_vec().expect("a list of entries");
        let names: HashSet<Option<&str>> =
            entries.iter().map(|entry| entry["metadata"]["uuid"].as_str()).collect();
        self.demand(names.len() == entries.len(), "entries with the same name", document);
        let kinds: Vec<&str> = entries.iter().filter_map(|entry| entry["entry_type"].as_str()).collect();
        let is_known = matches!(
            kinds.as_slice(),
            ["violation_sequence"] | ["invariant_set"] | ["ghost_instrumentation", "invariant_set"]
        );
        self.demand(is_known, "entries that do not belong together", document);
        for entry in entries {
            self.entry(entry, hash);
        }
    }

    fn entry(&mut self, entry: &Yaml, hash: &str) {
        self.keys(entry, &["entry_type", "metadata", "content"], &[]);
        self.metadata(&entry["metadata"], hash);
        let version = &entry["metadata"]["format_version"];
        let content = entry["content"].as_vec();
        match (entry["entry_type"].as_str().expect("a string"), content) {
            ("invariant_set", Some(content)) => {
                self.one_of(version, &["2.0", "2.1", "2.2"]);
                content.iter().for_each(|item| self.invariant(item));
            }
            ("ghost_instrumentation", None) => {
                self.one_of(version, &["2.1", "2.2"]);
                self.instrumentation(&entry["content"]);
            }
            ("violation_sequence", Some(content)) => {
                let property = entry["metadata"]["task"]["specification"].as_str().unwrap_or_default();
                self.segments(content, version, property.contains("data-race"));
            }
            (other, _) => panic!("{other}"),
        }
    }

    /// Ghost variables have names that the program does not use, and only they are changed, at
    /// statements.
    fn instrumentation(&mut self, content: &Yaml) {
        self.keys(content, &["ghost_variables", "ghost_updates"], &[]);
        let mut names = HashSet::new();
        for variable in content["ghost_variables"].as_vec().into_iter().flatten() {
            self.keys(variable, &["name", "type", "scope", "initial"], &[]);
            let name = variable["name"].as_str().unwrap_or_default();
            let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
            let is_name = !name.is_empty()
                && name.chars().all(is_word)
                && !name.starts_with(|it: char| it.is_ascii_digit());
            self.demand(is_name && !self.source.contains(name), "not a new name", variable);
            self.demand(names.insert(name.to_owned()), "declared twice", variable);
            self.one_of(&variable["type"], &["int"]);
            self.one_of(&variable["scope"], &["global"]);
            self.keys(&variable["initial"], &["value", "format"], &[]);
            self.one_of(&variable["initial"]["format"], &["c_expression"]);
            let initial = variable["initial"]["value"].as_str().map(str::parse::<i64>);
            self.demand(matches!(initial, Some(Ok(0..))), "not a number", &variable["initial"]);
        }
        self.demand(!names.is_empty(), "no ghost variables", content);
        let mut places = HashSet::new();
        for update in content["ghost_updates"].as_vec().into_iter().flatten() {
            self.keys(update, &["location", "updates"], &[]);
            let rest = self.location(&update["location"]);
            let declares = ["int ", "unsigned ", "pthread_t "].iter().any(|word| rest.starts_with(word));
            self.demand(!declares, "not a statement", &update["location"]);
            let place = (update["location"]["line"].as_i64(), update["location"]["column"].as_i64());
            self.demand(places.insert(place), "two updates of one place", update);
            let changes = update["updates"].as_vec();
            self.demand(changes.is_some_and(|changes| !changes.is_empty()), "nothing changes", update);
            for change in changes.into_iter().flatten() {
                self.keys(change, &["variable", "value", "format"], &[]);
                self.one_of(&change["format"], &["c_expression"]);
                let name = change["variable"].as_str().unwrap_or_default();
                self.demand(names.contains(name), "not a ghost variable", change);
                let value = change["value"].as_str().unwrap_or_default();
                let value = value
                    .strip_prefix(name)
                    .and_then(|rest| rest.strip_prefix(" + ").or(rest.strip_prefix(" - ")))
                    .unwrap_or(value);
                self.demand(value.parse::<u32>().is_ok(), "not a value", change);
            }
        }
    }

    fn metadata(&mut self, metadata: &Yaml, hash: &str) {
        self.keys(metadata, &["format_version", "uuid", "creation_time", "producer", "task"], &[]);
        let uuid = metadata["uuid"].as_str().unwrap_or_default();
        let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
        let is_hex = uuid.chars().all(|character| character == '-' || character.is_ascii_hexdigit());
        self.demand(groups == [8, 4, 4, 4, 12] && is_hex, "not a UUID", &metadata["uuid"]);
        let time = metadata["creation_time"].as_str().unwrap_or_default();
        let shape: String = time.chars().map(|it| if it.is_ascii_digit() { '0' } else { it }).collect();
        self.demand(shape == "0000-00-00T00:00:00Z", "not a time", &metadata["creation_time"]);
        self.keys(
            &metadata["producer"],
            &["name", "version"],
            &["configuration", "command_line", "description"],
        );
        let task = &metadata["task"];
        let required = ["input_files", "input_file_hashes", "specification", "data_model", "language"];
        self.keys(task, &required, &[]);
        self.one_of(&task["data_model"], &["ILP32", "LP64"]);
        self.one_of(&task["language"], &["C"]);
        let properties = [
            "CHECK( init(main()), LTL(G ! call(reach_error())) )",
            "CHECK( init(main()), LTL(G ! data-race) )",
        ];
        self.one_of(&task["specification"], &properties);
        self.demand(task["input_files"][0].as_str() == Some(self.file), "not the file", &task["input_files"]);
        let said = &task["input_file_hashes"][self.file];
        self.demand(said.as_str() == Some(hash), "not the hash", said);
    }

    fn invariant(&mut self, item: &Yaml) {
        self.keys(item, &["invariant"], &[]);
        let invariant = &item["invariant"];
        self.keys(invariant, &["type", "location", "value", "format"], &["labels"]);
        self.one_of(&invariant["type"], &["loop_invariant", "location_invariant"]);
        self.one_of(&invariant["format"], &["c_expression"]);
        let rest = self.location(&invariant["location"]);
        if invariant["type"].as_str() == Some("loop_invariant") {
            let is_loop = rest.starts_with("while") || rest.starts_with("for");
            self.demand(is_loop, "no loop starts here", &invariant["location"]);
        }
    }

    /// A race has its two targets in the last segment; other violations have one.
    fn segments(&mut self, segments: &[Yaml], version: &Yaml, is_race: bool) {
        self.demand(!segments.is_empty(), "no segment", version);
        let mut targets = Vec::new();
        for (index, segment) in segments.iter().enumerate() {
            self.keys(segment, &["segment"], &[]);
            let waypoints = segment["segment"].as_vec().expect("a list");
            let expected = if is_race && index + 1 == segments.len() { 2 } else { 1 };
            self.demand(waypoints.len() == expected, "a segment has one waypoint to follow", segment);
            for waypoint in waypoints {
                self.keys(waypoint, &["waypoint"], &[]);
                let waypoint = &waypoint["waypoint"];
                let threads: &[&str] = if version.as_str() == Some("2.2") { &["thread_id"] } else { &[] };
                self.one_of(&waypoint["action"], &["follow"]);
                match waypoint["type"].as_str().unwrap_or_default() {
                    "target" => {
                        self.keys(waypoint, &["type", "action", "location"], threads);
                        let rest = self.location(&waypoint["location"]);
                        let is_error = is_race || rest.starts_with("reach_error");
                        self.demand(is_error, "not the error", &waypoint["location"]);
                        targets.push(index);
                    }
                    "assumption" => {
                        self.keys(waypoint, &["type", "action", "location", "constraint"], threads);
                        self.location(&waypoint["location"]);
                        self.one_of(&waypoint["constraint"]["format"], &["c_expression"]);
                    }
                    "branching" => {
                        self.keys(waypoint, &["type", "action", "location", "constraint"], threads);
                        let rest = self.location(&waypoint["location"]);
                        let is_branch = ["if", "while", "for"].iter().any(|word| rest.starts_with(word));
                        self.demand(is_branch, "not a branch", &waypoint["location"]);
                        self.keys(&waypoint["constraint"], &["value"], &[]);
                        self.one_of(&waypoint["constraint"]["value"], &["true", "false"]);
                    }
                    "function_enter" => {
                        self.keys(waypoint, &["type", "action", "location"], threads);
                        let rest = self.location(&waypoint["location"]);
                        self.demand(rest.starts_with(')'), "not a call", &waypoint["location"]);
                    }
                    "function_return" => {
                        self.keys(waypoint, &["type", "action", "location", "constraint"], threads);
                        let rest = self.location(&waypoint["location"]);
                        self.demand(
                            rest.starts_with(')'),
                            "not a closing parenthesis",
                            &waypoint["location"],
                        );
                        self.one_of(&waypoint["constraint"]["format"], &["ext_c_expression"]);
                    }
                    _ => self.demand(false, "a waypoint of no kind", waypoint),
                }
            }
        }
        let expected = vec![segments.len() - 1; if is_race { 2 } else { 1 }];
        self.demand(targets == expected, "the target is not the end", version);
    }

    /// The text of the line from a place on.
    fn location(&mut self, location: &Yaml) -> String {
        self.keys(location, &["file_name", "line"], &["column", "function", "file_hash"]);
        self.demand(location["file_name"].as_str() == Some(self.file), "another file", location);
        let line = location["line"]
            .as_i64()
            .and_then(|line| self.source.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?));
        let Some(line) = line else {
            self.demand(false, "no such line", location);
            return String::new();
        };
        let column = location["column"].as_i64().and_then(|column| usize::try_from(column).ok()).unwrap_or(1);
        let rest: String = line.chars().skip(column.saturating_sub(1)).collect();
        let starts = rest.chars().next().is_some_and(|first| !first.is_whitespace());
        self.demand(column >= 1 && starts, "nothing stands here", location);
        if let Some(function) = location["function"].as_str() {
            self.demand(self.source.contains(&format!("{function}(")), "no such function", location);
        }
        rest
    }
}
