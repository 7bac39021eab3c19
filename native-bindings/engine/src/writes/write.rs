//! Single operations on documents: parse, decide, number, apply, note for the translog.

use crate::engine::Shard;
use crate::items::descriptor::Expected;
use crate::items::version::{Current, Demand, next_version};
use crate::reads::lookup::{Found, Place};
use crate::translog::{Operation, OperationKind};
use crate::version_map::{Newest, UNKNOWN_TIME};
use quarry_base::error::{Error, Result};
use quarry_buffer::DocumentMeta;
use quarry_mapping::document::{DocumentHead, Outcome, parse_document, parse_with_queries};
use std::borrow::Cow;

/// A document to be written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'a> {
    pub id: &'a str,
    pub routing: Option<&'a str>,
    pub source: &'a [u8],
}

/// What there may be of a document that is to be indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// Nothing: the id was made for this request, so nothing has to be looked up.
    None,
    /// What the same request wrote before it was repeated: it is replaced, and answered as if it had not been there.
    SameWrite,
    /// Anything.
    Unknown,
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    pub seq_no: u64,
    pub version: u64,
    /// There was a live document with this id before.
    pub replaced: bool,
}

/// Sequence number, term and version of an operation, decided.
#[derive(Debug, Clone, Copy)]
struct Stamp {
    seq_no: u64,
    primary_term: u64,
    version: u64,
}

impl Shard {
    /// Indexes a document; `None` when it holds fields that the mapping lacks (they are in the parse report).
    pub(crate) fn index(
        &mut self,
        document: Document<'_>,
        demand: &Demand,
        earlier: Earlier,
    ) -> Result<Option<Written>> {
        if !self.parse(&document, None)? {
            return Ok(None);
        }
        let written = self.index_parsed(document, demand, earlier);
        if written.is_err() {
            self.buffer.rollback_document();
        }
        written.map(Some)
    }

    /// `false` when there are unmapped fields, or queries without a plan. Unless `true`, the buffer is rolled back.
    ///
    /// `replayed`: plans of the document's queries, from the translog.
    fn parse(&mut self, document: &Document<'_>, replayed: Option<&[u8]>) -> Result<bool> {
        self.buffer.begin_document();
        let head = DocumentHead { id: document.id, has_routing: document.routing.is_some() };
        let source = document.source;
        let outcome = parse_document(&self.mapping, head, source, &mut self.buffer, &mut self.parse_scratch);
        let is_complete = match outcome {
            Ok(Outcome::Parsed) if self.parse_scratch.stored_queries.is_empty() => {
                self.query_plans.forget_document();
                Ok(true)
            }
            Ok(Outcome::Parsed) => self.parse_with_queries(head, source, replayed),
            Ok(Outcome::Unmapped) => {
                self.query_plans.want(&self.parse_scratch.stored_queries, true);
                Ok(false)
            }
            Err(error) => Err(error),
        };
        if !matches!(is_complete, Ok(true)) {
            self.buffer.rollback_document();
        }
        is_complete
    }

    /// Parses a document again whose queries are known now; `false` when they have no plan yet.
    fn parse_with_queries(&mut self, head: DocumentHead<'_>, source: &[u8], replayed: Option<&[u8]>) -> Result<bool> {
        let Some(queries) = self.index_queries(replayed)? else { return Ok(false) };
        self.buffer.rollback_document();
        self.buffer.begin_document();
        let sink = (&mut self.buffer, queries);
        let outcome = parse_with_queries(&self.mapping, head, source, sink, &mut self.parse_scratch)?;
        Ok(outcome == Outcome::Parsed)
    }

    fn index_parsed(&mut self, document: Document<'_>, demand: &Demand, earlier: Earlier) -> Result<Written> {
        let found = if earlier == Earlier::None { None } else { self.find(document.id.as_bytes()) };
        let known = found.filter(|_| earlier == Earlier::Unknown);
        let version = next_version(document.id, known.map(|found| found.current), demand)?;
        self.check_room()?;
        let stamp = Stamp { seq_no: self.sequence.next(), primary_term: self.identity.primary_term, version };
        self.commit_parsed(document, stamp, found, earlier)?;
        self.note_indexed(document, stamp);
        let replaced = known.is_some_and(|found| found.is_alive());
        Ok(Written { seq_no: stamp.seq_no, version, replaced })
    }

    /// The parsed document becomes the newest of its id.
    fn commit_parsed(
        &mut self,
        document: Document<'_>,
        stamp: Stamp,
        found: Option<Found>,
        earlier: Earlier,
    ) -> Result<()> {
        let Stamp { seq_no, primary_term, version } = stamp;
        let id = document.id.as_bytes();
        let source = self.stored_source(document.source)?;
        let ordinal = self.buffer.commit_document(DocumentMeta {
            id,
            routing: document.routing.map(str::as_bytes),
            seq_no,
            version,
            primary_term,
            source: source.as_deref(),
        })?;
        if let Some(routing) = document.routing {
            self.buffered_routings.insert(ordinal, routing.into());
        }
        self.remove(found);
        self.touched.note(id);
        let newest = Newest::Buffered { ordinal };
        match earlier {
            Earlier::None => self.versions.put_new(id, seq_no, primary_term, version, newest),
            Earlier::SameWrite | Earlier::Unknown => self.versions.put(id, seq_no, primary_term, version, newest),
        }
        self.sequence.done(seq_no);
        Ok(())
    }

    /// The body as the mapping wants it kept; `None` for not at all.
    fn stored_source<'s>(&self, source: &'s [u8]) -> Result<Option<Cow<'s, [u8]>>> {
        if !self.mapping.spec().source_enabled {
            return Ok(None);
        }
        let Some(pruner) = &self.source_pruner else { return Ok(Some(Cow::Borrowed(source))) };
        let mut pruned = Vec::new();
        pruner.apply(source, &mut pruned).map_err(|fault| fault.into_error(source))?;
        Ok(Some(Cow::Owned(pruned)))
    }

    /// What was found is the newest no longer.
    fn remove(&mut self, found: Option<Found>) {
        match found.map(|found| found.place) {
            Some(Place::Buffered { ordinal }) => {
                self.buffer.delete(ordinal);
            }
            Some(Place::Frozen { ordinal }) => {
                if let Some(frozen) = &mut self.frozen {
                    frozen.delete(ordinal);
                }
            }
            Some(Place::Segment { slot, doc }) => {
                self.view_is_stale |= self.slots[slot].delete(doc);
            }
            Some(Place::Deleted) | None => {}
        }
    }

    /// Deletes a document, whether it is there or not: both are operations with a number and a version.
    pub(crate) fn delete(&mut self, id: &str, demand: &Demand, now_ms: u64) -> Result<Written> {
        let found = self.find(id.as_bytes());
        let version = next_version(id, found.map(|found| found.current), demand)?;
        let stamp = Stamp { seq_no: self.sequence.next(), primary_term: self.identity.primary_term, version };
        self.apply_delete(id.as_bytes(), stamp, found, now_ms);
        self.note(id, stamp, OperationKind::Delete);
        Ok(Written { seq_no: stamp.seq_no, version, replaced: found.is_some_and(|found| found.is_alive()) })
    }

    fn apply_delete(&mut self, id: &[u8], stamp: Stamp, found: Option<Found>, now_ms: u64) {
        self.remove(found);
        self.touched.note(id);
        let deleted = Newest::Deleted { at_ms: now_ms };
        self.versions.put(id, stamp.seq_no, stamp.primary_term, stamp.version, deleted);
        self.sequence.done(stamp.seq_no);
    }

    fn note_indexed(&mut self, document: Document<'_>, stamp: Stamp) {
        let Stamp { seq_no, primary_term, version } = stamp;
        let queries = self.query_plans.of_document();
        let routing = document.routing.map(str::as_bytes);
        let kind = OperationKind::Index { source: document.source, routing, queries };
        self.batch.add(&Operation { seq_no, primary_term, version, id: document.id.as_bytes(), kind });
    }

    fn note(&mut self, id: &str, stamp: Stamp, kind: OperationKind<'_>) {
        let Stamp { seq_no, primary_term, version } = stamp;
        self.batch.add(&Operation { seq_no, primary_term, version, id: id.as_bytes(), kind });
    }

    /// Applies an operation of the translog. What the segments have of it already, by its number, is left alone.
    pub(crate) fn replay(&mut self, operation: &Operation<'_>) -> Result<()> {
        let Operation { seq_no, primary_term, version, id, kind } = *operation;
        if i64::try_from(seq_no).is_ok_and(|seq_no| seq_no <= self.commit.local_checkpoint) {
            return Ok(());
        }
        let id_text = std::str::from_utf8(id).map_err(|_| cannot_replay(seq_no, "its id is not UTF-8"))?;
        if self.is_full() {
            self.make_room(UNKNOWN_TIME)?;
        }
        let stamp = Stamp { seq_no, primary_term, version };
        let found = self.find(id);
        if found.is_some_and(|found| found.current.seq_no >= seq_no) {
            self.sequence.done(seq_no);
            return Ok(());
        }
        match kind {
            OperationKind::Delete => {
                self.apply_delete(id, stamp, found, UNKNOWN_TIME);
                Ok(())
            }
            OperationKind::Index { source, routing, queries } => {
                let routing = routing.map(std::str::from_utf8).transpose();
                let routing = routing.map_err(|_| cannot_replay(seq_no, "its routing is not UTF-8"))?;
                self.replay_document(Document { id: id_text, routing, source }, stamp, queries, found)
            }
        }
    }

    /// What was acknowledged is taken: where it does not fit, deleted documents make room for it.
    fn replay_document(
        &mut self,
        document: Document<'_>,
        stamp: Stamp,
        queries: &[u8],
        mut found: Option<Found>,
    ) -> Result<()> {
        self.parse_replayed(&document, stamp, queries)?;
        while !self.has_room() {
            self.buffer.rollback_document();
            let has_reclaimed = self.reclaim_deleted()?;
            // Whatever was found may have moved.
            found = self.find(document.id.as_bytes());
            self.parse_replayed(&document, stamp, queries)?;
            if !has_reclaimed {
                break;
            }
        }
        self.commit_parsed(document, stamp, found, Earlier::Unknown)
    }

    fn parse_replayed(&mut self, document: &Document<'_>, stamp: Stamp, queries: &[u8]) -> Result<()> {
        match self.parse(document, Some(queries)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(cannot_replay(stamp.seq_no, "the mapping lacks a field of its document")),
            Err(error) => Err(cannot_replay(stamp.seq_no, "its document does not fit the mapping").caused_by(error)),
        }
    }
}

fn cannot_replay(seq_no: u64, why: &str) -> Error {
    Error::corrupt(format!("translog operation [{seq_no}] cannot be replayed: {why}"))
}

/// What a write demands that names nothing special.
pub(crate) fn demand(expected: Option<Expected>, must_be_new: bool) -> Demand {
    Demand { version: None, version_type: crate::items::version::VersionType::Internal, expected, must_be_new }
}

/// The current state of a live document, for checks.
pub(crate) fn alive(found: Option<Found>) -> Option<Current> {
    found.filter(Found::is_alive).map(|found| found.current)
}
