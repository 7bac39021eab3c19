//! Sort keys resolved against a shard's mapping.

use super::children::NestedKey;
use super::value::{KeyOrder, SortValue};
use crate::node::ScriptNode;
use crate::resolve::script_node;
use crate::view::ShardView;
use crate::weight::QueryEnv;
use jiff::tz::TimeZone;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::json::write::plain_float;
use quarry_codec::sortable;
use quarry_geo::distance::DistanceType;
use quarry_geo::point::GeoPoint;
use quarry_json::write::write_string;
use quarry_mapping::MappedField;
use quarry_mapping::date::{DateFormat, Moment};
use quarry_mapping::format::{ValueType, plain_double, term_text};
use quarry_mapping::spec::{DeclaredType, FieldSpec, FieldType};
use quarry_plan::geo::GeoDistanceSort;
use quarry_plan::request::{FieldSort, Missing, SortKey, SortMode, SortOrder};
use quarry_segment::FieldKind;
use serde_json::Value;

/// Where a key's values come from.
#[derive(Debug, Clone, PartialEq)]
pub enum KeySource {
    Score,
    /// Number of the document in the shard.
    Doc,
    /// The same, behind the place of the shard among those of the request.
    ShardDoc,
    /// A numeric column.
    Number {
        field: String,
        value_type: ValueType,
    },
    SeqNo,
    Version,
    /// Terms by ordinal.
    Term {
        field: String,
        value_type: ValueType,
    },
    /// Not mapped here, by leave of `unmapped_type`.
    Absent,
    /// A number that a script computes.
    Script,
    /// How far places are from some others.
    Distance(Distance),
}

/// What a `_geo_distance` key measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Distance {
    pub field: String,
    pub origins: Vec<GeoPoint>,
    /// Metres of the unit.
    pub unit: f64,
    pub distance_type: DistanceType,
}

impl Distance {
    /// From each of some places of a column to each origin, ascending, in sortable form.
    pub fn of(&self, places: &[i64]) -> Vec<i64> {
        let from = |&place: &i64| {
            let place = GeoPoint::of_column(place);
            self.origins.iter().map(move |&origin| self.distance_type.metres(place, origin) / self.unit)
        };
        let mut distances: Vec<i64> = places.iter().flat_map(from).map(sortable::from_f64).collect();
        distances.sort_unstable();
        distances
    }
}

/// A script and the shard that it runs on.
#[derive(Debug, Clone)]
pub struct SortScript {
    pub view: ShardView,
    pub node: ScriptNode,
}

/// A sort key with everything that the mapping decides.
#[derive(Debug, Clone)]
pub struct ResolvedKey {
    pub source: KeySource,
    pub order: SortOrder,
    pub missing: Missing,
    pub mode: SortMode,
    /// `numeric_type`: values are compared, and printed, as this.
    pub compared_as: Option<ValueType>,
    /// Of `_shard_doc`: place of this shard among those of the request.
    pub shard_ordinal: u32,
    /// Values have 32 bits or fewer, and are compared as they are.
    pub is_int: bool,
    /// The least or greatest number of 32 bits stands for a missing value, not that of 64.
    pub has_int_missing: bool,
    /// The values are those of nested documents.
    pub(super) nested: Option<NestedKey>,
    /// Of the request: values are read and printed in it.
    format: Option<DateFormat>,
    /// Of a date field: values of the request that are no numbers are read in it.
    field_format: Option<DateFormat>,
    /// Of [`KeySource::Script`].
    pub(super) script: Option<SortScript>,
}

impl ResolvedKey {
    /// Errors: `QueryShard` for a field that is not mapped, `IllegalArgument` for one that cannot be sorted by.
    ///
    /// `scope`: path of the nested documents that are sorted; empty for the roots.
    pub fn resolve(view: &ShardView, env: &QueryEnv, key: &SortKey, scope: &str) -> Result<Self> {
        let plain = |source, order| ResolvedKey {
            source,
            order,
            missing: Missing::Last,
            mode: SortMode::Min,
            compared_as: None,
            shard_ordinal: 0,
            is_int: false,
            has_int_missing: false,
            nested: None,
            format: None,
            field_format: None,
            script: None,
        };
        match key {
            SortKey::Score { order } => Ok(plain(KeySource::Score, *order)),
            SortKey::Doc { order } => Ok(plain(KeySource::Doc, *order)),
            SortKey::ShardDoc { order } => Ok(plain(KeySource::ShardDoc, *order)),
            SortKey::Field(sort) => Self::resolve_field(view, env, sort, scope),
            SortKey::GeoDistance(sort) => {
                let default_mode = if sort.order == SortOrder::Ascending { SortMode::Min } else { SortMode::Max };
                let nested = sort.nested.as_deref();
                Ok(ResolvedKey {
                    mode: sort.mode.unwrap_or(default_mode),
                    nested: nested.map(|nested| NestedKey::resolve(view, env, nested, scope)).transpose()?,
                    // Whichever the order, a document without a place is infinitely far away.
                    missing: Missing::Value(Value::from("Infinity")),
                    ..plain(KeySource::Distance(distance_of(view, sort)?), sort.order)
                })
            }
            SortKey::Script(sort) => match &sort.computed {
                Some(field) => {
                    Ok(plain(KeySource::Term { field: field.name.clone(), value_type: ValueType::Text }, sort.order))
                }
                None => {
                    let node = script_node(&sort.script, "number_sort", scope)?;
                    let script = SortScript { view: view.clone(), node };
                    Ok(ResolvedKey { script: Some(script), ..plain(KeySource::Script, sort.order) })
                }
            },
        }
    }

    /// The score of a document decides where it sorts.
    pub fn needs_score(&self) -> bool {
        self.source == KeySource::Score || self.script.as_ref().is_some_and(|script| script.node.program.uses_score)
    }

    fn resolve_field(view: &ShardView, env: &QueryEnv, sort: &FieldSort, scope: &str) -> Result<Self> {
        let source = match (sort.field.as_str(), view.mapping.field_by_name(&sort.field)) {
            ("_seq_no", _) => KeySource::SeqNo,
            ("_version", _) => KeySource::Version,
            ("_index", _) => return Ok(Self::constant(sort, &view.index)),
            ("_id", _) => return Err(id_has_no_values()),
            (_, Some(field)) => field_source(field)?,
            (_, None) => unmapped_source(sort)?,
        };
        let value_type = match &source {
            KeySource::Number { value_type, .. } => Some(*value_type),
            _ => None,
        };
        let compared_as = sort.numeric_type.as_deref().map(|name| numeric_type(&sort.field, name, value_type));
        let default_mode = if sort.order == SortOrder::Ascending { SortMode::Min } else { SortMode::Max };
        let mode = sort.mode.unwrap_or(default_mode);
        let constant = view.mapping.field_by_name(&sort.field).and_then(|field| field.spec.constant.as_deref());
        let is_number = !matches!(source, KeySource::Term { .. });
        if !is_number && matches!(mode, SortMode::Sum | SortMode::Avg | SortMode::Median) {
            return Err(Error::illegal_argument("we only support AVG, MEDIAN and SUM on number based fields"));
        }
        Ok(ResolvedKey {
            source,
            order: sort.order,
            // Documents that came before the mapping knew the value have it as well.
            missing: constant.map_or_else(|| sort.missing.clone(), |constant| Missing::Value(Value::from(constant))),
            mode,
            compared_as: compared_as.transpose()?,
            shard_ordinal: 0,
            is_int: sort.numeric_type.is_none() && field_type_of(view, sort).is_some_and(is_int),
            has_int_missing: false,
            nested: sort.nested.as_deref().map(|nested| NestedKey::resolve(view, env, nested, scope)).transpose()?,
            format: sort.format.as_deref().map(DateFormat::new).transpose()?,
            field_format: view.mapping.field_by_name(&sort.field).and_then(|field| field.date_format.clone()),
            script: None,
        })
    }

    /// A term that every document of the shard has: `_index`, which no segment keeps.
    fn constant(sort: &FieldSort, term: &str) -> Self {
        ResolvedKey {
            source: KeySource::Term { field: sort.field.clone(), value_type: ValueType::Text },
            order: sort.order,
            missing: Missing::Value(Value::from(term)),
            mode: SortMode::Min,
            compared_as: None,
            shard_ordinal: 0,
            is_int: false,
            has_int_missing: false,
            nested: None,
            format: None,
            field_format: None,
            script: None,
        }
    }

    pub fn key_order(&self) -> KeyOrder {
        let order = KeyOrder::new(self.order, &self.missing);
        match self.source {
            // Numbers have no missing values: a number stands in for them.
            KeySource::Term { .. } | KeySource::Absent => order,
            _ => KeyOrder { is_missing_first: false, ..order },
        }
    }

    /// The type in which values are compared and printed; `None` for keys that are not numbers of a field.
    pub fn number_type(&self) -> Option<ValueType> {
        match &self.source {
            KeySource::Number { value_type, .. } => Some(self.compared_as.unwrap_or(*value_type)),
            KeySource::SeqNo | KeySource::Version => Some(ValueType::Long),
            KeySource::Script | KeySource::Distance(_) => Some(ValueType::Double),
            _ => None,
        }
    }

    /// The number that stands for a missing value, in sortable form.
    pub fn missing_number(&self) -> Result<i64> {
        let value_type = self.number_type().unwrap_or(ValueType::Long);
        let is_ascending = self.order == SortOrder::Ascending;
        Ok(match &self.missing {
            Missing::Value(value) => self.number_from(value)?,
            Missing::First if is_ascending => self.stand_in(least(value_type)),
            Missing::Last if !is_ascending => self.stand_in(least(value_type)),
            Missing::First | Missing::Last => self.stand_in(most(value_type)),
        })
    }

    /// Whether a segment that is sorted with this number instead of missing values has them where the key has them.
    pub(super) fn sorts_missing_as(&self, number: i64) -> Result<bool> {
        Ok(self.missing_number()? == self.stand_in(number))
    }

    fn stand_in(&self, number: i64) -> i64 {
        if self.has_int_missing { number.clamp(i32::MIN.into(), i32::MAX.into()) } else { number }
    }

    /// A number of the request (a missing value, a `search_after` value) in sortable form.
    pub fn number_from(&self, value: &Value) -> Result<i64> {
        let value_type = self.number_type().unwrap_or(ValueType::Long);
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(flag) => i64::from(*flag).to_string(),
            other => other.to_string(),
        };
        let is_date_text = value.is_string() && text.parse::<i64>().is_err();
        let format = self.format.as_ref().or(self.field_format.as_ref().filter(|_| is_date_text));
        if let Some(format) = format.filter(|_| value_type.is_date()) {
            let moment = format.parse(&text)?;
            return if value_type == ValueType::DateNanos { moment.nanos_since_epoch() } else { Ok(moment.millis()) };
        }
        let invalid = || Error::new(ErrorCode::NumberFormat, format!("For input string: \"{text}\""));
        match value_type {
            ValueType::Double => text.parse::<f64>().map(sortable::from_f64).map_err(|_| invalid()),
            ValueType::Float => text.parse::<f32>().map(sortable::from_f32).map_err(|_| invalid()),
            ValueType::Scaled(factor) => {
                text.parse::<f64>().map(|number| (number * factor).round() as i64).map_err(|_| invalid())
            }
            ValueType::UnsignedLong => text.parse::<u64>().map(sortable::from_u64).map_err(|_| invalid()),
            ValueType::Boolean if text == "true" || text == "false" => Ok(i64::from(text == "true")),
            _ => {
                text.parse::<i64>().or_else(|_| text.parse::<f64>().map(|number| number as i64)).map_err(|_| invalid())
            }
        }
    }

    /// A term of the request as the dictionary holds it.
    pub fn term_from(&self, value: &Value) -> Result<Vec<u8>> {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match self.source {
            KeySource::Term { value_type, .. } => value_type.term(&text),
            _ => Ok(text.into_bytes()),
        }
    }

    /// A number in sortable form as the response's value.
    pub fn number_value(&self, number: i64) -> SortValue {
        match self.number_type().unwrap_or(ValueType::Long) {
            ValueType::Double => SortValue::Double(sortable::to_f64(number)),
            ValueType::Float => SortValue::Float(sortable::to_f32(number)),
            ValueType::Scaled(factor) if number == i64::MIN => SortValue::Double(f64::NEG_INFINITY.copysign(-factor)),
            ValueType::Scaled(_) if number == i64::MAX => SortValue::Double(f64::INFINITY),
            ValueType::Scaled(factor) => SortValue::Double(number as f64 / factor),
            ValueType::UnsignedLong => SortValue::Unsigned(sortable::to_u64(number)),
            _ => SortValue::Long(number),
        }
    }

    /// Appends a value as JSON.
    pub fn render(&self, value: &SortValue, out: &mut Vec<u8>) {
        match value {
            SortValue::Missing => out.extend_from_slice(b"null"),
            SortValue::Long(number) => self.render_long(*number, out),
            SortValue::Unsigned(number) => out.extend_from_slice(number.to_string().as_bytes()),
            SortValue::Double(number) if number.is_finite() => out.extend_from_slice(plain_double(*number).as_bytes()),
            SortValue::Float(number) if number.is_finite() => out.extend_from_slice(plain_float(*number).as_bytes()),
            SortValue::Double(number) => write_string(out, infinity(*number)),
            SortValue::Float(number) => write_string(out, infinity(f64::from(*number))),
            SortValue::Term(term) => {
                let value_type = match self.source {
                    KeySource::Term { value_type, .. } => value_type,
                    _ => ValueType::Text,
                };
                write_string(out, &term_text(value_type, term));
            }
        }
    }

    fn render_long(&self, number: i64, out: &mut Vec<u8>) {
        let moment = match self.number_type() {
            Some(ValueType::DateMillis) => Moment::from_millis(number),
            Some(ValueType::DateNanos) => Moment::from_nanos(number),
            _ => return out.extend_from_slice(number.to_string().as_bytes()),
        };
        match &self.format {
            Some(format) => {
                let mut text = String::new();
                format.format(moment, &TimeZone::UTC, &mut text);
                write_string(out, &text);
            }
            None => out.extend_from_slice(number.to_string().as_bytes()),
        }
    }
}

fn distance_of(view: &ShardView, sort: &GeoDistanceSort) -> Result<Distance> {
    let field = match view.mapping.field_by_name(&sort.field) {
        Some(field) if field.is_place() && field.spec.doc_values => &field.spec.name,
        None if sort.ignore_unmapped => &sort.field,
        None => {
            return Err(Error::illegal_argument(format!(
                "failed to find mapper for [{}] for geo distance based sort",
                sort.field
            )));
        }
        Some(field) => {
            return Err(Error::illegal_argument(format!(
                "unable to apply geo distance sort to field [{}] of type [{}]",
                sort.field,
                field.spec.type_name()
            )));
        }
    };
    let (field, origins) = (field.clone(), sort.origins.clone());
    Ok(Distance { field, origins, unit: sort.unit, distance_type: sort.distance_type })
}

fn infinity(number: f64) -> &'static str {
    if number > 0.0 {
        "Infinity"
    } else if number < 0.0 {
        "-Infinity"
    } else {
        "NaN"
    }
}

fn field_type_of(view: &ShardView, sort: &FieldSort) -> Option<FieldType> {
    let mapped = view.mapping.field_by_name(&sort.field).map(|field| field.spec.field_type);
    mapped.or_else(|| sort.unmapped_type.as_deref().and_then(FieldType::of_numbers))
}

fn is_int(field_type: FieldType) -> bool {
    matches!(field_type, FieldType::Byte | FieldType::Short | FieldType::Integer)
}

fn least(value_type: ValueType) -> i64 {
    match value_type {
        ValueType::Double => sortable::from_f64(f64::NEG_INFINITY),
        ValueType::Float => sortable::from_f32(f32::NEG_INFINITY),
        _ => i64::MIN,
    }
}

fn most(value_type: ValueType) -> i64 {
    match value_type {
        ValueType::Double => sortable::from_f64(f64::INFINITY),
        ValueType::Float => sortable::from_f32(f32::INFINITY),
        _ => i64::MAX,
    }
}

fn field_source(field: &MappedField) -> Result<KeySource> {
    let spec = &field.spec;
    let name = &spec.name;
    if spec.field_type == FieldType::Text && !spec.fielddata {
        return Err(text_has_no_values(name));
    }
    if !spec.doc_values && !spec.fielddata {
        return Err(no_fielddata(spec));
    }
    if field.ends.is_some() {
        return Err(Error::illegal_argument("can't sort on binary field"));
    }
    if field.is_geometry() {
        return Err(Error::illegal_argument(format!(
            "can't sort on {} field without using specific sorting feature, like geo_distance",
            spec.type_name()
        )));
    }
    let value_type = ValueType::of(spec.field_type, spec.scaling_factor);
    Ok(match field.kind {
        FieldKind::Number => KeySource::Number { field: name.clone(), value_type },
        _ => KeySource::Term { field: name.clone(), value_type },
    })
}

/// A field that is not mapped sorts as one of the type that the request names would, of which no document has a value.
fn unmapped_source(sort: &FieldSort) -> Result<KeySource> {
    let name = &sort.field;
    if let Some(unknown) = &sort.unknown_type {
        return Err(Error::illegal_argument(format!("No mapper found for type [{unknown}]")));
    }
    let Some(type_name) = &sort.unmapped_type else {
        let reason = format!("No mapping found for [{name}] in order to sort on");
        return Err(Error::new(ErrorCode::QueryShard, reason));
    };
    if type_name == FieldType::Text.name() {
        return Err(text_has_no_values("__anonymous_text"));
    }
    let field_type = FieldType::of_numbers(type_name);
    Ok(field_type.map_or(KeySource::Absent, |field_type| KeySource::Number {
        field: name.clone(),
        value_type: ValueType::of(field_type, None),
    }))
}

/// The API's refusal to read single values of a text field.
pub fn text_has_no_values(field: &str) -> Error {
    Error::illegal_argument(format!(
        "Text fields are not optimised for operations that require per-document field data like aggregations and sorting, \
         so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true \
         on [{field}] in order to load field data by uninverting the inverted index. Note that this can use significant memory."
    ))
}

/// The API's refusal to read values by document of a field that has no column.
pub fn no_fielddata(spec: &FieldSpec) -> Error {
    let (name, kind) = (&spec.name, spec.type_name());
    Error::illegal_argument(match spec.declared_type {
        Some(DeclaredType::RankFeature | DeclaredType::RankFeatures) => {
            format!("[{kind}] fields do not support sorting, scripting or aggregating")
        }
        Some(DeclaredType::Lookup) => format!("Fielddata is not supported on field [{name}] of type [{kind}]"),
        _ => format!(
            "Can't load fielddata on [{name}] because fielddata is unsupported on fields of type [{kind}]. Use doc values \
             instead."
        ),
    })
}

/// The API's refusal to read values by document of a metadata field.
pub fn no_metadata_values(name: &str) -> Error {
    Error::illegal_argument(format!("Fielddata is not supported on field [{name}] of type [{name}]"))
}

/// The API's refusal to sort or aggregate by `_id`: it would take every id into memory.
pub fn id_has_no_values() -> Error {
    Error::illegal_argument(
        "Fielddata access on the _id field is disallowed. Index the id in a keyword field with doc values instead.",
    )
}

fn numeric_type(field: &str, name: &str, value_type: Option<ValueType>) -> Result<ValueType> {
    let refuse = || {
        Error::illegal_argument(format!("[numeric_type] option cannot be set on a non-numeric field, got [{field}]"))
    };
    let own = value_type.ok_or_else(refuse)?;
    match name {
        "double" => Ok(ValueType::Double),
        "long" => Ok(if own == ValueType::Boolean { own } else { ValueType::Long }),
        "date" if own.is_date() => Ok(ValueType::DateMillis),
        "date_nanos" if own.is_date() => Ok(ValueType::DateNanos),
        _ => Err(refuse()),
    }
}

/// A column value of one type as a column value of another.
pub fn convert(number: i64, from: ValueType, to: ValueType) -> i64 {
    const NANOS_PER_MILLI: i64 = 1_000_000;
    match (from, to) {
        (ValueType::DateMillis, ValueType::DateNanos) => number.saturating_mul(NANOS_PER_MILLI),
        (ValueType::DateNanos, ValueType::DateMillis) => number.div_euclid(NANOS_PER_MILLI),
        (from, to) if from == to => number,
        (ValueType::DateMillis | ValueType::DateNanos, ValueType::Long) => number,
        (from, ValueType::Double) => sortable::from_f64(from.number(number)),
        (from, _) => from.number(number) as i64,
    }
}
