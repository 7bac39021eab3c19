//! Values of range fields: objects with ends, or networks.

use super::parser::Parser;
use super::scalar::{self, Scalar};
use crate::compiled::MappedField;
use crate::ip;
use crate::range_end;
use crate::sink::DocumentSink;
use crate::spec::FieldType;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json::write::write_string;
use quarry_json::{Scanner, Token};
use quarry_segment::column::range::address_end;

/// A range as a document gives it.
struct Given {
    /// With the ends that are left out moved inwards.
    from: i128,
    to: i128,
    includes_from: bool,
    includes_to: bool,
}

/// Why a value is no range.
struct Fault {
    /// The value that is to blame, as messages show it.
    preview: String,
    cause: Error,
    /// Even where malformed values are ignored.
    always: bool,
}

impl<S: DocumentSink> Parser<'_, S> {
    /// The value of a range field; the scanner is at its text. Its multi-fields read the same text.
    pub(super) fn range(&mut self, field: &MappedField, ends: &MappedField, depth: usize) -> Result<()> {
        let start = self.scanner.clone();
        self.single_range(field, ends, depth)?;
        let behind = self.scanner.clone();
        let mapping = self.mapping;
        for &multi_field in &field.multi_fields {
            self.scanner = start.clone();
            let multi_field = mapping.field(multi_field);
            let token = self.scanner.peek();
            match (&multi_field.ends, self.check(token)?) {
                (Some(ends), _) => self.range(multi_field, ends, depth)?,
                (None, Token::Object) => self.object_for_field(multi_field, depth)?,
                (None, token) => self.scalar_for_field(multi_field, token)?,
            }
        }
        self.scanner = behind;
        Ok(())
    }

    fn single_range(&mut self, field: &MappedField, ends: &MappedField, depth: usize) -> Result<()> {
        let token = self.scanner.peek();
        let read = match self.check(token)? {
            Token::Null => {
                let null = self.scanner.null();
                return self.check(null);
            }
            Token::Object => self.range_object(field, ends, depth)?,
            Token::String if ends.spec.field_type == FieldType::Ip => {
                let string = self.scanner.string();
                let mut buffer = String::new();
                network(self.check(string)?.decode(&mut buffer))
            }
            _ => Err(Fault { preview: self.preview_and_skip(depth)?, cause: not_a_range(field), always: true }),
        };
        self.take_range(field, ends, read)
    }

    /// What another field copies here.
    pub(super) fn scalar_range(&mut self, field: &MappedField, ends: &MappedField, value: &Scalar<'_>) -> Result<()> {
        let read = match value {
            Scalar::String(text) if ends.spec.field_type == FieldType::Ip => network(text),
            _ => {
                let preview = value.text().unwrap_or("null").to_owned();
                Err(Fault { preview, cause: not_a_range(field), always: true })
            }
        };
        self.take_range(field, ends, read)
    }

    fn take_range(
        &mut self,
        field: &MappedField,
        ends: &MappedField,
        read: std::result::Result<Given, Fault>,
    ) -> Result<()> {
        match read.and_then(|given| ordered(ends, given)) {
            Ok(given) => self.emit_range(field, ends, &given),
            Err(fault) if field.spec.ignore_malformed && !fault.always => self.sink.ignored(field.id),
            Err(fault) => Err(self.malformed(field, &fault.preview, fault.cause)),
        }
    }

    fn emit_range(&mut self, field: &MappedField, ends: &MappedField, given: &Given) -> Result<()> {
        if field.is_indexed() {
            self.sink.range(field.id, (given.from, given.to))?;
        }
        if !field.spec.store {
            return Ok(());
        }
        let mut json = std::mem::take(&mut self.scratch.stored);
        json.clear();
        write_string(&mut json, &stored_text(ends, given));
        let stored = self.sink.stored(field.id, &json);
        self.scratch.stored = json;
        stored
    }

    /// Reads the whole object, whatever is wrong with it; the first fault counts.
    fn range_object(
        &mut self,
        field: &MappedField,
        ends: &MappedField,
        depth: usize,
    ) -> Result<std::result::Result<Given, Fault>> {
        self.check_depth(depth)?;
        let (least, most) = range_end::limits(ends);
        let mut given = Given { from: least, to: most, includes_from: true, includes_to: true };
        let mut fault: Option<Fault> = None;
        self.each_member(|parser, name| {
            if let Err(found) = parser.range_member(field, ends, name, &mut given, depth + 1)?
                && fault.as_ref().is_none_or(|fault| found.always && !fault.always)
            {
                fault = Some(found);
            }
            Ok::<_, Error>(())
        })?;
        Ok(fault.map_or(Ok(given), Err))
    }

    fn range_member(
        &mut self,
        field: &MappedField,
        ends: &MappedField,
        name: &str,
        given: &mut Given,
        depth: usize,
    ) -> Result<std::result::Result<(), Fault>> {
        if !matches!(name, "gt" | "gte" | "lt" | "lte") {
            let reason = format!("error parsing field [{}], with unknown parameter [{name}]", field.spec.name);
            let cause = Error::new(ErrorCode::MapperParsing, reason);
            return Ok(Err(Fault { preview: self.preview_and_skip(depth)?, cause, always: true }));
        }
        let token = self.scanner.peek();
        let token = self.check(token)?;
        if matches!(token, Token::Object | Token::Array) {
            let kind = if token == Token::Object { "START_OBJECT" } else { "START_ARRAY" };
            let cause =
                Error::illegal_argument(format!("Can't get text on a {kind} at byte {}", self.scanner.offset()));
            return Ok(Err(Fault { preview: self.preview_and_skip(depth)?, cause, always: false }));
        }
        let mut buffer = String::new();
        let value = scalar::read_any(&mut self.scanner, token, &mut buffer);
        let value = self.check(value)?;
        Ok(given.set(ends, name, &value).map_err(|cause| Fault {
            preview: value.text().unwrap_or("null").to_owned(),
            cause,
            always: false,
        }))
    }

    fn preview_and_skip(&mut self, depth: usize) -> Result<String> {
        let mut start: Scanner<'_> = self.scanner.clone();
        self.skip(depth)?;
        let preview = scalar::preview(&mut start);
        self.check(preview)
    }
}

impl Given {
    fn set(&mut self, ends: &MappedField, name: &str, value: &Scalar<'_>) -> Result<()> {
        let is_lower = name.starts_with('g');
        let inclusive = name.ends_with('e');
        let (end, includes) =
            if is_lower { (&mut self.from, &mut self.includes_from) } else { (&mut self.to, &mut self.includes_to) };
        *includes = inclusive;
        if *value == Scalar::Null {
            return Ok(());
        }
        let read = range_end::of_document(ends, value)?;
        let inward = match (inclusive, is_lower) {
            (true, _) => Some(read),
            (false, true) => read.checked_add(1),
            (false, false) => read.checked_sub(1),
        };
        *end = inward.ok_or_else(|| {
            let beyond = if is_lower { "above" } else { "below" };
            Error::illegal_argument(format!("there is no address {beyond} [{}]", value.text().unwrap_or_default()))
        })?;
        Ok(())
    }
}

/// All addresses of a network.
fn network(text: &str) -> std::result::Result<Given, Fault> {
    let network = ip::parse_cidr(text).map(|(first, last)| Given {
        from: address_end(first),
        to: address_end(last),
        includes_from: true,
        includes_to: true,
    });
    network.map_err(|cause| Fault { preview: text.to_owned(), cause, always: false })
}

/// Refuses a range that ends before it begins.
fn ordered(ends: &MappedField, given: Given) -> std::result::Result<Given, Fault> {
    let (least, most) = range_end::limits(ends);
    if given.from <= given.to && given.from >= least && given.to <= most {
        return Ok(given);
    }
    let cause = if ends.spec.field_type == FieldType::Ip {
        Error::illegal_argument("min value cannot be greater than max value for InetAddressRange field")
    } else {
        let (from, to) = (range_end::show(ends, given.from), range_end::show(ends, given.to));
        Error::illegal_argument(format!("min value ({from}) is greater than max value ({to})"))
    };
    Err(Fault { preview: "null".to_owned(), cause, always: false })
}

/// What the reference stores: `[1 : 5)`, where an end that is excluded is shown as it was given.
fn stored_text(ends: &MappedField, given: &Given) -> String {
    let (least, most) = range_end::limits(ends);
    let from = if given.includes_from || given.from == least { given.from } else { given.from - 1 };
    let to = if given.includes_to || given.to == most { given.to } else { given.to + 1 };
    let open = if given.includes_from { '[' } else { '(' };
    let close = if given.includes_to { ']' } else { ')' };
    format!("{open}{} : {}{close}", range_end::show(ends, from), range_end::show(ends, to))
}

/// The refusal of anything but an object.
fn not_a_range(field: &MappedField) -> Error {
    let path = &field.spec.name;
    let name = path.rsplit('.').next().unwrap_or(path);
    Error::new(ErrorCode::MapperParsing, format!("error parsing field [{path}], expected an object but got {name}"))
}
