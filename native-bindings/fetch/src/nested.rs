//! Nested documents as hits: what they are called, and their part of the source.

use quarry_base::error::{Error, Result};
use quarry_json::Pruner;
use quarry_json::members::members;
use quarry_json::write::write_string;
use quarry_mapping::Mapping;
use quarry_query::view::SegmentView;
use quarry_segment::stored::{Record, StoredScratch};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// A nested document of a segment.
pub(super) struct Child {
    /// The document that it is part of.
    pub root: u32,
    /// Objects from the root inwards, each by its path from the one around it and its place among those of that path.
    steps: Vec<(String, u32)>,
}

impl Child {
    /// `None` for a document that is part of no other.
    pub fn of(mapping: &Mapping, segment: &SegmentView, doc: u32) -> Result<Option<Self>> {
        let reader = &segment.reader;
        let Some(nested) = reader.nested().filter(|nested| !nested.roots().contains(doc)) else { return Ok(None) };
        let damaged = || reader.name_damage(Error::corrupt(format!("document {doc} is nested nowhere")));
        let mut path = "";
        for candidate in nested.paths() {
            if reader.nested_at(candidate)?.is_some_and(|docs| docs.contains(doc)) {
                path = candidate;
            }
        }
        let mut at = doc;
        let mut steps = Vec::new();
        while !path.is_empty() {
            let outer = mapping.nested_around(path.rsplit_once('.').map_or("", |(outer, _)| outer));
            let (siblings, parents) = (reader.nested_at(path)?, reader.nested_at(outer)?);
            let (siblings, parents) = siblings.zip(parents).ok_or_else(damaged)?;
            let parent = parents.next(at).ok_or_else(damaged)?;
            let mut offset = 0;
            let mut next = siblings.next_before(parents.block_start(parent), at);
            while let Some(sibling) = next {
                offset += 1;
                next = siblings.next_before(sibling + 1, at);
            }
            let name = path.strip_prefix(outer).unwrap_or(path).trim_start_matches('.');
            steps.push((name.to_owned(), offset));
            (at, path) = (parent, outer);
        }
        steps.reverse();
        if steps.is_empty() { Err(damaged()) } else { Ok(Some(Child { root: at, steps })) }
    }

    /// The member `_nested`.
    pub fn write_identity(&self, out: &mut Vec<u8>) {
        for (field, offset) in &self.steps {
            out.extend_from_slice(b",\"_nested\":{\"field\":");
            write_string(out, field);
            out.extend_from_slice(format!(",\"offset\":{offset}").as_bytes());
        }
        out.extend(self.steps.iter().map(|_| b'}'));
    }

    /// Appends a record as that of the root would be if this were all it held: the object in those around it, and the
    /// fields that are stored for it. `roots` keeps what was read of the root for its other children.
    pub fn write_record(
        &self,
        segment: &SegmentView,
        doc: u32,
        (roots, scratch): (&mut RootSource, &mut StoredScratch),
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let stored = segment.reader.stored();
        roots.turn_to(segment, self.root, scratch)?;
        let wrapped = roots.part(&self.steps)?.map(|part| self.wrapped(part));
        let own = Record::parse(stored.get(doc, scratch)?)?;
        Record::write(out, wrapped.as_deref(), own.fields());
        Ok(())
    }

    fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.steps.iter().flat_map(|(path, _)| path.split('.'))
    }

    fn wrapped(&self, part: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(part.len() + 32);
        for name in self.names() {
            out.push(b'{');
            write_string(&mut out, name);
            out.push(b':');
        }
        out.extend_from_slice(part.as_bytes());
        out.extend(self.names().map(|_| b'}'));
        out
    }

    /// Appends what the filter, which goes by full paths, leaves of the object; `wrapped` is the source of its record.
    pub fn write_source(&self, pruner: &Pruner, wrapped: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let mut pruned = Vec::new();
        if pruner.keeps_all() {
            pruned.extend_from_slice(wrapped);
        } else {
            pruner.apply(wrapped, &mut pruned).map_err(|fault| fault.into_error(wrapped))?;
        }
        let mut part = text_of(&pruned)?;
        for name in self.names() {
            let inner = members(part).map_err(damaged)?.into_iter().find(|(known, _)| known == name);
            part = inner.map_or("{}", |(_, value)| value.get());
            if !part.starts_with('{') {
                part = "{}";
            }
        }
        out.extend_from_slice(part.as_bytes());
        Ok(())
    }
}

/// The source of the root whose nested documents were last shown, with where their objects stand in it: a hit may show many of
/// them, and each would read and parse all of it anew.
#[derive(Default)]
pub(super) struct RootSource {
    /// Segment and document; `None` before the first.
    of: Option<(usize, u32)>,
    source: Option<String>,
    /// Where the objects at a path below the object that begins at a place stand.
    found: HashMap<(usize, String), Vec<Range<usize>>>,
}

impl RootSource {
    fn turn_to(&mut self, segment: &SegmentView, root: u32, scratch: &mut StoredScratch) -> Result<()> {
        if self.of == Some((segment.ordinal, root)) {
            return Ok(());
        }
        let record = Record::parse(segment.reader.stored().get(root, scratch)?)?;
        self.source = record.source().map(text_of).transpose()?.map(str::to_owned);
        self.found.clear();
        self.of = Some((segment.ordinal, root));
        Ok(())
    }

    /// The object that the steps lead to; `None` where the source is not kept.
    fn part(&mut self, steps: &[(String, u32)]) -> Result<Option<&str>> {
        let Some(source) = &self.source else { return Ok(None) };
        let mut range = 0..source.len();
        for (path, offset) in steps {
            let key = (range.start, path.clone());
            let objects = match self.found.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(ranges_at(source, range, path)?),
            };
            range = objects
                .get(*offset as usize)
                .cloned()
                .ok_or_else(|| Error::illegal_state(format!("Couldn't find nested source for path {path}")))?;
        }
        Ok(source.get(range))
    }
}

/// Where the objects at a path below an object of the source stand in it.
fn ranges_at(source: &str, object: Range<usize>, path: &str) -> Result<Vec<Range<usize>>> {
    let mut found = Vec::new();
    objects_at(source.get(object).unwrap_or_default(), path, &mut found)?;
    let start = |part: &str| part.as_ptr() as usize - source.as_ptr() as usize;
    Ok(found.into_iter().map(|part| start(part)..start(part) + part.len()).collect())
}

fn text_of(source: &[u8]) -> Result<&str> {
    std::str::from_utf8(source).map_err(|_| Error::corrupt("stored _source is not UTF-8"))
}

fn damaged(error: serde_json::Error) -> Error {
    Error::corrupt(format!("stored _source is not JSON: {error}"))
}

/// Every object at a dotted path, through arrays and through names that hold dots themselves.
fn objects_at<'s>(json: &'s str, path: &str, found: &mut Vec<&'s str>) -> Result<()> {
    let json = json.trim_start();
    if json.starts_with('[') {
        let items: Vec<&RawValue> = quarry_base::deep_json::from_str(json).map_err(damaged)?;
        return items.into_iter().try_for_each(|item| objects_at(item.get(), path, found));
    }
    if !json.starts_with('{') {
        return Ok(());
    }
    if path.is_empty() {
        found.push(json);
        return Ok(());
    }
    for (name, value) in members(json).map_err(damaged)? {
        if name == path {
            objects_at(value.get(), "", found)?;
        } else if let Some(rest) = path.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.')) {
            objects_at(value.get(), rest, found)?;
        }
    }
    Ok(())
}
