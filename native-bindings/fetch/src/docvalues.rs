//! `docvalue_fields`: values from the columns, printed as the request or the mapping says.

use super::{FieldValues, add_value};
use jiff::tz::TimeZone;
use quarry_base::error::{Error, Result};
use quarry_geo::format::PointFormat;
use quarry_geo::point::GeoPoint;
use quarry_json::write::write_string;
use quarry_mapping::MappedField;
use quarry_mapping::date::{DateFormat, Moment};
use quarry_mapping::decimal::DecimalPattern;
use quarry_mapping::format::{ValueType, plain_number, term_text};
use quarry_mapping::spec::FieldType;
use quarry_plan::request::FieldAndFormat;
use quarry_query::sort::key::{no_fielddata, text_has_no_values};
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::wildcard_name::fields_like;
use quarry_segment::FieldKind;
use quarry_segment::column::numeric::NumericColumn;
use quarry_segment::reader::SegmentReader;

/// How a column's values are printed.
enum Printing {
    Plain,
    Date(DateFormat),
    Decimal(DecimalPattern),
    Place(PointFormat),
}

struct DocvalueField {
    name: String,
    kind: FieldKind,
    value_type: ValueType,
    printing: Printing,
}

/// The fields of a request that have columns here.
pub(super) struct DocvalueFields {
    fields: Vec<DocvalueField>,
    /// Numbers that every document has, by name.
    system: Vec<(&'static str, SystemColumn)>,
    /// The name of the index as JSON, where it is wanted.
    index: Option<Vec<u8>>,
}

type SystemColumn = fn(&SegmentReader) -> &NumericColumn;

const SYSTEM: [(&str, SystemColumn); 2] = [("_seq_no", SegmentReader::seq_nos), ("_version", SegmentReader::versions)];

impl DocvalueFields {
    /// Names that are not mapped are left out; a pattern leaves out fields without columns.
    pub(super) fn resolve(view: &ShardView, wanted: &[FieldAndFormat]) -> Result<Self> {
        let mut fields = Vec::new();
        let mut system = Vec::new();
        let mut index = None;
        for FieldAndFormat { field, format } in wanted {
            if field == "_index" {
                index = Some(index_name(view, format.as_deref())?);
            }
            system.extend(SYSTEM.iter().filter(|(name, _)| name == field));
            let is_pattern = field.contains('*');
            for mapped in fields_like(&view.mapping, field) {
                let has_column = mapped.spec.fielddata
                    || (mapped.spec.doc_values
                        && matches!(mapped.kind, FieldKind::Term | FieldKind::Number)
                        && !mapped.is_shape());
                if has_column {
                    fields.push(docvalue_field(mapped, format.as_deref())?);
                } else if !is_pattern {
                    return Err(no_column(mapped));
                }
            }
        }
        Ok(DocvalueFields { fields, system, index })
    }

    /// Fields that were computed for this search, of which no source knows the values.
    pub(super) fn resolve_computed(view: &ShardView, wanted: &[FieldAndFormat]) -> Result<Self> {
        let mut fields: Vec<DocvalueField> = Vec::new();
        for FieldAndFormat { field, format } in wanted {
            let matching = fields_like(&view.mapping, field);
            for mapped in matching.filter(|mapped| view.mapping.is_computed(mapped.id)) {
                fields.retain(|known| known.name != mapped.spec.name);
                fields.push(docvalue_field(mapped, format.as_deref())?);
            }
        }
        Ok(DocvalueFields { fields, system: Vec::new(), index: None })
    }

    pub(super) fn read(&self, segment: &SegmentView, doc: u32, values: &mut FieldValues) -> Result<()> {
        if let Some(computed) = segment.computed.as_ref().filter(|_| !self.fields.is_empty()) {
            computed.check(doc)?;
        }
        if let Some(index) = &self.index {
            values.push(("_index".to_owned(), vec![index.clone()]));
        }
        for (name, column) in &self.system {
            if let Some(number) = column(&segment.reader).first(doc) {
                values.push(((*name).to_owned(), vec![number.to_string().into_bytes()]));
            }
        }
        for field in &self.fields {
            let found = field.read(segment, doc)?;
            // A field that is asked for in several formats shows its values in each.
            found.into_iter().for_each(|value| add_value(values, &field.name, value));
        }
        Ok(())
    }
}

fn index_name(view: &ShardView, format: Option<&str>) -> Result<Vec<u8>> {
    if format.is_some() {
        return Err(no_custom_formats("_index", "_index"));
    }
    let mut json = Vec::new();
    write_string(&mut json, &view.index);
    Ok(json)
}

fn no_custom_formats(name: &str, kind: &str) -> Error {
    Error::illegal_argument(format!("Field [{name}] of type [{kind}] does not support custom formats"))
}

fn no_column(mapped: &MappedField) -> Error {
    let (name, field_type) = (&mapped.spec.name, mapped.spec.field_type);
    if field_type == FieldType::Text {
        return text_has_no_values(name);
    }
    if mapped.ends.is_some() {
        let kind = field_type.name();
        let reason = format!("Field [{name}] of type [{kind}] does not support docvalue_fields, use [fields] instead");
        return Error::illegal_argument(reason);
    }
    no_fielddata(&mapped.spec)
}

fn docvalue_field(mapped: &MappedField, format: Option<&str>) -> Result<DocvalueField> {
    let spec = &mapped.spec;
    let value_type = ValueType::of(spec.field_type, spec.scaling_factor);
    let printing = match (format, value_type) {
        (format, ValueType::GeoPoint) => {
            let named = format.map(|name| PointFormat::named(name, &spec.name)).transpose()?;
            Printing::Place(named.unwrap_or(PointFormat::LatLon))
        }
        (Some(pattern), value_type) if value_type.is_date() => Printing::Date(DateFormat::new(pattern)?),
        (None, value_type) if value_type.is_date() => match &mapped.date_format {
            Some(format) => Printing::Date(format.clone()),
            None => Printing::Plain,
        },
        (None, _) => Printing::Plain,
        (Some(_), value_type) if value_type.has_terms() || value_type == ValueType::Boolean => {
            return Err(no_custom_formats(&spec.name, spec.field_type.name()));
        }
        (Some(pattern), _) => Printing::Decimal(DecimalPattern::new(pattern)?),
    };
    Ok(DocvalueField { name: spec.name.clone(), kind: mapped.kind, value_type, printing })
}

impl DocvalueField {
    fn read(&self, segment: &SegmentView, doc: u32) -> Result<Vec<Vec<u8>>> {
        let Some(reader) = segment.field(&self.name) else {
            return Ok(Vec::new());
        };
        if self.kind == FieldKind::Number {
            let mut numbers = Vec::new();
            if let Some(column) = reader.numeric() {
                column.get(doc, &mut numbers);
            }
            return Ok(numbers.into_iter().map(|number| self.number(number)).collect());
        }
        let (Some(column), Some(postings)) = (reader.ordinals(), reader.postings()) else {
            return Ok(Vec::new());
        };
        let mut ordinals = Vec::new();
        column.get(doc, &mut ordinals);
        let mut term = Vec::new();
        let mut values = Vec::with_capacity(ordinals.len());
        for ordinal in ordinals {
            postings.term(ordinal, &mut term)?;
            values.push(json_string(&term_text(self.value_type, &term)));
        }
        Ok(values)
    }

    fn number(&self, number: i64) -> Vec<u8> {
        match &self.printing {
            Printing::Plain => plain_number(self.value_type, number).into_bytes(),
            Printing::Decimal(pattern) => {
                let mut text = String::new();
                pattern.format(self.value_type.number(number), &mut text);
                json_string(&text)
            }
            Printing::Date(format) => json_string(&date_text(self.value_type, number, format)),
            Printing::Place(format) => {
                let mut json = Vec::new();
                format.write(GeoPoint::of_column(number), &mut json);
                json
            }
        }
    }
}

pub(super) fn date_text(value_type: ValueType, number: i64, format: &DateFormat) -> String {
    let moment = match value_type {
        ValueType::DateNanos => Moment::from_nanos(number),
        _ => Moment::from_millis(number),
    };
    let mut text = String::new();
    format.format(moment, &TimeZone::UTC, &mut text);
    text
}

pub(super) fn json_string(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}
