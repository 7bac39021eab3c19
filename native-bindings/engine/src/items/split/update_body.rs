//! The body of an update: `doc`, `upsert` and how they apply. Sentences are the API's.

use super::text::{suggestion, text_of};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json as json;
use quarry_json::{Fault, KeyFrames, Scanner, Token, fault};

const FIELDS: [&str; 9] = [
    "_source",
    "detect_noop",
    "doc",
    "doc_as_upsert",
    "if_primary_term",
    "if_seq_no",
    "script",
    "scripted_upsert",
    "upsert",
];

/// A parsed update body; documents are JSON objects as they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdateBody<'a> {
    pub doc: Option<&'a str>,
    pub upsert: Option<&'a str>,
    pub doc_as_upsert: bool,
    pub detect_noop: bool,
    /// JSON: a text or an object.
    pub script: Option<&'a str>,
    /// The script runs for a document that is missing, too.
    pub scripted_upsert: bool,
    /// `_source`: the answer shows the new source. JSON.
    pub source_spec: Option<&'a str>,
    pub if_seq_no: Option<i64>,
    pub if_primary_term: Option<i64>,
}

impl UpdateBody<'_> {
    /// Why an update that compares sequence numbers cannot have this body: it would make the document that it compares.
    pub fn against_comparing(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.doc_as_upsert {
            problems.push("compare and write operations can not be used with upsert".into());
        }
        if self.upsert.is_some() {
            problems.push("upsert requests don't support `if_seq_no` and `if_primary_term`".into());
        }
        problems
    }
}

/// Parses and validates. Errors: `JsonParse`, `XContentParse` (unknown field), `ActionRequestValidation`.
pub fn parse_update_body(bytes: &[u8]) -> Result<UpdateBody<'_>> {
    let at = |fault: Fault| fault.into_error(bytes);
    let text = json::utf8(bytes).map_err(at)?;
    json::validate(bytes).map_err(at)?;
    let mut scanner = Scanner::new(text);
    if scanner.peek().map_err(at)? != Token::Object {
        return Err(refuse(bytes, 0, "Expected START_OBJECT but was another value"));
    }
    let mut body = UpdateBody {
        doc: None,
        upsert: None,
        doc_as_upsert: false,
        detect_noop: true,
        script: None,
        scripted_upsert: false,
        source_spec: None,
        if_seq_no: None,
        if_primary_term: None,
    };
    let mut more = scanner.enter_object().map_err(at)?;
    while more {
        let (name, offset) = scanner.key().map_err(at)?;
        let name = text_of(name);
        let token = scanner.peek().map_err(at)?;
        let value = scanner.skip(&mut KeyFrames::default(), 1).map_err(at)?;
        member(&mut body, bytes, &name, offset, token, value)?;
        more = scanner.next_member().map_err(at)?;
    }
    validate(&body)?;
    Ok(body)
}

fn member<'a>(
    body: &mut UpdateBody<'a>,
    bytes: &[u8],
    name: &str,
    offset: usize,
    token: Token,
    value: &'a str,
) -> Result<()> {
    let wrong =
        |expected: &str| refuse(bytes, offset, &format!("{name} doesn't support values of this type: {expected}"));
    let document = || match token {
        Token::Object => Ok(Some(value)),
        Token::Null => Ok(None),
        _ => Err(wrong("expected an object")),
    };
    let boolean = || match value.trim_matches('"') {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(wrong("expected a boolean")),
    };
    let integer = || value.trim_matches('"').parse().map(Some).map_err(|_| wrong("expected an integer"));
    match name {
        "doc" => body.doc = document()?,
        "upsert" => body.upsert = document()?,
        "doc_as_upsert" => body.doc_as_upsert = boolean()?,
        "detect_noop" => body.detect_noop = boolean()?,
        "_source" => body.source_spec = (token != Token::Null).then_some(value),
        "if_seq_no" => body.if_seq_no = integer()?,
        "if_primary_term" => body.if_primary_term = integer()?,
        "script" => match token {
            Token::Null => {}
            Token::Object | Token::String => body.script = Some(value),
            _ => return Err(wrong("expected an object or a text")),
        },
        "scripted_upsert" => body.scripted_upsert = boolean()?,
        _ => return Err(refuse(bytes, offset, &format!("unknown field [{name}]{}", suggestion(name, &FIELDS)))),
    }
    Ok(())
}

fn refuse(bytes: &[u8], offset: usize, why: &str) -> Error {
    // The place of the field's opening quote.
    let place = fault::line_column(bytes, offset.saturating_sub(1));
    Error::new(ErrorCode::XContentParse, format!("[{}:{}] [UpdateRequest] {why}", place.line, place.column))
}

fn validate(body: &UpdateBody<'_>) -> Result<()> {
    let problem = match body {
        UpdateBody { doc: Some(_), script: Some(_), .. } => "can't provide both script and doc",
        UpdateBody { doc: None, doc_as_upsert: true, .. } => "doc must be specified if doc_as_upsert is enabled",
        UpdateBody { doc: None, script: None, .. } => "script or doc is missing",
        _ => return Ok(()),
    };
    Err(super::validate::validation_failed(&[problem.to_string()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(body: &str) -> String {
        parse_update_body(body.as_bytes()).unwrap_err().reason
    }

    #[test]
    fn members_are_read() {
        let body = r#"{"doc":{"a":1},"upsert":{},"doc_as_upsert":true,"detect_noop":false,"_source":["a"]}"#;
        let parsed = parse_update_body(body.as_bytes()).unwrap();
        assert_eq!(parsed.doc, Some(r#"{"a":1}"#));
        assert_eq!(parsed.upsert, Some("{}"));
        assert!(parsed.doc_as_upsert && !parsed.detect_noop);
        assert_eq!(parsed.source_spec, Some(r#"["a"]"#));
        let body = r#"{"script":{"source":"ctx.op = 'none'"},"scripted_upsert":true,"upsert":{}}"#;
        let parsed = parse_update_body(body.as_bytes()).unwrap();
        assert_eq!(parsed.script, Some(r#"{"source":"ctx.op = 'none'"}"#));
        assert!(parsed.scripted_upsert && parsed.doc.is_none());
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(reason(r#"{"dac":{}}"#), "[1:2] [UpdateRequest] unknown field [dac] did you mean [doc]?");
        assert_eq!(reason("{}"), "Validation Failed: 1: script or doc is missing;");
        assert_eq!(
            reason(r#"{"doc_as_upsert":true}"#),
            "Validation Failed: 1: doc must be specified if doc_as_upsert is enabled;"
        );
        assert_eq!(reason(r#"{"script":"ctx","doc":{}}"#), "Validation Failed: 1: can't provide both script and doc;");
        assert!(reason(r#"{"doc":1}"#).contains("doc doesn't support values of this type"));
        assert!(reason(r#"{"doc":{}"#).starts_with("[1:10]"));
    }
}
