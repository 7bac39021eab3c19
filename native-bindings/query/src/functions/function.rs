//! The value of one function for a document.

use super::NumberSource;
use crate::node::ScriptNode;
use crate::script::docs::SegmentDocs;
use crate::view::{SegmentView, ShardView};
use quarry_base::error::{Error, Result};
use quarry_base::murmur3::murmur3;
use quarry_codec::window::WINDOW;
use quarry_geo::distance::arc;
use quarry_geo::point::GeoPoint;
use quarry_mapping::format::ValueType;
use quarry_plan::function_score::{DecayShape, Modifier, ValueMode};
use quarry_script::Instance;
use quarry_script::number::double_text;
use quarry_segment::column::numeric::{NumericColumn, NumericWindow, SingleReads};

/// A function with its fields looked up.
#[derive(Debug, Clone)]
pub enum FunctionNode {
    One,
    FieldValue { source: Option<NumberSource>, name: String, factor: f64, modifier: Modifier, missing: Option<f64> },
    Decay(DecayNode),
    Random { seed: u32, field: Option<RandomField> },
    Script(ScriptNode),
}

#[derive(Debug, Clone)]
pub struct DecayNode {
    pub source: NumberSource,
    pub origin: Origin,
    pub offset: f64,
    pub curve: Curve,
    pub mode: ValueMode,
}

/// What values are held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Origin {
    Number(f64),
    /// Distances are metres.
    Place(GeoPoint),
}

/// Where a random number comes from.
#[derive(Debug, Clone)]
pub enum RandomField {
    /// The document's sequence number.
    SeqNo,
    Number(String),
    Term(String),
}

/// How a value falls with the distance from the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    pub shape: DecayShape,
    /// What `scale` and `decay` come to.
    scale: f64,
}

impl Curve {
    /// `decay` lies between 0 and 1.
    pub fn new(shape: DecayShape, scale: f64, decay: f64) -> Self {
        let scale = match shape {
            DecayShape::Gauss => 0.5 * scale.powi(2) / decay.ln(),
            DecayShape::Exp => decay.ln() / scale,
            DecayShape::Linear => scale / (1.0 - decay),
        };
        Curve { shape, scale }
    }

    pub fn value(self, distance: f64) -> f64 {
        match self.shape {
            DecayShape::Gauss => (0.5 * distance.powi(2) / self.scale).exp(),
            DecayShape::Exp => (self.scale * distance).exp(),
            DecayShape::Linear => ((self.scale - distance) / self.scale).max(0.0),
        }
    }
}

impl DecayNode {
    fn distance(&self, value: i64) -> f64 {
        match self.origin {
            Origin::Number(origin) => (self.source.value_type.number(value) - origin).abs(),
            Origin::Place(origin) => arc(GeoPoint::of_column(value), origin),
        }
    }

    /// No document has a larger value whose values, at least one, lie between the two.
    fn max_value(&self, (least, greatest): (i64, i64)) -> f64 {
        let Origin::Number(origin) = self.origin else { return 1.0 };
        let (least, greatest) = (self.source.value_type.number(least), self.source.value_type.number(greatest));
        let nearest = (least - origin).max(origin - greatest).max(0.0);
        self.curve.value((nearest - self.offset).max(0.0))
    }

    fn value(&self, values: &[i64]) -> f64 {
        let distances = values.iter().map(|&value| (self.distance(value) - self.offset).max(0.0));
        let (mut count, mut sum, mut least, mut most) = (0u32, 0.0, f64::INFINITY, 0f64);
        for distance in distances {
            count += 1;
            sum += distance;
            least = least.min(distance);
            most = most.max(distance);
        }
        let distance = match self.mode {
            // A document without a value is as good as one at the origin.
            _ if count == 0 => 0.0,
            ValueMode::Min => least,
            ValueMode::Max => most,
            ValueMode::Sum => sum,
            ValueMode::Avg => sum / f64::from(count),
        };
        self.curve.value(distance)
    }
}

pub fn modify(modifier: Modifier, value: f64) -> f64 {
    match modifier {
        Modifier::None => value,
        Modifier::Log => value.log10(),
        Modifier::Log1p => (value + 1.0).log10(),
        Modifier::Log2p => (value + 2.0).log10(),
        Modifier::Ln => value.ln(),
        Modifier::Ln1p => value.ln_1p(),
        Modifier::Ln2p => (value + 1.0).ln_1p(),
        Modifier::Square => value.powi(2),
        Modifier::Sqrt => value.sqrt(),
        Modifier::Reciprocal => 1.0 / value,
    }
}

/// Documents of a window that are read one by one, before all of it is decoded at once.
const SINGLE_READS_MAX: u32 = 32;

/// A function over the documents of one segment, window by window.
pub struct SegmentFunction<'a> {
    node: &'a FunctionNode,
    segment: &'a SegmentView,
    column: Option<&'a NumericColumn>,
    window: Option<u32>,
    /// Documents of the window that were read so far; beyond the limit `decoded` has all of it.
    reads: u32,
    single: Option<SingleReads<'a>>,
    values: Vec<i64>,
    decoded: Option<Box<NumericWindow>>,
    script: Option<Box<(SegmentDocs<'a>, Instance)>>,
}

impl<'a> SegmentFunction<'a> {
    pub fn new(node: &'a FunctionNode, view: &'a ShardView, segment: &'a SegmentView) -> Result<Self> {
        let number = |field: &str| segment.field(field).and_then(|field| field.numeric());
        let column = match node {
            FunctionNode::FieldValue { source: Some(source), .. } => number(&source.field),
            FunctionNode::Decay(decay) => number(&decay.source.field),
            FunctionNode::Random { field: Some(RandomField::Number(field)), .. } => number(field),
            FunctionNode::Random { field: Some(RandomField::SeqNo), .. } => Some(segment.reader.seq_nos()),
            _ => None,
        };
        let script = match node {
            FunctionNode::Script(script) => Some(Box::new((SegmentDocs::new(view, segment), script.instance()?))),
            _ => None,
        };
        let (values, decoded) = (Vec::new(), None);
        Ok(SegmentFunction { node, segment, column, window: None, reads: 0, single: None, values, decoded, script })
    }

    /// `score` is what the query scores the document.
    ///
    /// Errors: a document without a value where the request says nothing of that; a value no score can be made of.
    pub fn value(&mut self, window: u32, doc: u16, score: f32) -> Result<f64> {
        match self.node {
            FunctionNode::One => Ok(1.0),
            FunctionNode::FieldValue { source, name, factor, modifier, missing } => {
                let value_type = source.as_ref().map_or(ValueType::Long, |source| source.value_type);
                let value = self.numbers(window, doc).first().map(|&value| value_type.number(value)).or(*missing);
                let value =
                    value.ok_or_else(|| Error::illegal_argument(format!("Missing value for field [{name}]")))?;
                positive(modify(*modifier, value * factor), value, *modifier)
            }
            FunctionNode::Decay(decay) => Ok(decay.value(self.numbers(window, doc))),
            FunctionNode::Random { seed, field } => self.random(*seed, field.as_ref(), window, doc),
            FunctionNode::Script(_) => match self.script.as_deref_mut() {
                Some((docs, script)) => {
                    docs.at(window * WINDOW as u32 + u32::from(doc), Some(f64::from(score)));
                    not_negative(script.run_double(docs)?)
                }
                None => Ok(1.0),
            },
        }
    }

    /// No document of the window has a larger value, and none fails; infinity where that is unknown.
    pub fn max_value(&self, window: u32) -> f64 {
        match self.node {
            FunctionNode::One | FunctionNode::Random { .. } => 1.0,
            FunctionNode::FieldValue { source, factor, modifier, missing, .. } => {
                let value_type = source.as_ref().map_or(ValueType::Long, |source| source.value_type);
                let bound = |value: f64| modify(*modifier, value * factor);
                let of_values = self.range(window).map(|(least, greatest)| {
                    let ends = (bound(value_type.number(least)), bound(value_type.number(greatest)));
                    // All modifiers are monotone where their values are allowed, but for squares, whose greatest is at an end, too.
                    if ends.0 >= 0.0 && ends.1 >= 0.0 { ends.0.max(ends.1) } else { f64::INFINITY }
                });
                let of_missing = (!self.is_full(window)).then(|| {
                    let value = missing.map_or(f64::INFINITY, bound);
                    if value >= 0.0 { value } else { f64::INFINITY }
                });
                of_values.unwrap_or(0.0).max(of_missing.unwrap_or(0.0))
            }
            FunctionNode::Decay(decay) if self.is_full(window) => {
                self.range(window).map_or(1.0, |range| decay.max_value(range))
            }
            FunctionNode::Decay(_) => 1.0,
            FunctionNode::Script(_) => f64::INFINITY,
        }
    }

    /// Least and greatest value of the window's documents.
    fn range(&self, window: u32) -> Option<(i64, i64)> {
        self.column.and_then(|column| column.window_range(window))
    }

    /// Every document of the window has a value.
    fn is_full(&self, window: u32) -> bool {
        self.column.is_some_and(|column| column.is_full(window))
    }

    fn numbers(&mut self, window: u32, doc: u16) -> &[i64] {
        let Some(column) = self.column else { return &[] };
        if self.window != Some(window) {
            self.window = Some(window);
            self.reads = 0;
            self.single = column.single_reads(window);
        }
        self.reads = self.reads.saturating_add(1);
        if self.reads <= SINGLE_READS_MAX {
            self.values.clear();
            if let Some(single) = &self.single {
                single.get(doc, &mut self.values);
            }
            return &self.values;
        }
        let decoded = self.decoded.get_or_insert_default();
        if self.reads == SINGLE_READS_MAX + 1 {
            column.decode_window(window, decoded);
        }
        decoded.values_of(doc)
    }

    /// A number in `0..1` that depends on nothing but the seed and the value that is hashed.
    fn random(&mut self, seed: u32, field: Option<&RandomField>, window: u32, doc: u16) -> Result<f64> {
        const BITS: u32 = 24;
        let local = window * WINDOW as u32 + u32::from(doc);
        let hash = match field {
            None => murmur3(&(self.segment.doc_base + local).to_le_bytes(), seed),
            Some(RandomField::Term(field)) => murmur3(&first_term(self.segment, field, local)?, seed),
            Some(RandomField::SeqNo | RandomField::Number(_)) => {
                let value = self.numbers(window, doc).first().copied().unwrap_or(0);
                murmur3(&value.to_le_bytes(), seed)
            }
        };
        Ok(f64::from(hash as u32 & ((1 << BITS) - 1)) / f64::from(1u32 << BITS))
    }
}

fn not_negative(score: f64) -> Result<f64> {
    if score < 0.0 {
        let shown = double_text(score);
        let reason = format!("script score function must not produce negative scores, but got: [{shown}]");
        return Err(Error::illegal_argument(reason));
    }
    Ok(score)
}

/// The first term of a document in the dictionary's order; empty where it has none.
fn first_term(segment: &SegmentView, field: &str, doc: u32) -> Result<Vec<u8>> {
    let mut term = Vec::new();
    let Some(reader) = segment.field(field) else { return Ok(term) };
    let (Some(column), Some(postings)) = (reader.ordinals(), reader.postings()) else { return Ok(term) };
    if let Some(ordinal) = column.first(doc) {
        postings.term(ordinal, &mut term)?;
    }
    Ok(term)
}

fn positive(result: f64, value: f64, modifier: Modifier) -> Result<f64> {
    if result >= 0.0 {
        return Ok(result);
    }
    let hint = match modifier {
        Modifier::Ln => "; consider using ln1p or ln2p instead of ln to avoid negative scores",
        Modifier::Log => "; consider using log1p or log2p instead of log to avoid negative scores",
        _ => "",
    };
    Err(Error::illegal_argument(format!(
        "field value function must not produce negative scores, but got: [{result}] for field value: [{value}]{hint}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-12, "{actual} is not {expected}");
    }

    #[test]
    fn curves_reach_the_decay_at_the_scale() {
        for shape in [DecayShape::Gauss, DecayShape::Exp, DecayShape::Linear] {
            let curve = Curve::new(shape, 10.0, 0.3);
            close(curve.value(0.0), 1.0);
            close(curve.value(10.0), 0.3);
        }
        // exp(ln(0.5) * 20 / 10), exp(ln(0.5) * 400 / 100), 1 - 20 / 20
        close(Curve::new(DecayShape::Exp, 10.0, 0.5).value(20.0), 0.25);
        close(Curve::new(DecayShape::Gauss, 10.0, 0.5).value(20.0), 0.0625);
        close(Curve::new(DecayShape::Linear, 10.0, 0.5).value(25.0), 0.0);
    }

    #[test]
    fn several_values_and_none() {
        let source = NumberSource { field: "n".into(), value_type: ValueType::Long };
        let curve = Curve::new(DecayShape::Linear, 10.0, 0.5);
        let value = |mode, values: &[i64]| {
            let origin = Origin::Number(100.0);
            DecayNode { source: source.clone(), origin, offset: 1.0, curve, mode }.value(values)
        };
        // Distances of 3 and 9 less the offset, over 20.
        close(value(ValueMode::Min, &[96, 110]), 1.0 - 3.0 / 20.0);
        close(value(ValueMode::Max, &[96, 110]), 1.0 - 9.0 / 20.0);
        close(value(ValueMode::Sum, &[96, 110]), 1.0 - 12.0 / 20.0);
        close(value(ValueMode::Avg, &[96, 110]), 1.0 - 6.0 / 20.0);
        close(value(ValueMode::Min, &[]), 1.0);
    }

    #[test]
    fn modifiers_by_hand() {
        close(modify(Modifier::Log1p, 9.0), 1.0);
        close(modify(Modifier::Log2p, 98.0), 2.0);
        close(modify(Modifier::Ln2p, std::f64::consts::E - 2.0), 1.0);
        close(modify(Modifier::Reciprocal, 4.0), 0.25);
        assert!(positive(-1.0, 0.1, Modifier::Ln).unwrap_err().reason.contains("ln1p or ln2p"));
        assert!(positive(f64::NAN, -1.0, Modifier::Sqrt).is_err());
    }
}
