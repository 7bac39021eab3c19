//! A document by its id.

use super::lookup::{current_in, routing_in};
use super::published::counters::Counted;
use super::source_spec::SourceView;
use crate::engine::Shard;
use crate::items::version::{Current, VersionType, conflict};
use crate::render::{document_head, routing_missing, string_member};
use quarry_base::error::{Error, Result};
use quarry_json::write::write_string;
use quarry_mapping::Mapping;
use quarry_query::view::ShardView;
use quarry_segment::stored::{Record, StoredScratch};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

/// What to read and how to show it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetOptions {
    #[serde(default = "yes")]
    pub realtime: bool,
    pub routing: Option<String>,
    /// The document must have this version.
    pub version: Option<u64>,
    pub version_type: Option<String>,
    /// `_source`, JSON.
    pub source: Option<Box<RawValue>>,
    #[serde(default)]
    pub stored_fields: Vec<String>,
    /// The answer is the source alone.
    #[serde(default)]
    pub source_only: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, PartialEq, Eq)]
pub struct GetResult {
    pub found: bool,
    /// JSON; empty where `source_only` finds nothing.
    pub body: Vec<u8>,
}

/// A document as it was read.
struct Read {
    current: Current,
    routing: Option<String>,
    record: Vec<u8>,
}

/// What answers say and need to know beside the document.
#[derive(Clone, Copy)]
struct Frame<'a> {
    index: &'a str,
    mapping: &'a Mapping,
    id: &'a str,
    options: &'a GetOptions,
}

impl Shard {
    /// Errors: `VersionConflict` when the document has another version than asked for; `RoutingMissing`.
    pub fn get(&mut self, id: &str, options: &GetOptions) -> Result<GetResult> {
        let started = Instant::now();
        let result = if options.realtime { self.get_newest(id, options)? } else { self.get_from_view(id, options)? };
        self.published().reads.add(Counted::of_get(result.found), started.elapsed());
        Ok(result)
    }

    fn get_from_view(&self, id: &str, options: &GetOptions) -> Result<GetResult> {
        let result = get_refreshed(&self.view, id, options, usize::MAX)?;
        result.ok_or_else(|| Error::internal("a document without bounds was too large"))
    }

    fn get_newest(&mut self, id: &str, options: &GetOptions) -> Result<GetResult> {
        let (index, mapping) = (Arc::clone(&self.identity.index), Arc::clone(&self.mapping));
        let frame = Frame { index: &index, mapping: &mapping, id, options };
        frame.check_routing()?;
        let Some(found) = self.find_live(id.as_bytes()) else { return Ok(frame.render_missing()) };
        let record = self.record_of(found.place)?;
        let routing = self.routing_of(found.place)?;
        frame.render(&Read { current: found.current, routing, record })
    }
}

/// As of the view. `None`: more than `raw_bytes_max` bytes would have to be decompressed. Errors: see [`Shard::get`].
pub(crate) fn get_refreshed(
    view: &ShardView,
    id: &str,
    options: &GetOptions,
    raw_bytes_max: usize,
) -> Result<Option<GetResult>> {
    let frame = Frame { index: &view.index, mapping: &view.mapping, id, options };
    frame.check_routing()?;
    match read_refreshed(view, id, raw_bytes_max)? {
        Found::Nothing => Ok(Some(frame.render_missing())),
        Found::Document(read) => frame.render(&read).map(Some),
        Found::TooLarge => Ok(None),
    }
}

enum Found {
    Nothing,
    Document(Read),
    TooLarge,
}

fn read_refreshed(view: &ShardView, id: &str, raw_bytes_max: usize) -> Result<Found> {
    for segment in view.segments.iter().rev() {
        let live = segment.live.as_ref();
        let found = segment.reader.ids().find(id.as_bytes());
        let Some(doc) = found.filter(|&doc| live.is_none_or(|live| live.is_live(doc))) else { continue };
        let stored = segment.reader.stored();
        if stored.raw_bytes_of(doc)? > raw_bytes_max {
            return Ok(Found::TooLarge);
        }
        let mut scratch = StoredScratch::keeping();
        let record = stored.get(doc, &mut scratch)?.to_vec();
        let routing = routing_in(&segment.reader, doc)?;
        return Ok(Found::Document(Read { current: current_in(&segment.reader, doc), routing, record }));
    }
    Ok(Found::Nothing)
}

impl Frame<'_> {
    fn check_routing(&self) -> Result<()> {
        if self.options.routing.is_none() && self.mapping.spec().routing_required {
            return Err(routing_missing(self.index, self.id));
        }
        Ok(())
    }

    fn render_missing(&self) -> GetResult {
        let mut body = Vec::new();
        if !self.options.source_only {
            document_head(&mut body, self.index, self.id);
            body.extend_from_slice(b",\"found\":false}");
        }
        GetResult { found: false, body }
    }

    fn render(&self, read: &Read) -> Result<GetResult> {
        let options = self.options;
        check_version(self.id, &read.current, options)?;
        let record = Record::parse(&read.record)?;
        let shown = shown_source(options)?;
        let mut body = Vec::with_capacity(read.record.len() + 128);
        if options.source_only {
            if let Some(source) = record.source() {
                shown.write(source, &mut body)?;
            }
            return Ok(GetResult { found: !body.is_empty(), body });
        }
        document_head(&mut body, self.index, self.id);
        let Current { version, seq_no, primary_term, .. } = read.current;
        // Writing to memory does not fail.
        let _ = write!(body, ",\"_version\":{version},\"_seq_no\":{seq_no},\"_primary_term\":{primary_term}");
        if let Some(routing) = &read.routing {
            string_member(&mut body, "_routing", routing);
        }
        body.extend_from_slice(b",\"found\":true");
        if let Some(source) = record.source().filter(|_| shown.is_shown()) {
            body.extend_from_slice(b",\"_source\":");
            shown.write(source, &mut body)?;
        }
        self.write_fields(&record, &mut body)?;
        body.push(b'}');
        Ok(GetResult { found: true, body })
    }

    /// `"fields":{"name":[values]}` of the stored fields asked for.
    fn write_fields(&self, record: &Record<'_>, body: &mut Vec<u8>) -> Result<()> {
        let mut separator: &[u8] = b",\"fields\":{";
        for name in self.options.stored_fields.iter().filter(|name| !name.starts_with('_')) {
            if self.mapping.is_object(name) {
                return Err(Error::illegal_argument(format!("field [{name}] isn't a leaf field")));
            }
            let shown = |field: &str| field == name && self.mapping.shows_stored(field);
            let values = record.fields().filter(|(field, _)| shown(field)).map(|(_, value)| value);
            let mut value_separator = b'[';
            for value in values {
                if value_separator == b'[' {
                    body.extend_from_slice(separator);
                    separator = b",";
                    write_string(body, name);
                    body.push(b':');
                }
                body.push(value_separator);
                value_separator = b',';
                body.extend_from_slice(value);
            }
            if value_separator == b',' {
                body.push(b']');
            }
        }
        if separator == b"," {
            body.push(b'}');
        }
        Ok(())
    }
}

fn check_version(id: &str, current: &Current, options: &GetOptions) -> Result<()> {
    // Reads compare for equality, whatever the type.
    let _: VersionType = VersionType::from_name(options.version_type.as_deref().unwrap_or("internal"))?;
    match options.version {
        Some(version) if version != current.version => {
            let has = current.version;
            Err(conflict(id, format!("current version [{has}] is different than the one provided [{version}]")))
        }
        _ => Ok(()),
    }
}

/// Asking for stored fields alone hides the source, unless it is among them.
fn shown_source(options: &GetOptions) -> Result<SourceView> {
    match &options.source {
        Some(spec) => SourceView::parse(spec.get()),
        None if options.stored_fields.is_empty() => Ok(SourceView::Whole),
        None if options.stored_fields.iter().any(|name| name == "_source") => Ok(SourceView::Whole),
        None => Ok(SourceView::Hidden),
    }
}
