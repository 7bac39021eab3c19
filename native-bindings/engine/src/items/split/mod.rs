//! A bulk body (NDJSON) to item descriptors: only the action lines are parsed, documents are left where they are.

mod action;
mod text;
mod update_body;
mod validate;

#[cfg(test)]
mod tests;

pub use text::suggestion;
pub use update_body::{UpdateBody, parse_update_body};
pub use validate::{UNASSIGNED_PRIMARY_TERM, UNASSIGNED_SEQ_NO, validate_items, validation_failed};

use super::descriptor::{Action, Descriptors, Expected, Item};
use super::version::VersionType;
use action::{ActionLine, parse_action_line};
use hashbrown::HashMap;
use memchr::memmem::Finder;
use quarry_base::error::{Error, Result};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::LazyLock;

/// Random bytes that automatic ids of one request begin with.
pub const ID_SEED_BYTES: usize = 11;

/// What applies to items that do not say it themselves.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SplitOptions {
    pub index: Option<String>,
    pub routing: Option<String>,
    pub require_alias: bool,
    /// `_source` of updates, JSON.
    pub source: Option<Box<RawValue>>,
    #[serde(default = "yes")]
    pub allow_explicit_index: bool,
}

fn yes() -> bool {
    true
}

/// The items of a body.
#[derive(Debug, Default)]
pub struct SplitBulk {
    /// Distinct index names in order of first use.
    pub index_names: Vec<String>,
    pub items: Descriptors,
    /// Some item must be written through an alias.
    pub requires_alias: bool,
}

/// Whether the body has one of the words that action lines may name pipelines with, as their key or anywhere else.
///
/// Most bodies have them nowhere. The whole body is read: at the speed of memory here, a hundred times slower in JavaScript.
pub fn mentions_pipelines(body: &[u8]) -> bool {
    static WORDS: LazyLock<[Finder<'static>; 2]> =
        LazyLock::new(|| [Finder::new("\"pipeline\""), Finder::new("\"list_executed_pipelines\"")]);
    WORDS.iter().any(|word| word.find(body).is_some())
}

/// Cuts a bulk body into items.
///
/// Errors are what the API answers to the whole request: `IllegalArgument` naming the line, `ActionRequestValidation`
/// listing every contradiction.
pub fn split_bulk(body: &[u8], options: &SplitOptions, id_seed: &[u8; ID_SEED_BYTES]) -> Result<SplitBulk> {
    if u32::try_from(body.len()).is_err() {
        return Err(Error::illegal_argument("a bulk request is below 4 GiB"));
    }
    let mut splitter = Splitter {
        body,
        options,
        id_seed,
        at: 0,
        line: 0,
        split: SplitBulk::default(),
        index_places: HashMap::new(),
        problems: Vec::new(),
    };
    while let Some(line) = splitter.next_line()? {
        splitter.item(line)?;
    }
    splitter.finish()
}

struct Splitter<'a> {
    body: &'a [u8],
    options: &'a SplitOptions,
    id_seed: &'a [u8; ID_SEED_BYTES],
    at: usize,
    /// Lines read so far.
    line: usize,
    split: SplitBulk,
    index_places: HashMap<String, u32>,
    problems: Vec<String>,
}

impl<'a> Splitter<'a> {
    /// Start and end of the next line, its newline left out.
    fn next_line(&mut self) -> Result<Option<(usize, usize)>> {
        let start = self.at;
        let Some(length) = memchr::memchr(b'\n', &self.body[start..]) else {
            if start == self.body.len() {
                return Ok(None);
            }
            return Err(Error::illegal_argument("The bulk request must be terminated by a newline [\\n]"));
        };
        self.at = start + length + 1;
        self.line += 1;
        Ok(Some((start, start + length)))
    }

    fn item(&mut self, (start, end): (usize, usize)) -> Result<()> {
        let body = self.body;
        let Some(line) = parse_action_line(&body[start..end], self.line)? else { return Ok(()) };
        if line.index.is_some() && !self.options.allow_explicit_index {
            return Err(Error::illegal_argument("explicit index in bulk is not allowed"));
        }
        let action_line = self.line;
        let source = match line.action {
            Action::Delete => (0, 0),
            _ => {
                let Some((start, end)) = self.next_line()? else {
                    return Err(Error::illegal_argument(format!(
                        "Malformed action/metadata line [{action_line}], the document after it is missing"
                    )));
                };
                let end = if end > start && body[end - 1] == b'\r' { end - 1 } else { end };
                (start, end)
            }
        };
        if line.action == Action::Update {
            self.check_update(&line, &body[source.0..source.1])?;
        }
        self.push(&line, source)
    }

    fn check_update(&mut self, line: &ActionLine<'_>, source: &[u8]) -> Result<()> {
        if line.version.is_some() || line.version_type != VersionType::Internal {
            return Err(Error::illegal_argument(
                "Update requests do not support versioning. Please use `if_seq_no` and `if_primary_term` instead",
            ));
        }
        let document_line = self.line;
        let parsed = parse_update_body(source).map_err(|error| match error.code {
            // Listed with the other contradictions of the request.
            quarry_base::error::ErrorCode::ActionRequestValidation => error,
            _ => Error::new(error.code, format!("{} (line [{document_line}])", error.reason)),
        })?;
        if line.if_seq_no.or(parsed.if_seq_no).is_some() {
            if line.retry_on_conflict.is_some_and(|times| times > 0) {
                self.problems.push("compare and write operations can not be retried".into());
            }
            self.problems.extend(parsed.against_comparing());
        }
        Ok(())
    }

    fn push(&mut self, line: &ActionLine<'_>, source: (usize, usize)) -> Result<()> {
        let options = self.options;
        let action = effective_action(line)?;
        let Some(index) = line.index.as_deref().or(options.index.as_deref()) else {
            self.problems.push("index is missing".into());
            return Ok(());
        };
        let auto_id = line.id.is_none() && matches!(action, Action::Index | Action::Create);
        let mut id_buffer = [0; 20];
        let id = match &line.id {
            Some(id) => id,
            None if auto_id => automatic_id(self.id_seed, self.split.items.len() as u32, &mut id_buffer),
            None => "",
        };
        let default_spec = options.source.as_ref().map(|spec| spec.get()).filter(|_| action == Action::Update);
        let expected = match (line.if_seq_no, line.if_primary_term) {
            (None, None) => None,
            (seq_no, term) => Some(Expected {
                seq_no: seq_no.map_or(UNASSIGNED_SEQ_NO, |seq_no| seq_no as u64),
                primary_term: term.map_or(UNASSIGNED_PRIMARY_TERM, |term| term as u64),
            }),
        };
        let item = Item {
            index: index_place(&mut self.index_places, &mut self.split.index_names, index),
            action,
            id,
            auto_id,
            repeated: false,
            routing: line.routing.as_deref().or(options.routing.as_deref()),
            require_alias: line.require_alias.unwrap_or(options.require_alias),
            version: line.version.map(|version| version as u64),
            version_type: line.version_type,
            expected,
            source: (source.0 as u32, (source.1 - source.0) as u32),
            source_spec: line.source_spec.or(default_spec),
        };
        validate::validate_item(&item, &mut self.problems);
        self.split.requires_alias |= item.require_alias;
        self.split.items.push(&item);
        Ok(())
    }

    fn finish(mut self) -> Result<SplitBulk> {
        if self.split.items.is_empty() && self.problems.is_empty() {
            self.problems.push("no requests added".into());
        }
        if !self.problems.is_empty() {
            return Err(validate::validation_failed(&self.problems));
        }
        Ok(self.split)
    }
}

/// `index` with `op_type: create` is a create.
fn effective_action(line: &ActionLine<'_>) -> Result<Action> {
    match (line.action, line.op_type.as_deref()) {
        (Action::Index, Some("create")) => Ok(Action::Create),
        (_, None) | (Action::Index, Some("index")) | (Action::Create, Some("create")) => Ok(line.action),
        (_, Some(other)) => {
            Err(Error::illegal_argument(format!("opType must be 'create' or 'index', found: [{other}]")))
        }
    }
}

fn index_place(places: &mut HashMap<String, u32>, names: &mut Vec<String>, name: &str) -> u32 {
    if let Some(&place) = places.get(name) {
        return place;
    }
    let place = names.len() as u32;
    names.push(name.to_string());
    places.insert(name.to_string(), place);
    place
}

/// 20 characters of the URL-safe base 64 alphabet: the seed, then the item's place. Ids of one request share a prefix,
/// which stores well.
fn automatic_id<'b>(seed: &[u8; ID_SEED_BYTES], place: u32, buffer: &'b mut [u8; 20]) -> &'b str {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bytes = [0; 15];
    bytes[..ID_SEED_BYTES].copy_from_slice(seed);
    bytes[ID_SEED_BYTES..].copy_from_slice(&place.to_be_bytes());
    for (three, four) in bytes.chunks_exact(3).zip(buffer.chunks_exact_mut(4)) {
        let bits = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        for (at, out) in four.iter_mut().enumerate() {
            *out = ALPHABET[(bits >> (18 - 6 * at) & 63) as usize];
        }
    }
    // The alphabet is ASCII.
    std::str::from_utf8(buffer).unwrap_or_default()
}
