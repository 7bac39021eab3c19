//! A document of a segment as scripts see it: columns are decoded a window at a time.

use crate::sort::key::{no_fielddata, text_has_no_values};
use crate::view::{SegmentView, ShardView};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::interrupt;
use quarry_codec::sortable;
use quarry_codec::window::WINDOW;
use quarry_geo::point::GeoPoint;
use quarry_mapping::MappedField;
use quarry_mapping::format::{ValueType, term_text};
use quarry_mapping::spec::FieldType;
use quarry_postings::FieldPostingsReader;
use quarry_script::{DocScalar, Env, Holds};
use quarry_segment::FieldKind;
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};
use quarry_segment::column::ordinal::{OrdinalColumn, OrdinalWindow};
use quarry_segment::reader::SegmentReader;
use quarry_segment::stored::{Record, StoredScratch};
use quarry_segment::vectors::column::VectorColumn;
use quarry_vectors::measure::Element;

/// No window is decoded.
const NO_WINDOW: u32 = u32::MAX;
const NANOS_PER_MILLI: i128 = 1_000_000;

enum Column<'a> {
    Number {
        column: Option<&'a NumericColumn>,
        decoded: Box<NumericWindow>,
        window: u32,
        value_type: ValueType,
    },
    Term {
        column: Option<(&'a OrdinalColumn, &'a FieldPostingsReader)>,
        decoded: Box<OrdinalWindow>,
        window: u32,
        value_type: ValueType,
    },
    Vector(Option<&'a VectorColumn>),
    /// The same text for every document: `_index`, and constant fields.
    Same(&'a str),
    /// `_id`: nested documents have that of their root.
    Id(&'a SegmentReader),
}

/// The documents of one segment; [`SegmentDocs::at`] chooses one.
pub struct SegmentDocs<'a> {
    view: &'a ShardView,
    segment: &'a SegmentView,
    /// Number in the segment.
    doc: u32,
    score: Option<f64>,
    fields: Vec<(String, Column<'a>)>,
    scratch: StoredScratch,
}

impl<'a> SegmentDocs<'a> {
    pub fn new(view: &'a ShardView, segment: &'a SegmentView) -> Self {
        SegmentDocs { view, segment, doc: 0, score: None, fields: Vec::new(), scratch: StoredScratch::default() }
    }

    /// The next run is about this document of the segment, with this `_score` where the context has one.
    #[inline]
    pub fn at(&mut self, doc: u32, score: Option<f64>) -> &mut Self {
        self.doc = doc;
        self.score = score;
        self
    }

    fn open(&self, mapped: &'a MappedField) -> Result<Column<'a>> {
        let spec = &mapped.spec;
        if let Some(constant) = &spec.constant {
            return Ok(Column::Same(constant));
        }
        if spec.field_type == FieldType::Text && !spec.fielddata {
            return Err(text_has_no_values(&spec.name));
        }
        if mapped.kind == FieldKind::Vector {
            return Ok(Column::Vector(self.segment.field(&spec.name).and_then(|reader| reader.vectors())));
        }
        if (!spec.doc_values && !spec.fielddata) || mapped.is_shape() {
            return Err(no_fielddata(spec));
        }
        if mapped.ends.is_some() {
            let kind = spec.field_type.name();
            let reason = format!("Field [{}] of type [{kind}] has no values that scripts can read", spec.name);
            return Err(Error::illegal_argument(reason));
        }
        let reader = self.segment.field(&spec.name);
        let value_type = ValueType::of(spec.field_type, spec.scaling_factor);
        Ok(if mapped.kind == FieldKind::Number {
            let column = reader.and_then(|reader| reader.numeric());
            Column::Number { column, decoded: Box::default(), window: NO_WINDOW, value_type }
        } else {
            let column = reader.and_then(|reader| Some((reader.ordinals()?, reader.postings()?)));
            Column::Term { column, decoded: Box::default(), window: NO_WINDOW, value_type }
        })
    }
}

impl Column<'_> {
    #[inline]
    fn numbers(&mut self, doc: u32) -> &[i64] {
        let Column::Number { column: Some(column), decoded, window, .. } = self else { return &[] };
        let wanted = doc / WINDOW as u32;
        if *window != wanted {
            column.decode_window(wanted, decoded);
            *window = wanted;
        }
        decoded.values_of((doc % WINDOW as u32) as u16)
    }

    fn ordinals(&mut self, doc: u32) -> &[u32] {
        let Column::Term { column: Some((column, _)), decoded, window, .. } = self else { return &[] };
        let wanted = doc / WINDOW as u32;
        if *window != wanted {
            column.decode_window(wanted, decoded);
            *window = wanted;
        }
        decoded.ordinals_of((doc % WINDOW as u32) as u16)
    }

    fn value(&mut self, doc: u32, place: usize) -> Result<Option<DocScalar>> {
        let value_type = match self {
            Column::Id(reader) => {
                let root = reader.nested().map_or(Some(doc), |nested| nested.roots().next(doc)).filter(|_| place == 0);
                let id = root.map(|root| String::from_utf8_lossy(reader.ids().get(root)).into_owned());
                return Ok(id.map(DocScalar::Text));
            }
            Column::Same(text) => return Ok((place == 0).then(|| DocScalar::Text((*text).to_owned()))),
            Column::Number { value_type, .. } | Column::Term { value_type, .. } => *value_type,
            Column::Vector(_) => {
                return Err(Error::illegal_argument("a vector has no single values: ask for its [vectorValue]"));
            }
        };
        if let Column::Number { .. } = self {
            return Ok(self.numbers(doc).get(place).map(|&number| scalar(value_type, number)));
        }
        let Some(&ordinal) = self.ordinals(doc).get(place) else { return Ok(None) };
        let Column::Term { column: Some((_, postings)), .. } = self else { return Ok(None) };
        let mut term = Vec::new();
        postings.term(ordinal, &mut term)?;
        Ok(Some(DocScalar::Text(term_text(value_type, &term))))
    }
}

#[inline]
fn scalar(value_type: ValueType, number: i64) -> DocScalar {
    match value_type {
        ValueType::GeoPoint => {
            let GeoPoint { lat, lon } = GeoPoint::of_column(number);
            DocScalar::GeoPoint { lat, lon }
        }
        ValueType::Boolean => DocScalar::Bool(number != 0),
        ValueType::DateMillis => DocScalar::Nanos(i128::from(number) * NANOS_PER_MILLI),
        ValueType::DateNanos => DocScalar::Nanos(number.into()),
        ValueType::UnsignedLong => DocScalar::Long(sortable::to_u64(number) as i64),
        value_type if value_type.is_fractional() => DocScalar::Double(value_type.number(number)),
        _ => DocScalar::Long(number),
    }
}

impl Env for SegmentDocs<'_> {
    fn field(&mut self, name: &str) -> Result<Option<u32>> {
        if let Some(known) = self.fields.iter().position(|(known, _)| known == name) {
            return Ok(Some(known as u32));
        }
        let column = match name {
            "_id" => Column::Id(&self.segment.reader),
            "_index" => Column::Same(&self.view.index),
            _ => match self.view.mapping.readable_field(name) {
                Some(mapped) => self.open(mapped)?,
                None => return Ok(None),
            },
        };
        self.fields.push((name.to_owned(), column));
        Ok(Some((self.fields.len() - 1) as u32))
    }

    fn holds(&self, field: u32) -> Holds {
        let Some((_, Column::Number { value_type, .. })) = self.fields.get(field as usize) else {
            return Holds::Others;
        };
        match value_type {
            ValueType::DateMillis | ValueType::DateNanos => Holds::Dates,
            ValueType::GeoPoint => Holds::Places,
            _ => Holds::Numbers,
        }
    }

    fn count(&mut self, field: u32) -> Result<usize> {
        let doc = self.doc;
        let Some((_, column)) = self.fields.get_mut(field as usize) else { return Ok(0) };
        Ok(match column {
            Column::Number { .. } => column.numbers(doc).len(),
            Column::Term { .. } => column.ordinals(doc).len(),
            Column::Same(_) | Column::Id(_) => 1,
            Column::Vector(vectors) => usize::from(vectors.is_some_and(|vectors| vectors.ordinal(doc).is_some())),
        })
    }

    #[inline]
    fn value(&mut self, field: u32, place: usize) -> Result<Option<DocScalar>> {
        let doc = self.doc;
        match self.fields.get_mut(field as usize) {
            Some((_, column)) => column.value(doc, place),
            None => Ok(None),
        }
    }

    fn vector(&mut self, field: u32, vector: &mut Vec<f32>) -> Result<Option<Element>> {
        let Some((name, column)) = self.fields.get(field as usize) else { return Ok(None) };
        let Column::Vector(vectors) = column else {
            return Err(Error::illegal_argument(format!("Field [{name}] is not a [dense_vector]")));
        };
        let Some((vectors, ordinal)) = vectors.and_then(|vectors| Some((vectors, vectors.ordinal(self.doc)?))) else {
            return Ok(None);
        };
        vectors.read(ordinal, vector);
        Ok(Some(vectors.format().element))
    }

    fn number(&self) -> Option<u32> {
        Some(self.segment.doc_base + self.doc)
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_raised()
    }

    fn score(&mut self) -> Result<f64> {
        self.score.ok_or_else(|| Error::illegal_state("_score is not computed here"))
    }

    fn source(&mut self) -> Result<Option<serde_json::Value>> {
        let record = Record::parse(self.segment.reader.stored().get(self.doc, &mut self.scratch)?)?;
        let Some(source) = record.source() else { return Ok(None) };
        let unreadable = |error| Error::new(ErrorCode::Corrupt, format!("stored _source is not JSON: {error}"));
        quarry_base::deep_json::from_slice(source).map(Some).map_err(unreadable)
    }
}
