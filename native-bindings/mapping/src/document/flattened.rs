//! Objects that are one field: their leaves are its terms, and with the path before them the terms of a second, hidden field.
//!
//! `flattened` (`flat_object`) holds texts, `rank_features` a number for each of its names.

use super::numbers;
use super::parser::Parser;
use super::scalar::{self, Scalar};
use crate::compiled::MappedField;
use crate::keys::{KEY_END, number_term};
use crate::sink::DocumentSink;
use crate::spec::{DeclaredType, FieldId};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::limits::TERM_BYTES_MAX;
use quarry_json::Token;

/// UTF-16 units of a key that a message shows.
const KEY_SHOWN_MAX: usize = 50;

/// Why an object does not get through.
enum Refusal {
    /// The document's JSON, or the sink.
    Final(Error),
    /// The field cannot hold it.
    Malformed(Error),
}

type Walked<T> = std::result::Result<T, Refusal>;

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Final(error)
    }
}

/// Where in the object the walk is.
struct Place<'f> {
    field: &'f MappedField,
    keys: FieldId,
    path: String,
    /// Objects around, the outermost included.
    level: u32,
}

impl<S: DocumentSink> Parser<'_, S> {
    /// The value of such a field; the scanner is at its text. `keys`: the hidden field.
    pub(super) fn flattened(&mut self, field: &MappedField, keys: FieldId, depth: usize) -> Result<()> {
        let start = self.scanner.clone();
        let token = self.scanner.peek();
        let token = self.check(token)?;
        let walked = match token {
            Token::Null => return self.skip(depth),
            Token::Object => {
                let mut place = Place { field, keys, path: String::new(), level: 1 };
                self.flattened_object(&mut place, depth)
            }
            token => self
                .skip(depth)
                .map_err(Refusal::Final)
                .and(Err(Refusal::Malformed(not_an_object(field, token_name(token))))),
        };
        match walked {
            Ok(()) => Ok(()),
            Err(Refusal::Final(error)) => Err(error),
            Err(Refusal::Malformed(cause)) => {
                // A fault in what follows is the better thing to report.
                self.scanner = start.clone();
                self.skip(depth)?;
                let preview = scalar::preview(&mut start.clone());
                let preview = self.check(preview)?;
                Err(self.malformed(field, &preview, cause))
            }
        }
    }

    fn flattened_object(&mut self, place: &mut Place<'_>, depth: usize) -> Walked<()> {
        let json_depth = self.scanner.check_depth(depth);
        self.check(json_depth)?;
        if place.field.spec.depth_limit.is_some_and(|limit| place.level > limit) {
            return Err(too_deep(place.field));
        }
        self.each_member(|parser, name| {
            let length = place.path.len();
            if length > 0 {
                place.path.push('.');
            }
            place.path.push_str(name);
            if place.path.contains(KEY_END) {
                return Err(reserved_key(&place.path));
            }
            parser.flattened_value(place, depth + 1)?;
            place.path.truncate(length);
            Ok(())
        })
    }

    fn flattened_value(&mut self, place: &mut Place<'_>, depth: usize) -> Walked<()> {
        let token = self.scanner.peek();
        let token = self.check(token)?;
        let holds_numbers = place.field.spec.declared_type == Some(DeclaredType::RankFeatures);
        match token {
            Token::Object | Token::Array if holds_numbers => Err(no_feature(token)),
            Token::Object => {
                place.level += 1;
                self.flattened_object(place, depth)?;
                place.level -= 1;
                Ok(())
            }
            Token::Array => {
                let json_depth = self.scanner.check_depth(depth);
                self.check(json_depth)?;
                self.each_element(|parser| parser.flattened_value(place, depth + 1))
            }
            token => {
                let mut buffer = std::mem::take(&mut self.scratch.text);
                let value = scalar::read_any(&mut self.scanner, token, &mut buffer);
                let done = match self.check(value) {
                    Ok(value) if holds_numbers => self.feature(place, &value),
                    Ok(value) => self.leaf(place, &value),
                    Err(error) => Err(Refusal::Final(error)),
                };
                self.scratch.text = buffer;
                done
            }
        }
    }

    fn leaf(&mut self, place: &Place<'_>, value: &Scalar<'_>) -> Walked<()> {
        let spec = &place.field.spec;
        let null_value = spec.null_value.as_ref().and_then(|value| value.as_str());
        let Some(text) = value.text().or(null_value) else { return Ok(()) };
        let limit = spec.ignore_above.map_or(usize::MAX, |limit| limit as usize);
        // UTF-16 never has more units than UTF-8 has bytes.
        if !place.field.is_indexed() || (text.len() > limit && text.encode_utf16().count() > limit) {
            return Ok(());
        }
        let mut keyed = Vec::with_capacity(place.path.len() + 1 + text.len());
        keyed.extend_from_slice(place.path.as_bytes());
        keyed.push(KEY_END as u8);
        keyed.extend_from_slice(text.as_bytes());
        if keyed.len() > TERM_BYTES_MAX {
            return Err(immense_leaf(place, text));
        }
        self.sink.term(place.field.id, text.as_bytes())?;
        Ok(self.sink.term(place.keys, &keyed)?)
    }

    fn feature(&mut self, place: &Place<'_>, value: &Scalar<'_>) -> Walked<()> {
        if *value == Scalar::Null {
            return Ok(());
        }
        let Some(numbers) = place.field.feature_values.as_deref() else { return Ok(()) };
        let number = numbers::convert(numbers, value).and_then(|number| super::values::rank_feature(numbers, number));
        let number = number.map_err(Refusal::Malformed)?;
        let term = number_term(&place.path, number);
        if term.len() > TERM_BYTES_MAX {
            return Err(immense_leaf(place, ""));
        }
        Ok(self.sink.term(place.keys, &term)?)
    }
}

/// Refuses a value that came alone, by way of `copy_to`.
pub(super) fn not_flat(field: &MappedField, value: &Scalar<'_>) -> Error {
    not_an_object(
        field,
        match value {
            Scalar::Null => "VALUE_NULL",
            Scalar::Boolean(true) => "VALUE_TRUE",
            Scalar::Boolean(false) => "VALUE_FALSE",
            Scalar::Number(_) => "VALUE_NUMBER",
            Scalar::String(_) => "VALUE_STRING",
        },
    )
}

fn not_an_object(field: &MappedField, kind: &str) -> Error {
    let name = &field.spec.name;
    match field.spec.declared_type {
        Some(DeclaredType::FlatObject) => {
            Error::new(ErrorCode::Parsing, format!("[{name}] unexpected token [{kind}] in flat_object field value"))
        }
        Some(DeclaredType::RankFeatures) => Error::illegal_argument(format!(
            "[rank_features] fields must be json objects, expected a START_OBJECT but got: {kind}"
        )),
        _ => Error::new(
            ErrorCode::Parsing,
            format!("Failed to parse object: expecting token of type [START_OBJECT] but found [{kind}]"),
        ),
    }
}

fn token_name(token: Token) -> &'static str {
    match token {
        Token::String => "VALUE_STRING",
        Token::Number => "VALUE_NUMBER",
        Token::True => "VALUE_TRUE",
        Token::False => "VALUE_FALSE",
        Token::Null => "VALUE_NULL",
        Token::Object => "START_OBJECT",
        Token::Array => "START_ARRAY",
    }
}

fn no_feature(token: Token) -> Refusal {
    Refusal::Malformed(Error::illegal_argument(format!(
        "[rank_features] fields take hashes that map a feature to a strictly positive float, but got unexpected token {}",
        token_name(token)
    )))
}

fn too_deep(field: &MappedField) -> Refusal {
    let (name, limit) = (&field.spec.name, field.spec.depth_limit.unwrap_or_default());
    let reason = format!("The provided [flattened] field [{name}] exceeds the maximum depth limit of [{limit}].");
    Refusal::Malformed(Error::illegal_argument(reason))
}

fn reserved_key(path: &str) -> Refusal {
    let shown = path.replace(KEY_END, "\\0");
    Refusal::Malformed(Error::illegal_argument(format!(
        "Keys in [flattened] fields cannot contain the reserved character \\0. Offending key: [{shown}]."
    )))
}

fn immense_leaf(place: &Place<'_>, text: &str) -> Refusal {
    let Place { field, path, .. } = place;
    let start: String = path.chars().take(KEY_SHOWN_MAX).collect();
    Refusal::Malformed(Error::illegal_argument(format!(
        "Flattened field [{}] contains one immense field whose keyed encoding is longer than the allowed max length of \
         {TERM_BYTES_MAX} bytes. Key length: {}, value length: {} for key starting with [{start}]",
        field.spec.name,
        path.len(),
        text.len(),
    )))
}
