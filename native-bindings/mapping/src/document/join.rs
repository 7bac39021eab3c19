//! A value of a `join` field: the name of the document's side of a relation, and its parent where it is a child.

use super::parser::{Parser, failed_to_parse};
use super::values::immense_term;
use crate::compiled::MappedField;
use crate::join::{Join, JoinSpec, Relation};
use crate::sink::DocumentSink;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::limits::TERM_BYTES_MAX;
use quarry_json::Token;

/// What a value says.
#[derive(Default)]
struct Side {
    name: Option<String>,
    parent: Option<String>,
}

impl<S: DocumentSink> Parser<'_, S> {
    pub(super) fn join_value(&mut self, field: &MappedField, spec: &JoinSpec, token: Token) -> Result<()> {
        let side = match token {
            Token::String => Side { name: Some(self.text()?), parent: None },
            Token::Object => self.join_object(field)?,
            other => {
                let reason =
                    format!("[{}] expected START_OBJECT or VALUE_STRING but was: {}", field.spec.name, other.name());
                return Err(failed_to_parse(Error::illegal_state(reason)));
            }
        };
        self.take_side(Join { field, spec }, side)
    }

    fn text(&mut self) -> Result<String> {
        let string = self.scanner.string();
        let mut text = String::new();
        self.check(string)?.decode_onto(&mut text);
        Ok(text)
    }

    fn join_object(&mut self, field: &MappedField) -> Result<Side> {
        let mut side = Side::default();
        self.each_member(|parser, name| {
            let token = parser.scanner.peek();
            let token = parser.check(token)?;
            let member = match (name, token) {
                ("name", Token::String) => &mut side.name,
                ("parent", Token::String | Token::Number) => &mut side.parent,
                _ => {
                    let reason = format!("unknown field name [{name}] in join field [{}]", field.spec.name);
                    return Err(refused(reason));
                }
            };
            *member = Some(match token {
                Token::String => parser.text()?,
                _ => {
                    let number = parser.scanner.number();
                    parser.check(number)?.text.to_owned()
                }
            });
            Ok(())
        })?;
        Ok(side)
    }

    fn take_side(&mut self, join: Join<'_>, side: Side) -> Result<()> {
        let field = join.name();
        let Some(name) = side.name else { return Err(refused(format!("null join name in field [{field}]"))) };
        let (above, below) = (join.spec.above(&name), join.spec.below(&name));
        if above.is_none() && below.is_none() {
            return Err(refused(format!("unknown join name [{name}] for field [{field}]")));
        }
        if let Some(relation) = above {
            let parent = side.parent.ok_or_else(|| refused(format!("[parent] is missing for join field [{field}]")))?;
            if !self.head.has_routing {
                return Err(refused(format!("[routing] is missing for join field [{field}]")));
            }
            self.related(join, relation, &parent)?;
        }
        if let Some(relation) = below {
            let id = self.head.id;
            self.related(join, relation, id)?;
        }
        self.sink.term(join.field.id, name.as_bytes())
    }

    fn related(&mut self, join: Join<'_>, relation: &Relation, id: &str) -> Result<()> {
        let name = join.id_field(relation);
        if id.len() > TERM_BYTES_MAX {
            return Err(failed_to_parse(immense_term(&name, id.as_bytes())));
        }
        let missing = || Error::new(ErrorCode::Internal, format!("join field [{name}] is not in the mapping"));
        let field = self.mapping.field_by_name(&name).ok_or_else(missing)?.id;
        self.sink.term(field, id.as_bytes())
    }
}

fn refused(reason: String) -> Error {
    failed_to_parse(Error::illegal_argument(reason))
}
