//! Where an aggregation's values come from: a field of the mapping, its column in each segment, its missing value.

use super::plan::{Source, ValueTypeHint};
use jiff::tz::TimeZone;
use quarry_base::error::{Error, Result};
use quarry_geo::read::read_point;
use quarry_mapping::MappedField;
use quarry_mapping::compiled::HistogramColumns;
use quarry_mapping::date::DateFormat;
use quarry_mapping::date_math;
use quarry_mapping::date_math::Round;
use quarry_mapping::format::{Format, ValueType};
use quarry_mapping::spec::FieldType;
use quarry_query::sort::key::{id_has_no_values, no_fielddata, no_metadata_values};
use quarry_query::view::{SegmentView, ShardView};
use quarry_segment::column::numeric::NumericColumn;
use quarry_segment::reader::FieldReader;
use serde_json::Value;

/// What dates look like where no mapping says.
const DATE_FORMAT_DEFAULT: &str = "strict_date_optional_time||epoch_millis";

/// A field resolved against the mapping of one shard.
#[derive(Debug, Clone)]
pub struct FieldSource {
    pub name: String,
    pub format: Format,
    /// How dates in the request are read.
    pub date_format: Option<DateFormat>,
    /// What documents without a value count as.
    pub missing: Option<MissingValue>,
    /// The mapping has no such field: every document lacks it.
    pub unmapped: bool,
    /// The type of the field's ranges, where it holds such.
    pub ranges: Option<FieldType>,
    /// Of histogram fields.
    pub counted: Option<Counted>,
}

/// The hidden fields of a histogram field: its numbers, and how many were counted up to each.
#[derive(Debug, Clone)]
pub struct Counted {
    pub values: String,
    pub totals: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MissingValue {
    /// A column value.
    Number(i64),
    Term(Vec<u8>),
}

/// What the caller can compute with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepts {
    Anything,
    /// All but places, which are no keys.
    Keys,
    /// Numbers, booleans and dates.
    Numbers,
    /// As numbers; a field that is not mapped is taken for a date.
    Dates,
    /// IP addresses.
    Addresses,
    /// `geo_point`.
    Places,
    /// `geo_point` and `geo_shape`.
    PlacesOrShapes,
    /// What has values at all: ranges, histograms and shapes too.
    Everything,
    /// Numbers, ranges of them, or histograms.
    NumbersOrObjects,
    /// Numbers, or histograms of them.
    NumbersOrHistograms,
    /// Dates, or ranges of them.
    DatesOrRanges,
}

impl FieldSource {
    /// `IllegalArgument` when the field has no doc values, or is of a type that the aggregation cannot use.
    pub fn resolve(
        view: &ShardView,
        source: &Source,
        aggregation: &str,
        accepts: Accepts,
        now_ms: i64,
    ) -> Result<Self> {
        match source.field.as_str() {
            "_index" if matches!(accepts, Accepts::Anything | Accepts::Keys | Accepts::Everything) => {
                return Ok(Self::constant(source, &view.index));
            }
            "_id" => return Err(id_has_no_values()),
            name @ ("_source" | "_version") => return Err(no_metadata_values(name)),
            _ => {}
        }
        let Some(field) = view.mapping.readable_field(&source.field) else {
            return Self::unmapped(source, accepts, now_ms);
        };
        check_usable(field, aggregation, accepts)?;
        let value_type = ValueType::of(field.spec.field_type, field.spec.scaling_factor);
        if source.computed.is_none() {
            check_printing(field, value_type, source)?;
        }
        let pattern = source.format.clone().or_else(|| field.spec.format.clone().filter(|_| value_type.is_date()));
        let date_format = match (&source.format, value_type.is_date()) {
            (Some(pattern), true) => Some(DateFormat::new(pattern)?),
            _ => field.date_format.clone(),
        };
        let format = Format { value_type, pattern, time_zone: source.time_zone.clone() };
        format.printer()?;
        let ranges = field.ends.is_some().then_some(field.spec.field_type);
        let counted = field.histogram().map(|HistogramColumns { values, totals }| {
            let name = |id| view.mapping.field(id).spec.name.clone();
            Counted { values: name(values), totals: name(totals) }
        });
        if (ranges.is_some() || counted.is_some()) && source.missing.is_some() {
            let kind = field.spec.type_name();
            return Err(Error::illegal_argument(format!("Can't apply missing values on a field of type [{kind}]")));
        }
        let mut resolved = FieldSource {
            name: field.spec.name.clone(),
            format,
            date_format,
            missing: None,
            unmapped: false,
            ranges,
            counted,
        };
        resolved.missing = match &field.spec.constant {
            // Documents that came before the mapping knew the value have it as well.
            Some(constant) => Some(MissingValue::Term(constant.as_bytes().into())),
            None => source.missing.as_ref().map(|value| resolved.missing_value(value, now_ms)).transpose()?,
        };
        Ok(resolved)
    }

    /// The words of a text, whatever is kept of them by document.
    pub fn of_words(name: &str, unmapped: bool) -> Self {
        FieldSource {
            name: name.to_owned(),
            format: Format { value_type: ValueType::Text, pattern: None, time_zone: None },
            date_format: None,
            missing: None,
            unmapped,
            ranges: None,
            counted: None,
        }
    }

    /// A term that every document of the shard has, though no segment keeps it.
    fn constant(source: &Source, term: &str) -> Self {
        FieldSource {
            name: source.field.clone(),
            format: Format { value_type: ValueType::Text, pattern: None, time_zone: None },
            date_format: None,
            missing: Some(MissingValue::Term(term.into())),
            unmapped: false,
            ranges: None,
            counted: None,
        }
    }

    /// The request's hint decides, else what the aggregation computes with.
    fn unmapped(source: &Source, accepts: Accepts, now_ms: i64) -> Result<Self> {
        let hint = source.value_type.unwrap_or(match accepts {
            Accepts::Anything | Accepts::Keys | Accepts::Places => ValueTypeHint::String,
            Accepts::PlacesOrShapes | Accepts::Everything => ValueTypeHint::String,
            Accepts::Numbers | Accepts::NumbersOrObjects | Accepts::NumbersOrHistograms => ValueTypeHint::Number,
            Accepts::Dates | Accepts::DatesOrRanges => ValueTypeHint::Date,
            Accepts::Addresses => ValueTypeHint::Ip,
        });
        let value_type = match hint {
            _ if matches!(accepts, Accepts::Places | Accepts::PlacesOrShapes) => ValueType::GeoPoint,
            ValueTypeHint::String => ValueType::Text,
            ValueTypeHint::Ip => ValueType::Ip,
            ValueTypeHint::Boolean => ValueType::Boolean,
            ValueTypeHint::Date => ValueType::DateMillis,
            ValueTypeHint::UnsignedLong => ValueType::UnsignedLong,
            ValueTypeHint::Number if source.missing.as_ref().is_some_and(is_whole) => ValueType::Long,
            ValueTypeHint::Number => ValueType::Double,
        };
        let is_date = value_type == ValueType::DateMillis;
        let pattern = source.format.clone().or_else(|| is_date.then(|| DATE_FORMAT_DEFAULT.to_owned()));
        let date_format = pattern.as_deref().filter(|_| is_date).map(DateFormat::new).transpose()?;
        let format = Format { value_type, pattern, time_zone: source.time_zone.clone() };
        format.printer()?;
        let mut resolved = FieldSource {
            name: source.field.clone(),
            format,
            date_format,
            missing: None,
            unmapped: true,
            ranges: None,
            counted: None,
        };
        resolved.missing = source.missing.as_ref().map(|value| resolved.missing_value(value, now_ms)).transpose()?;
        Ok(resolved)
    }

    fn missing_value(&self, value: &Value, now_ms: i64) -> Result<MissingValue> {
        match self.format.value_type {
            value_type if value_type.has_terms() => Ok(MissingValue::Term(value_type.term(&plain_text(value))?)),
            ValueType::GeoPoint | ValueType::Shape => {
                Ok(MissingValue::Number(read_point(value, true)?.normalized().to_column()))
            }
            value_type => Ok(MissingValue::Number(value_type.sortable(self.number(value, now_ms)?))),
        }
    }

    /// A number of the request in the field's own terms; date expressions become milliseconds.
    pub fn number(&self, value: &Value, now_ms: i64) -> Result<f64> {
        let text = match (value, &self.date_format) {
            (Value::Bool(flag), _) => return Ok(f64::from(u8::from(*flag))),
            (Value::Number(number), None) => return number.as_f64().ok_or_else(|| self.not_a_number(value)),
            (Value::Number(number), Some(format)) => return self.date_of_number(number, format),
            (Value::String(text), _) => text,
            _ => return Err(self.not_a_number(value)),
        };
        if let Some(format) = &self.date_format {
            let zone = self.zone()?;
            return Ok(date_math::resolve(text, format, now_ms, Round::Down, &zone)?.millis() as f64);
        }
        match (self.format.value_type, text.as_str()) {
            (ValueType::Boolean, "true") => Ok(1.0),
            (ValueType::Boolean, "false") => Ok(0.0),
            _ => text.parse().map_err(|_| self.not_a_number(value)),
        }
    }

    fn date_of_number(&self, number: &serde_json::Number, format: &DateFormat) -> Result<f64> {
        match format.parse(&number.to_string()) {
            Ok(moment) => Ok(moment.millis() as f64),
            // A number that the format cannot read is milliseconds since the epoch.
            Err(error) => number.as_f64().ok_or(error),
        }
    }

    pub fn zone(&self) -> Result<TimeZone> {
        self.format.time_zone.as_deref().map_or(Ok(TimeZone::UTC), quarry_mapping::date::parse_time_zone)
    }

    fn not_a_number(&self, value: &Value) -> Error {
        Error::illegal_argument(format!("failed to parse [{value}] as a number for field [{}]", self.name))
    }

    pub fn reader<'a>(&self, segment: &'a SegmentView) -> Option<&'a FieldReader> {
        if self.unmapped { None } else { segment.field(&self.name) }
    }

    pub fn numeric<'a>(&self, segment: &'a SegmentView) -> Option<&'a NumericColumn> {
        self.reader(segment).and_then(FieldReader::numeric)
    }

    pub fn missing_number(&self) -> Option<i64> {
        match self.missing {
            Some(MissingValue::Number(value)) => Some(value),
            _ => None,
        }
    }

    /// Terms (keyword, ip) rather than numbers.
    pub fn has_terms(&self) -> bool {
        self.ranges.is_none() && self.format.value_type.has_terms()
    }
}

/// Refuses a format for values that are printed in one way only, and a time zone for those that are no times.
fn check_printing(field: &MappedField, value_type: ValueType, source: &Source) -> Result<()> {
    let is_printed_alike = match value_type {
        ValueType::Text | ValueType::Ip | ValueType::Version | ValueType::Boolean => true,
        ValueType::GeoPoint | ValueType::Shape => true,
        _ => field.ends.is_some() && !value_type.is_date(),
    };
    let (name, kind) = (&field.spec.name, field.spec.type_name());
    let refused = |what: &str| {
        Err(Error::illegal_argument(format!("Field [{name}] of type [{kind}] does not support custom {what}")))
    };
    if is_printed_alike && source.format.is_some() {
        return refused("formats");
    }
    if !value_type.is_date() && source.time_zone.is_some() {
        return refused("time zones");
    }
    Ok(())
}

fn check_usable(field: &MappedField, aggregation: &str, accepts: Accepts) -> Result<()> {
    let name = &field.spec.name;
    if field.spec.field_type == FieldType::Text && !field.spec.fielddata {
        return Err(Error::illegal_argument(format!(
            "Text fields are not optimised for operations that require per-document field data like aggregations and \
             sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, \
             set fielddata=true on [{name}] in order to load field data by uninverting the inverted index. Note that \
             this can use significant memory."
        )));
    }
    if !field.spec.doc_values && !field.spec.fielddata && field.histogram().is_none() {
        return Err(no_fielddata(&field.spec));
    }
    let fits = match accepts {
        Accepts::Everything => true,
        Accepts::NumbersOrObjects | Accepts::NumbersOrHistograms if field.histogram().is_some() => true,
        _ if field.histogram().is_some() => false,
        Accepts::Anything => field.ends.is_none() && !field.is_shape(),
        Accepts::Keys => field.ends.is_none() && !field.is_geometry(),
        Accepts::Places => field.is_place(),
        Accepts::PlacesOrShapes => field.is_geometry(),
        Accepts::Numbers | Accepts::NumbersOrHistograms | Accepts::Dates => field.is_number(),
        Accepts::NumbersOrObjects | Accepts::DatesOrRanges => field.is_number() || field.ends.is_some(),
        Accepts::Addresses => field.spec.field_type == FieldType::Ip,
    };
    if !fits {
        return Err(Error::illegal_argument(format!(
            "Field [{name}] of type [{}] is not supported for aggregation [{aggregation}]",
            field.spec.type_name()
        )));
    }
    Ok(())
}

fn is_whole(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
        Value::String(text) => text.parse::<f64>().is_ok_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
