//! Updates: the stored document with a partial one laid over it, or an upsert where there is none.

use super::bulk::Ended;
use super::merge_source::merge_source;
use super::script_update::{Context, Operation};
use super::write::{Document, Earlier, alive, demand};
use crate::engine::Shard;
use crate::items::descriptor::{Expected, Item};
use crate::items::split::{
    UNASSIGNED_PRIMARY_TERM, UNASSIGNED_SEQ_NO, UpdateBody, parse_update_body, validation_failed,
};
use crate::items::version::check_expected;
use crate::reads::lookup::Found;
use crate::reads::source_spec::SourceView;
use crate::render::Answer;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_segment::stored::Record;
use std::io::Write;

impl Shard {
    pub(crate) fn update_item<'a>(&mut self, item: &Item<'a>, source: &[u8], now_ms: u64) -> Result<Ended<'a>> {
        let body = parse_update_body(source)?;
        if expected_of(item, &body).is_some() {
            let problems = body.against_comparing();
            if !problems.is_empty() {
                return Err(validation_failed(&problems));
            }
        }
        let shown = match item.source_spec.or(body.source_spec) {
            None => SourceView::Hidden,
            Some(spec) => SourceView::parse(spec)?,
        };
        match self.find_live(item.id.as_bytes()) {
            None => self.upsert(item, &body, &shown, now_ms),
            Some(found) => self.update_found(item, &body, &shown, found, now_ms),
        }
    }

    fn upsert<'a>(
        &mut self,
        item: &Item<'a>,
        body: &UpdateBody<'_>,
        shown: &SourceView,
        now_ms: u64,
    ) -> Result<Ended<'a>> {
        let source = if body.doc_as_upsert { body.doc } else { body.upsert };
        let Some(source) = source else {
            return Err(Error::new(ErrorCode::DocumentMissing, format!("[{}]: document missing", item.id)));
        };
        let Some(script) = body.script.filter(|_| body.scripted_upsert) else {
            return self.write_update(item, item.routing, source.as_bytes(), shown, true);
        };
        let context = Context {
            index: &self.identity.index,
            id: item.id,
            routing: item.routing,
            version: None,
            seq_no: None,
            operation: "create",
            now_ms,
        };
        match context.run(script, source)? {
            Operation::Index(source) => self.write_update(item, item.routing, &source, shown, true),
            Operation::Delete | Operation::Nothing(_) => Ok(Ended::Answered(missing_noop(item.id))),
        }
    }

    /// The script's changes to a document that is there.
    fn update_by_script<'a>(
        &mut self,
        item: &Item<'a>,
        script: &str,
        old: &str,
        shown: &SourceView,
        found: Found,
        now_ms: u64,
    ) -> Result<Ended<'a>> {
        let routing = match item.routing {
            Some(routing) => Some(routing.to_string()),
            None => self.routing_of(found.place)?,
        };
        let context = Context {
            index: &self.identity.index,
            id: item.id,
            routing: routing.as_deref(),
            version: Some(found.current.version),
            seq_no: Some(found_stamp(found)),
            operation: "index",
            now_ms,
        };
        match context.run(script, old)? {
            Operation::Index(source) => self.write_update(item, routing.as_deref(), &source, shown, false),
            Operation::Delete => {
                let written = self.delete(item.id, &demand(None, false), now_ms)?;
                let get = get_object((written.seq_no, self.identity.primary_term), old.as_bytes(), shown)?;
                Ok(Ended::Answered(Answer { get, ..self.deleted(item.id, written) }))
            }
            Operation::Nothing(source) => {
                Ok(Ended::Answered(noop(item.id, found, get_object(found_stamp(found), &source, shown)?)))
            }
        }
    }

    fn update_found<'a>(
        &mut self,
        item: &Item<'a>,
        body: &UpdateBody<'_>,
        shown: &SourceView,
        found: Found,
        now_ms: u64,
    ) -> Result<Ended<'a>> {
        if let Some(expected) = expected_of(item, body) {
            check_expected(item.id, alive(Some(found)), expected)?;
        }
        let record = self.record_of(found.place)?;
        let Some(old) = Record::parse(&record)?.source() else {
            let reason = format!("[{}]: document source missing", item.id);
            return Err(Error::new(ErrorCode::DocumentSourceMissing, reason));
        };
        let old = std::str::from_utf8(old)
            .map_err(|_| Error::corrupt(format!("the stored source of document [{}] is not UTF-8", item.id)))?;
        if let Some(script) = body.script {
            return self.update_by_script(item, script, old, shown, found, now_ms);
        }
        let (merged, changed) = merge_source(old, body.doc.unwrap_or("{}"))?;
        if !changed && body.detect_noop {
            return Ok(Ended::Answered(noop(item.id, found, get_object(found_stamp(found), &merged, shown)?)));
        }
        let routing = match item.routing {
            Some(routing) => Some(routing.to_string()),
            None => self.routing_of(found.place)?,
        };
        self.write_update(item, routing.as_deref(), &merged, shown, false)
    }

    fn write_update<'a>(
        &mut self,
        item: &Item<'a>,
        routing: Option<&str>,
        source: &[u8],
        shown: &SourceView,
        must_be_new: bool,
    ) -> Result<Ended<'a>> {
        let document = Document { id: item.id, routing, source };
        let Some(written) = self.index(document, &demand(None, must_be_new), Earlier::Unknown)? else {
            return Ok(Ended::Unmapped);
        };
        let stamp = (written.seq_no, self.identity.primary_term);
        let get = get_object(stamp, source, shown)?;
        Ok(Ended::Answered(Answer { get, ..self.indexed(item.id, written) }))
    }
}

fn expected_of(item: &Item<'_>, body: &UpdateBody<'_>) -> Option<Expected> {
    item.expected.or(match (body.if_seq_no, body.if_primary_term) {
        (None, None) => None,
        (seq_no, term) => Some(Expected {
            seq_no: seq_no.map_or(UNASSIGNED_SEQ_NO, |seq_no| seq_no as u64),
            primary_term: term.map_or(UNASSIGNED_PRIMARY_TERM, |term| term as u64),
        }),
    })
}

fn found_stamp(found: Found) -> (u64, u64) {
    (found.current.seq_no, found.current.primary_term)
}

fn noop(id: &str, found: Found, get: Option<Vec<u8>>) -> Answer<'_> {
    let (seq_no, primary_term) = found_stamp(found);
    let version = found.current.version;
    Answer { id, version, result: "noop", seq_no, primary_term, status: 200, is_noop: true, get }
}

/// A script that had nothing to write for a document that is missing.
fn missing_noop(id: &str) -> Answer<'_> {
    Answer { id, version: 0, result: "noop", seq_no: 0, primary_term: 0, status: 200, is_noop: true, get: None }
}

/// The `get` object of an update's answer.
fn get_object((seq_no, primary_term): (u64, u64), source: &[u8], shown: &SourceView) -> Result<Option<Vec<u8>>> {
    if !shown.is_shown() {
        return Ok(None);
    }
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = write!(out, "{{\"_seq_no\":{seq_no},\"_primary_term\":{primary_term},\"found\":true,\"_source\":");
    shown.write(source, &mut out)?;
    out.push(b'}');
    Ok(Some(out))
}
