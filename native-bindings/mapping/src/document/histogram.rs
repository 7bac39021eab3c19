//! Histograms that are one value: numbers in ascending order and how often each was counted.
//!
//! They become values of two hidden fields: the numbers, and for each of them how many were counted up to it. Both ascend
//! within a document, so columns of numbers keep them together. An empty histogram has one total, 0.

use super::parser::Parser;
use super::scalar;
use crate::compiled::{HistogramColumns, MappedField};
use crate::sink::DocumentSink;
use crate::spec::FieldId;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::sortable;
use quarry_json::Token;
use serde_json::{Map, Value};

impl<S: DocumentSink> Parser<'_, S> {
    /// The value of such a field; the scanner is at its text.
    pub(super) fn histogram(&mut self, field: &MappedField, columns: HistogramColumns, depth: usize) -> Result<()> {
        let start = self.scanner.clone();
        let token = self.scanner.peek();
        let token = self.check(token)?;
        let skipped = self.scanner.skip(&mut self.scratch.keys, depth);
        let text = self.check(skipped)?;
        let read = match token {
            Token::Null => return Ok(()),
            Token::Object => self.only_once(field).and_then(|()| counted_numbers(&field.spec.name, text)),
            _ => Err(Error::new(
                ErrorCode::Parsing,
                "Failed to parse object: expecting token of type [START_OBJECT] but found a value or an array",
            )),
        };
        match read {
            Ok(counted) => self.emit_histogram(columns, &counted),
            Err(_) if field.spec.ignore_malformed => self.sink.ignored(field.id),
            Err(cause) => {
                let preview = scalar::preview(&mut start.clone());
                let preview = self.check(preview)?;
                Err(self.malformed(field, &preview, cause))
            }
        }
    }

    pub(super) fn only_once(&mut self, field: &MappedField) -> Result<()> {
        if self.single_values.contains(&field.id) {
            return Err(Error::illegal_argument(format!(
                "Field [{}] of type [{}] doesn't support indexing multiple values for the same field in the same document",
                field.spec.name,
                field.spec.type_name(),
            )));
        }
        self.single_values.push(field.id);
        Ok(())
    }

    fn emit_histogram(&mut self, columns: HistogramColumns, counted: &[(f64, i64)]) -> Result<()> {
        let HistogramColumns { values, totals } = columns;
        if counted.is_empty() {
            return self.sink.number(totals, 0);
        }
        for &(number, total) in counted {
            self.sink.number(values, sortable::from_f64(number))?;
            self.sink.number(totals, total)?;
        }
        Ok(())
    }
}

/// Numbers that were counted at all, each with how many were counted up to it.
fn counted_numbers(field: &str, text: &str) -> Result<Vec<(f64, i64)>> {
    let object: Map<String, Value> =
        quarry_base::deep_json::from_str(text).map_err(|error| Error::new(ErrorCode::Parsing, error.to_string()))?;
    if let Some(name) = object.keys().find(|name| !matches!(name.as_str(), "values" | "counts")) {
        return Err(refused(field, &format!("with unknown parameter [{name}]")));
    }
    let list = |name: &str| match object.get(name) {
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(refused(field, &format!("expected an array in [{name}]"))),
        None => Err(refused(field, &format!("expected field called [{name}]"))),
    };
    let (numbers, counts) = (list("values")?, list("counts")?);
    if numbers.len() != counts.len() {
        let (numbers, counts) = (numbers.len(), counts.len());
        let what = format!("expected same length from [values] and [counts] but got [{numbers} != {counts}]");
        return Err(refused(field, &what));
    }
    let mut counted = Vec::with_capacity(numbers.len());
    let (mut before, mut total) = (f64::MIN, 0i64);
    for (number, count) in numbers.iter().zip(counts) {
        let number = number_of(field, "values", number)?;
        if number < before {
            let what = format!(
                "[values] values must be in increasing order, got [{number:?}] but previous value was [{before:?}]"
            );
            return Err(refused(field, &what));
        }
        before = number;
        let count = count_of(field, count)?;
        total = total.checked_add(count).ok_or_else(|| refused(field, "[counts] sum up to more than a long holds"))?;
        if count > 0 {
            counted.push((number, total));
        }
    }
    Ok(counted)
}

fn number_of(field: &str, list: &str, value: &Value) -> Result<f64> {
    let number = value.as_f64().filter(|number| number.is_finite());
    number.ok_or_else(|| refused(field, &format!("[{list}] elements must be numbers but got [{value}]")))
}

/// Fractions are cut off, as the reference does.
fn count_of(field: &str, value: &Value) -> Result<i64> {
    let count = match value.as_i64() {
        Some(count) => count,
        None => {
            let number = number_of(field, "counts", value)?;
            if number >= i64::MAX as f64 {
                return Err(refused(field, &format!("[counts] elements must be longs but got [{value}]")));
            }
            number.trunc() as i64
        }
    };
    if count < 0 {
        return Err(refused(field, &format!("[counts] elements must be >= 0 but got [{count}]")));
    }
    Ok(count)
}

fn refused(field: &str, what: &str) -> Error {
    Error::new(ErrorCode::MapperParsing, format!("error parsing field [{field}], {what}"))
}

/// Fields of one value that the open document has had.
pub(super) type Seen = Vec<FieldId>;

#[cfg(test)]
mod tests {
    use super::counted_numbers;

    #[test]
    fn counts_become_totals_and_what_was_not_counted_is_left_out() {
        let read = |text| counted_numbers("h", text).map_err(|error| error.reason);
        assert_eq!(
            read(r#"{"values": [-1, 0.5, 0.5, 2], "counts": [3, 0, 2, 1]}"#),
            Ok(vec![(-1.0, 3), (0.5, 5), (2.0, 6)])
        );
        assert_eq!(read(r#"{"counts": [], "values": []}"#), Ok(Vec::new()));
        for (text, reason) in [
            (r#"{"values": []}"#, "expected field called [counts]"),
            (r#"{"counts": []}"#, "expected field called [values]"),
            (r#"{"values": 1, "counts": []}"#, "expected an array in [values]"),
            (r#"{"values": [1], "counts": []}"#, "but got [1 != 0]"),
            (r#"{"values": [2, 1.5], "counts": [1, 1]}"#, "got [1.5] but previous value was [2.0]"),
            (r#"{"values": [1], "counts": [-1]}"#, "must be >= 0 but got [-1]"),
            (r#"{"values": ["1"], "counts": [1]}"#, "[values] elements must be numbers but got [\"1\"]"),
            (r#"{"values": [1], "counts": [1e30]}"#, "must be longs"),
            (r#"{"values": [1, 2], "counts": [9223372036854775807, 1]}"#, "sum up to more than a long holds"),
            (r#"{"values": [], "counts": [], "sums": []}"#, "with unknown parameter [sums]"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with("error parsing field [h], ") && found.contains(reason), "{text}: {found}");
        }
    }
}
