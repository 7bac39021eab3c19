//! The action line of a bulk item: which action, on what, under which conditions. Sentences are the API's.

use super::text::text_of;
use crate::items::descriptor::Action;
use crate::items::version::VersionType;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json as json;
use quarry_json::{Fault, KeyFrames, Scan, Scanner, Token};
use std::borrow::Cow;

/// What an action line says; absent members were not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionLine<'a> {
    pub action: Action,
    pub index: Option<Cow<'a, str>>,
    pub id: Option<Cow<'a, str>>,
    pub routing: Option<Cow<'a, str>>,
    pub op_type: Option<Cow<'a, str>>,
    pub version: Option<i64>,
    pub version_type: VersionType,
    pub if_seq_no: Option<i64>,
    pub if_primary_term: Option<i64>,
    pub require_alias: Option<bool>,
    /// Writes to a shard are carried out one after the other: an update never has to be tried again.
    pub retry_on_conflict: Option<i64>,
    /// `_source`, as JSON.
    pub source_spec: Option<&'a str>,
}

fn malformed(line: usize, why: impl std::fmt::Display) -> Error {
    Error::illegal_argument(format!("Malformed action/metadata line [{line}], {why}"))
}

/// Parses an action line (without its newline); `None` for an empty one. `line` counts from 1.
pub fn parse_action_line(bytes: &[u8], line: usize) -> Result<Option<ActionLine<'_>>> {
    let not_json = |fault: Fault| {
        let reason = format!("Malformed action/metadata line [{line}]");
        Error::illegal_argument(reason).caused_by(fault.into_error(bytes))
    };
    let mut parser = Parser { scanner: Scanner::new(json::utf8(bytes).map_err(not_json)?), line };
    if parser.scanner.is_at_end() {
        return Ok(None);
    }
    parser.parse().map(Some).map_err(|problem| match problem {
        Problem::Json(fault) => not_json(fault),
        Problem::Refused(error) => error,
    })
}

enum Problem {
    Json(Fault),
    Refused(Error),
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Problem::Json(fault)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Problem::Refused(error)
    }
}

type Parsed<T> = std::result::Result<T, Problem>;

struct Parser<'a> {
    scanner: Scanner<'a>,
    line: usize,
}

impl<'a> Parser<'a> {
    fn parse(&mut self) -> Parsed<ActionLine<'a>> {
        let token = self.scanner.peek()?;
        if token != Token::Object {
            let found = token.name();
            return Err(malformed(self.line, format!("expected START_OBJECT but found [{found}]")).into());
        }
        if !self.scanner.enter_object()? {
            return Err(malformed(self.line, "expected FIELD_NAME but found [END_OBJECT]").into());
        }
        let (name, _) = self.scanner.key()?;
        let action = self.action(&text_of(name))?;
        let mut parsed = ActionLine {
            action,
            index: None,
            id: None,
            routing: None,
            op_type: None,
            version: None,
            version_type: VersionType::Internal,
            if_seq_no: None,
            if_primary_term: None,
            require_alias: None,
            retry_on_conflict: None,
            source_spec: None,
        };
        let token = self.scanner.peek()?;
        if token != Token::Object {
            let why = format!("expected START_OBJECT or END_OBJECT but found [{}]", token.name());
            return Err(malformed(self.line, why).into());
        }
        let mut more = self.scanner.enter_object()?;
        while more {
            self.parameter(&mut parsed)?;
            more = self.scanner.next_member()?;
        }
        self.end()?;
        Ok(parsed)
    }

    fn action(&self, name: &str) -> Result<Action> {
        match name {
            "index" => Ok(Action::Index),
            "create" => Ok(Action::Create),
            "update" => Ok(Action::Update),
            "delete" => Ok(Action::Delete),
            _ => {
                let why = format!("expected field [create], [delete], [index] or [update] but found [{name}]");
                Err(malformed(self.line, why))
            }
        }
    }

    fn end(&mut self) -> Parsed<()> {
        if self.scanner.next_member()? {
            return Err(malformed(self.line, "expected END_OBJECT but found [FIELD_NAME]").into());
        }
        if !self.scanner.is_at_end() {
            return Err(malformed(self.line, "unexpected data after the closing brace").into());
        }
        Ok(())
    }

    fn parameter(&mut self, parsed: &mut ActionLine<'a>) -> Parsed<()> {
        let (name, _) = self.scanner.key()?;
        let name = text_of(name);
        let token = self.scanner.peek()?;
        if name == "_source" && token != Token::Null {
            parsed.source_spec = Some(self.skip()?);
            return Ok(());
        }
        match token {
            Token::Array | Token::Object => {
                if name == "dynamic_templates" {
                    return Err(self.unsupported(&name).into());
                }
                let found = token.name();
                let why = format!("expected a simple value for field [{name}] but found [{found}]");
                return Err(malformed(self.line, why).into());
            }
            Token::Null => {
                self.scanner.null()?;
                return Ok(());
            }
            _ => {}
        }
        match &*name {
            "_index" => parsed.index = Some(self.text(token)?),
            "_id" => parsed.id = Some(self.text(token)?),
            "routing" => parsed.routing = Some(self.text(token)?),
            "op_type" => parsed.op_type = Some(self.text(token)?),
            "version" => parsed.version = Some(self.integer(&name, token)?),
            "version_type" => parsed.version_type = VersionType::from_name(&self.text(token)?)?,
            "if_seq_no" => parsed.if_seq_no = Some(self.integer(&name, token)?),
            "if_primary_term" => parsed.if_primary_term = Some(self.integer(&name, token)?),
            "require_alias" => parsed.require_alias = Some(self.boolean(&name, token)?),
            "retry_on_conflict" => parsed.retry_on_conflict = Some(self.integer(&name, token)?),
            "pipeline" => {
                if self.text(token)? != "_none" {
                    return Err(self.unsupported(&name).into());
                }
            }
            "require_data_stream" | "list_executed_pipelines" => {
                if self.boolean(&name, token)? {
                    return Err(self.unsupported(&name).into());
                }
            }
            _ => {
                let line = self.line;
                let reason = format!("Action/metadata line [{line}] contains an unknown parameter [{name}]");
                return Err(Error::illegal_argument(reason).into());
            }
        }
        Ok(())
    }

    fn unsupported(&self, name: &str) -> Error {
        let line = self.line;
        Error::illegal_argument(format!("Action/metadata line [{line}] contains [{name}], which is not supported"))
    }

    fn skip(&mut self) -> Scan<&'a str> {
        self.scanner.skip(&mut KeyFrames::default(), 2)
    }

    /// A string, or a number or boolean as it is written.
    fn text(&mut self, token: Token) -> Scan<Cow<'a, str>> {
        match token {
            Token::String => self.scanner.string().map(text_of),
            _ => self.skip().map(Cow::Borrowed),
        }
    }

    fn integer(&mut self, name: &str, token: Token) -> Parsed<i64> {
        let text = self.text(token)?;
        text.parse().map_err(|_| {
            let reason = format!("Action/metadata line [{}]: For input string: \"{text}\"", self.line);
            Problem::Refused(
                Error::illegal_argument(format!("Failed to parse parameter [{name}] as an integer"))
                    .caused_by(Error::new(ErrorCode::NumberFormat, reason)),
            )
        })
    }

    fn boolean(&mut self, name: &str, token: Token) -> Parsed<bool> {
        let text = self.text(token)?;
        text.parse().map_err(|_| {
            let reason = format!(
                "Action/metadata line [{}]: Failed to parse value [{text}] of [{name}] as only [true] or [false] are allowed.",
                self.line
            );
            Problem::Refused(Error::illegal_argument(reason))
        })
    }
}
