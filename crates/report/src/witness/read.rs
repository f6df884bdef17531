//! Reads witnesses in the YAML formats 2.0 to 2.2, whoever wrote them.

use yaml_rust2::{Yaml, YamlLoader};

/// What a witness claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// What holds where.
    pub invariants: Vec<ClaimedInvariant>,
    /// Variables of the witness, as declarations of C.
    pub ghosts: Vec<ClaimedGhost>,
    /// The statements that change them.
    pub updates: Vec<ClaimedUpdate>,
    /// The run, if there is one: the waypoints of each segment.
    pub segments: Option<Vec<Vec<ClaimedWaypoint>>>,
    /// The specifications that the entries name.
    pub specifications: Vec<String>,
    /// The files and their hashes in hexadecimal.
    pub hashes: Vec<(String, String)>,
    /// The data models that the entries name.
    pub data_models: Vec<String>,
}

/// Where something holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedPlace {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; without one, the first statement of the line is meant.
    pub column: Option<u32>,
}

/// An invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedInvariant {
    /// Where.
    pub place: ClaimedPlace,
    /// Whether it holds before each look at the condition of the loop there.
    pub is_loop: bool,
    /// The expression of C.
    pub value: String,
}

/// A ghost variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedGhost {
    /// Its name.
    pub name: String,
    /// Its type in C.
    pub sort: String,
    /// Its first value.
    pub initial: String,
}

/// What happens to ghost variables together with a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedUpdate {
    /// The statement.
    pub place: ClaimedPlace,
    /// Variables and their new values, in order.
    pub changes: Vec<(String, String)>,
}

/// A place that the run of a violation passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedWaypoint {
    /// `target`, `assumption`, `branching`, `function_enter` or `function_return`.
    pub kind: String,
    /// `follow` or `avoid`.
    pub action: String,
    /// The thread, counted from 0.
    pub thread: i64,
    /// Where.
    pub place: ClaimedPlace,
    /// What holds there.
    pub value: Option<String>,
}

/// Reads a witness. An error says where and what.
pub fn read_witness(text: &str) -> Result<Claimed, String> {
    let documents = YamlLoader::load_from_str(text).map_err(|error| {
        let at = error.marker();
        format!("line {}, column {}: {}", at.line(), at.col() + 1, error.info())
    })?;
    let [document] = documents.as_slice() else {
        return Err(format!("a witness is one YAML document, not {}", documents.len()));
    };
    let entries = document.as_vec().ok_or("a witness is a list of entries")?;
    let mut claimed = Claimed::default();
    for (index, entry) in entries.iter().enumerate() {
        claimed.add_entry(entry).map_err(|problem| format!("entry {}: {problem}", index + 1))?;
    }
    if entries.is_empty() {
        return Err("a witness has at least one entry".to_owned());
    }
    Ok(claimed)
}

impl Claimed {
    fn add_entry(&mut self, entry: &Yaml) -> Result<(), String> {
        let kind = text_of(entry, "entry_type")?;
        self.add_metadata(&entry["metadata"])?;
        let content = &entry["content"];
        match kind.as_str() {
            "invariant_set" => {
                for item in list(content, "content")? {
                    self.invariants.push(invariant(&item["invariant"])?);
                }
            }
            "ghost_instrumentation" => {
                for ghost in list(&content["ghost_variables"], "ghost_variables")? {
                    self.ghosts.push(ClaimedGhost {
                        name: text_of(ghost, "name")?,
                        sort: text_of(ghost, "type")?,
                        initial: expression(&ghost["initial"])?,
                    });
                }
                for update in list(&content["ghost_updates"], "ghost_updates")? {
                    let changes = list(&update["updates"], "updates")?.iter();
                    let changes =
                        changes.map(|change| Ok((text_of(change, "variable")?, expression(change)?)));
                    let changes = changes.collect::<Result<_, String>>()?;
                    self.updates.push(ClaimedUpdate { place: place(&update["location"])?, changes });
                }
            }
            "violation_sequence" => {
                let segments = list(content, "content")?.iter().map(|item| {
                    let waypoints = list(&item["segment"], "segment")?.iter();
                    waypoints.map(|item| waypoint(&item["waypoint"])).collect::<Result<Vec<_>, String>>()
                });
                self.segments = Some(segments.collect::<Result<_, String>>()?);
            }
            other => return Err(format!("`{other}` is not an entry type that is supported")),
        }
        Ok(())
    }

    fn add_metadata(&mut self, metadata: &Yaml) -> Result<(), String> {
        let version = text_of(metadata, "format_version")?;
        if !["2.0", "2.1", "2.2"].contains(&version.as_str()) {
            return Err(format!("the format version is {version}, not 2.0, 2.1 or 2.2"));
        }
        let task = &metadata["task"];
        self.specifications.push(text_of(task, "specification")?);
        if let Some(model) = task["data_model"].as_str() {
            self.data_models.push(model.to_owned());
        }
        for (file, hash) in task["input_file_hashes"].as_hash().into_iter().flatten() {
            if let (Some(file), Some(hash)) = (file.as_str(), scalar(hash)) {
                self.hashes.push((file.to_owned(), hash));
            }
        }
        Ok(())
    }
}

fn invariant(item: &Yaml) -> Result<ClaimedInvariant, String> {
    let is_loop = match text_of(item, "type")?.as_str() {
        "loop_invariant" => true,
        "location_invariant" => false,
        other => return Err(format!("`{other}` is not a type of invariants that is supported")),
    };
    Ok(ClaimedInvariant { place: place(&item["location"])?, is_loop, value: expression(item)? })
}

fn waypoint(item: &Yaml) -> Result<ClaimedWaypoint, String> {
    let kind = text_of(item, "type")?;
    if !["target", "assumption", "branching", "function_enter", "function_return"].contains(&kind.as_str()) {
        return Err(format!("`{kind}` is not a type of waypoints"));
    }
    let action = text_of(item, "action")?;
    if !["follow", "avoid"].contains(&action.as_str()) {
        return Err(format!("`{action}` is not an action of waypoints"));
    }
    let thread = item["thread_id"].as_i64().unwrap_or(0);
    let value = scalar(&item["constraint"]["value"]);
    Ok(ClaimedWaypoint { kind, action, thread, place: place(&item["location"])?, value })
}

fn place(item: &Yaml) -> Result<ClaimedPlace, String> {
    let number = |key: &str| item[key].as_i64().and_then(|number| u32::try_from(number).ok());
    let line = number("line").filter(|&line| line > 0).ok_or("a location has no `line`")?;
    Ok(ClaimedPlace { line, column: number("column").filter(|&column| column > 0) })
}

/// The `value` of something, which must be an expression of C.
fn expression(item: &Yaml) -> Result<String, String> {
    match item["format"].as_str() {
        None | Some("c_expression") => {}
        Some(other) => return Err(format!("expressions in the format `{other}` are not supported")),
    }
    Ok(scalar(&item["value"]).ok_or("there is no `value`")?.replace('\n', " "))
}

fn text_of(item: &Yaml, key: &str) -> Result<String, String> {
    scalar(&item[key]).ok_or_else(|| format!("there is no `{key}`"))
}

/// A text, also if it looks like a number or a truth value.
fn scalar(item: &Yaml) -> Option<String> {
    match item {
        Yaml::String(text) | Yaml::Real(text) => Some(text.clone()),
        Yaml::Integer(number) => Some(number.to_string()),
        Yaml::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}

fn list<'y>(item: &'y Yaml, key: &str) -> Result<&'y [Yaml], String> {
    item.as_vec().map(Vec::as_slice).ok_or_else(|| format!("`{key}` is not a list"))
}
