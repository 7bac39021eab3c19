//! Answers to writes as JSON: the items of a bulk, or the answer of a document endpoint.

use super::engine::Identity;
use quarry_base::error::{Error, ErrorCode, ScriptTrace};
use quarry_json::write::write_string;

/// How a write went.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    pub id: &'a str,
    pub version: u64,
    pub result: &'static str,
    pub seq_no: u64,
    pub primary_term: u64,
    pub status: u16,
    /// Nothing was written: `_shards` counts nothing.
    pub is_noop: bool,
    /// The `get` object of an update, JSON.
    pub get: Option<Vec<u8>>,
}

/// What all answers of a batch have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub forced_refresh: bool,
    /// Without the action around it and the status in it.
    pub bare: bool,
    /// Copies of the shard, the primary included.
    pub copies: u32,
}

fn number(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// `,"name":`; names of the API hold nothing that has to be escaped.
#[inline]
fn member(out: &mut Vec<u8>, name: &'static str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

#[inline]
fn number_member(out: &mut Vec<u8>, name: &'static str, value: u64) {
    member(out, name);
    number(out, value);
}

pub(super) fn string_member(out: &mut Vec<u8>, name: &'static str, value: &str) {
    member(out, name);
    write_string(out, value);
}

/// `{"index":` or nothing.
fn open(out: &mut Vec<u8>, action: &'static str, bare: bool) {
    if !bare {
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(action.as_bytes());
        out.extend_from_slice(b"\":");
    }
}

fn close(out: &mut Vec<u8>, bare: bool) {
    if !bare {
        out.push(b'}');
    }
}

pub(super) fn routing_missing(index: &str, id: &str) -> Error {
    Error::new(ErrorCode::RoutingMissing, format!("routing is required for [{index}]/[{id}]"))
}

/// `{"_index":..,"_id":..` without the closing brace.
pub(super) fn document_head(out: &mut Vec<u8>, index: &str, id: &str) {
    out.extend_from_slice(b"{\"_index\":");
    write_string(out, index);
    string_member(out, "_id", id);
}

pub(super) fn write_answer(
    out: &mut Vec<u8>,
    identity: &Identity,
    action: &'static str,
    answer: &Answer<'_>,
    style: Style,
) {
    open(out, action, style.bare);
    document_head(out, &identity.index, answer.id);
    number_member(out, "_version", answer.version);
    member(out, "result");
    out.push(b'"');
    out.extend_from_slice(answer.result.as_bytes());
    out.push(b'"');
    if style.forced_refresh && !answer.is_noop {
        out.extend_from_slice(b",\"forced_refresh\":true");
    }
    let (total, successful) = if answer.is_noop { (0, 0) } else { (style.copies, 1) };
    out.extend_from_slice(b",\"_shards\":{\"total\":");
    number(out, u64::from(total));
    number_member(out, "successful", successful);
    out.extend_from_slice(b",\"failed\":0}");
    number_member(out, "_seq_no", answer.seq_no);
    number_member(out, "_primary_term", answer.primary_term);
    if let Some(get) = &answer.get {
        member(out, "get");
        out.extend_from_slice(get);
    }
    if !style.bare {
        number_member(out, "status", u64::from(answer.status));
    }
    out.push(b'}');
    close(out, style.bare);
}

pub(super) fn write_failure(
    out: &mut Vec<u8>,
    identity: &Identity,
    action: &'static str,
    id: &str,
    error: &Error,
    style: Style,
) {
    open(out, action, style.bare);
    document_head(out, &identity.index, id);
    number_member(out, "status", u64::from(error.code.status()));
    member(out, "error");
    write_error(out, error, Some(identity));
    out.push(b'}');
    close(out, style.bare);
}

/// Whether the API tells which shard such an error comes from.
fn names_shard(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::VersionConflict | ErrorCode::DocumentMissing | ErrorCode::DocumentSourceMissing)
}

/// An error object: `type`, `reason`, where it happened, `caused_by`.
pub(super) fn write_error(out: &mut Vec<u8>, error: &Error, identity: Option<&Identity>) {
    out.extend_from_slice(b"{\"type\":");
    write_string(out, error.code.as_str());
    string_member(out, "reason", &error.reason);
    match identity {
        Some(identity) if names_shard(error.code) => {
            string_member(out, "index_uuid", &identity.index_uuid);
            string_member(out, "shard", &identity.shard.to_string());
            string_member(out, "index", &identity.index);
        }
        Some(identity) if error.code == ErrorCode::RoutingMissing => {
            string_member(out, "index_uuid", &identity.index_uuid);
            string_member(out, "index", &identity.index);
        }
        _ => {}
    }
    if let Some(trace) = &error.script {
        write_trace(out, trace);
    }
    if let Some(cause) = &error.caused_by {
        member(out, "caused_by");
        write_error(out, cause, None);
    }
    out.push(b'}');
}

/// Where in a script it happened.
fn write_trace(out: &mut Vec<u8>, trace: &ScriptTrace) {
    member(out, "script_stack");
    out.push(b'[');
    for (place, line) in trace.stack.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_string(out, line);
    }
    out.push(b']');
    string_member(out, "script", &trace.source);
    string_member(out, "lang", &trace.lang);
    if let Some(position) = trace.position {
        member(out, "position");
        out.extend_from_slice(b"{\"offset\":");
        number(out, position.offset as u64);
        number_member(out, "start", position.start as u64);
        number_member(out, "end", position.end as u64);
        out.push(b'}');
    }
    if let Some((text, class)) = &trace.explained {
        string_member(out, "to_string", text);
        string_member(out, "painless_class", class);
        string_member(out, "java_class", class);
    }
}

/// An error as JSON, for whoever has to carry it to another language.
pub fn error_json(error: &Error) -> String {
    let mut out = Vec::new();
    write_error(&mut out, error, None);
    // JSON made of strings is UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

/// The same with the shard's name where the API tells it.
pub(super) fn error_json_of(error: &Error, identity: &Identity) -> String {
    let mut out = Vec::new();
    write_error(&mut out, error, Some(identity));
    String::from_utf8(out).unwrap_or_default()
}
