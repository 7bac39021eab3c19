//! The buckets of `composite`: keys of several fields, their order, their page, and how they are printed.

use crate::partial::{Bucket, TermKey};
use crate::plan::{Aggregation, Composite, CompositeKeys, CompositeSource};
use crate::reduce::{different_kinds, merge_bucket};
use crate::source::FieldSource;
use quarry_base::error::{Error, Result};
use quarry_codec::sortable;
use quarry_geo::tile;
use quarry_mapping::format::{Format, Printer, ValueType, plain_double, term_text};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Ordering;

/// One key for each source; `None`: the document has no value. Numbers are keys of terms, numbers of intervals, or milliseconds.
pub type CompositeKey = Vec<Option<TermKey>>;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialComposite {
    /// Of each source; `None`: no shard so far maps the field.
    pub formats: Vec<Option<Format>>,
    /// In the order of the plan.
    pub buckets: Vec<(CompositeKey, Bucket)>,
    /// The key of the page's last bucket, whatever pipelines leave of them; in finished results.
    pub after: Option<CompositeKey>,
}

/// A value of `after` as a key. `IllegalArgument` when the source cannot have it.
pub fn after_key(value: &Value, of: &CompositeSource, source: &FieldSource, now_ms: i64) -> Result<Option<TermKey>> {
    if value.is_null() {
        if of.missing_bucket {
            return Ok(None);
        }
        return Err(Error::illegal_argument(format!(
            "Invalid value for [after.{}], expected a value but got [null]",
            of.name
        )));
    }
    let invalid = |found: &Value| {
        Error::illegal_argument(format!("Invalid value for [after.{}], [{found}] does not fit the field", of.name))
    };
    Ok(Some(match of.keys {
        CompositeKeys::Histogram { interval } => {
            let number = source.number(value, now_ms)?;
            TermKey::Number((number / interval).round() as i64)
        }
        CompositeKeys::DateHistogram { .. } => TermKey::Number(source.number(value, now_ms)? as i64),
        CompositeKeys::Geotile { .. } => TermKey::Number(tile::parse(value.as_str().ok_or_else(|| invalid(value))?)?),
        CompositeKeys::Terms => match (source.format.value_type, value) {
            (ValueType::Text, Value::String(text)) => TermKey::Bytes(text.clone().into_bytes()),
            (ValueType::Text, _) if !source.unmapped => return Err(invalid(value)),
            (ValueType::Text, other) => TermKey::Bytes(other.to_string().into_bytes()),
            (value_type, Value::String(text)) if value_type.has_terms() => TermKey::Bytes(value_type.term(text)?),
            (value_type, _) if value_type.has_terms() => return Err(invalid(value)),
            (value_type, _) => {
                let sortable = match exact_integer(value, value_type) {
                    Some(exact) => exact,
                    None => value_type.sortable(source.number(value, now_ms)?),
                };
                TermKey::Number(value_type.key(sortable))
            }
        },
    }))
}

/// Integers that doubles cannot hold.
fn exact_integer(value: &Value, value_type: ValueType) -> Option<i64> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    match value_type {
        ValueType::Long => text.parse().ok(),
        ValueType::UnsignedLong => text.parse().ok().map(sortable::from_u64),
        _ => None,
    }
}

pub fn compare(of: &Composite, a: &CompositeKey, b: &CompositeKey) -> Ordering {
    let one = |((source, a), b): ((&CompositeSource, &Option<TermKey>), &Option<TermKey>)| match (a, b) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => {
            if source.missing_first {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (Some(_), None) => {
            if source.missing_first {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
        (Some(a), Some(b)) if source.ascending => a.cmp(b),
        (Some(a), Some(b)) => b.cmp(a),
    };
    of.sources.iter().zip(a).zip(b).map(one).fold(Ordering::Equal, Ordering::then)
}

/// Both lists are in the plan's order; the first buckets of both remain.
pub fn merge(
    plan: &Aggregation,
    of: &Composite,
    mine: &mut PartialComposite,
    mut theirs: PartialComposite,
) -> Result<()> {
    agree_on_types(plan, mine, &mut theirs)?;
    let mut left = std::mem::take(&mut mine.buckets).into_iter().peekable();
    let mut right = theirs.buckets.into_iter().peekable();
    while mine.buckets.len() < of.size as usize {
        let order = match (left.peek(), right.peek()) {
            (Some((a, _)), Some((b, _))) => compare(of, a, b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let from_left = if order == Ordering::Greater { None } else { left.next() };
        let from_right = if order == Ordering::Less { None } else { right.next() };
        match (from_left, from_right) {
            (Some((key, mut bucket)), Some((_, other))) => {
                merge_bucket(plan, &mut bucket, other)?;
                mine.buckets.push((key, bucket));
            }
            (Some(bucket), None) | (None, Some(bucket)) => mine.buckets.push(bucket),
            (None, None) => break,
        }
    }
    Ok(())
}

/// Indices may map a source's field differently: numbers of different types meet as doubles, texts and numbers do not meet.
fn agree_on_types(plan: &Aggregation, mine: &mut PartialComposite, theirs: &mut PartialComposite) -> Result<()> {
    for place in 0..mine.formats.len().min(theirs.formats.len()) {
        let (Some(own), Some(other)) = (&mine.formats[place], &theirs.formats[place]) else {
            if mine.formats[place].is_none() {
                mine.formats[place] = theirs.formats[place].take();
            }
            continue;
        };
        let is_text = |format: &Format| format.value_type.has_terms();
        if is_text(own) != is_text(other) {
            return Err(different_kinds(&plan.name));
        }
        let doubles = own.value_type.is_fractional() != other.value_type.is_fractional();
        if !is_text(own) && doubles && matches!(plan_keys(plan, place), Some(CompositeKeys::Terms)) {
            into_doubles(mine, place);
            into_doubles(theirs, place);
        }
    }
    Ok(())
}

fn plan_keys(plan: &Aggregation, place: usize) -> Option<CompositeKeys> {
    match &plan.kind {
        crate::plan::Kind::Composite(of) => of.sources.get(place).map(|source| source.keys),
        _ => None,
    }
}

fn into_doubles(composite: &mut PartialComposite, place: usize) {
    let Some(format) = &mut composite.formats[place] else { return };
    let value_type = format.value_type;
    if value_type.is_fractional() {
        return;
    }
    format.value_type = ValueType::Double;
    for (key, _) in &mut composite.buckets {
        if let Some(Some(TermKey::Number(value))) = key.get_mut(place) {
            *value = sortable::from_f64(value_type.number(*value));
        }
    }
}

/// Prints the keys of one source.
pub struct KeyPrinter<'p> {
    source: &'p CompositeSource,
    value_type: ValueType,
    /// Dates are printed where the request says how.
    printer: Option<Printer>,
}

pub fn printers<'p>(of: &'p Composite, partial: &PartialComposite) -> Result<Vec<KeyPrinter<'p>>> {
    let one = |(source, format): (&'p CompositeSource, &Option<Format>)| {
        let wanted = format.as_ref().filter(|_| source.source.format.is_some());
        Ok(KeyPrinter {
            source,
            value_type: format.as_ref().map_or(ValueType::Text, |format| format.value_type),
            printer: wanted.map(Format::printer).transpose()?,
        })
    };
    of.sources.iter().zip(&partial.formats).map(one).collect()
}

impl KeyPrinter<'_> {
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// The key as a JSON text.
    pub fn json(&self, key: &Option<TermKey>) -> String {
        match key {
            None | Some(TermKey::Tuple(_)) => "null".to_owned(),
            Some(TermKey::Bytes(term)) => Value::String(term_text(self.value_type, term)).to_string(),
            Some(TermKey::Number(number)) => {
                let printed = self.printer.as_ref().and_then(|printer| printer.number_as_string(self.number(*number)));
                printed.map_or_else(|| self.plain(*number), |printed| Value::String(printed).to_string())
            }
        }
    }

    fn number(&self, number: i64) -> f64 {
        match self.source.keys {
            CompositeKeys::Terms => self.value_type.number(number),
            CompositeKeys::Histogram { interval } => number as f64 * interval,
            CompositeKeys::DateHistogram { .. } | CompositeKeys::Geotile { .. } => number as f64,
        }
    }

    fn plain(&self, number: i64) -> String {
        match (self.source.keys, self.value_type) {
            (CompositeKeys::DateHistogram { .. }, _) => number.to_string(),
            (CompositeKeys::Geotile { .. }, _) => Value::String(tile::text(number)).to_string(),
            (CompositeKeys::Histogram { .. }, _) => plain_double(self.number(number)),
            (CompositeKeys::Terms, ValueType::Boolean) => (number != 0).to_string(),
            (CompositeKeys::Terms, ValueType::UnsignedLong) => sortable::to_u64(number).to_string(),
            (CompositeKeys::Terms, value_type) if value_type.is_fractional() => plain_double(self.number(number)),
            (CompositeKeys::Terms, _) => number.to_string(),
        }
    }
}

/// The object of a key.
pub fn key_json(printers: &[KeyPrinter<'_>], key: &CompositeKey) -> String {
    let member = |(printer, key): (&KeyPrinter<'_>, &Option<TermKey>)| {
        format!("{}:{}", Value::String(printer.name().to_owned()), printer.json(key))
    };
    let members: Vec<String> = printers.iter().zip(key).map(member).collect();
    format!("{{{}}}", members.join(","))
}

/// Keys as pipelines name them: `{a=1, b=x}`.
pub fn texts(of: &Composite, partial: &PartialComposite) -> Result<Vec<String>> {
    let printers = printers(of, partial)?;
    let text = |printer: &KeyPrinter<'_>, key: &Option<TermKey>| match key {
        Some(TermKey::Bytes(term)) => term_text(printer.value_type, term),
        key => printer.json(key).trim_matches('"').to_owned(),
    };
    let one = |(key, _): &(CompositeKey, Bucket)| {
        let members: Vec<String> = printers
            .iter()
            .zip(key)
            .map(|(printer, key)| format!("{}={}", printer.name(), text(printer, key)))
            .collect();
        format!("{{{}}}", members.join(", "))
    };
    Ok(partial.buckets.iter().map(one).collect())
}
