//! Scores that are nothing but a number of the document: how near a date is, how much a rank feature says.

use super::NumberSource;
use crate::scorers::bits;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WindowBits};
use quarry_geo::distance::arc;
use quarry_geo::point::GeoPoint;
use quarry_scores::scorer::WindowScorer;
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};

/// Documents with a value, scored by it.
#[derive(Debug, Clone)]
pub struct FeatureNode {
    pub source: NumberSource,
    pub shape: FeatureShape,
}

/// The score of a value, before the boost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FeatureShape {
    /// `pivot / (pivot + distance)` in units of the column.
    Distance {
        origin: i64,
        pivot: i64,
    },
    /// As `Distance`, of places, in metres.
    Place {
        origin: GeoPoint,
        pivot: f64,
    },
    /// `value / (value + pivot)`; `None`: about the mean of the shard's values.
    Saturation {
        pivot: Option<f32>,
    },
    /// `ln(scaling_factor + value)`
    Log {
        scaling_factor: f32,
    },
    /// `value^exponent / (value^exponent + pivot^exponent)`
    Sigmoid {
        pivot: f32,
        exponent: f32,
    },
    Linear,
}

/// Rank features count with nine bits of mantissa.
const FEATURE_MASK: u32 = !0x7fff;

/// By how much a score in the middle may exceed those of the ends, for want of precision.
const SLACK: f32 = 1.0 + 1e-5;

/// A rank feature as it counts.
pub fn feature_value(value: f64) -> f32 {
    f32::from_bits((value as f32).to_bits() & FEATURE_MASK)
}

impl FeatureShape {
    pub fn score(self, weight: f32, source: &NumberSource, values: &[i64]) -> f32 {
        if let FeatureShape::Distance { origin, pivot } = self {
            let nearest = values.iter().map(|value| value.abs_diff(origin)).min().unwrap_or(u64::MAX);
            let pivot = pivot as f64;
            return (f64::from(weight) * (pivot / (pivot + nearest as f64))) as f32;
        }
        if let FeatureShape::Place { origin, pivot } = self {
            let metres = values.iter().map(|&value| arc(GeoPoint::of_column(value), origin));
            let nearest = metres.fold(f64::INFINITY, f64::min);
            return (f64::from(weight) * (pivot / (pivot + nearest))) as f32;
        }
        let value = feature_value(values.first().map_or(0.0, |&value| source.value_type.number(value)));
        match self {
            FeatureShape::Saturation { pivot } => {
                weight * (1.0 - pivot.unwrap_or(1.0) / (value + pivot.unwrap_or(1.0)))
            }
            FeatureShape::Log { scaling_factor } => (f64::from(weight) * f64::from(scaling_factor + value).ln()) as f32,
            FeatureShape::Sigmoid { pivot, exponent } => {
                let (exponent, value) = (f64::from(exponent), f64::from(value));
                let pivot = f64::from(pivot).powf(exponent);
                (f64::from(weight) * (1.0 - pivot / (value.powf(exponent) + pivot))) as f32
            }
            FeatureShape::Linear | FeatureShape::Distance { .. } | FeatureShape::Place { .. } => weight * value,
        }
    }
}

pub struct FeatureScorer<'a> {
    node: &'a FeatureNode,
    shape: FeatureShape,
    column: &'a NumericColumn,
    weight: f32,
    window: Option<u32>,
    decoded: NumericWindow,
}

impl<'a> FeatureScorer<'a> {
    /// `shape` is the node's with its pivot worked out.
    pub fn new(node: &'a FeatureNode, shape: FeatureShape, column: &'a NumericColumn, weight: f32) -> Self {
        FeatureScorer { node, shape, column, weight, window: None, decoded: NumericWindow::default() }
    }
}

impl WindowScorer for FeatureScorer<'_> {
    fn cost(&self) -> u64 {
        self.column.doc_count().into()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let mut windows = window..self.column.window_count();
        Ok(windows.find(|&window| self.column.window_doc_count(window) > 0).unwrap_or(NO_MORE_WINDOWS))
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        let Some((least, greatest)) = self.column.window_range(window) else { return Ok(0.0) };
        let score = |value: i64| self.shape.score(self.weight, &self.node.source, &[value]);
        Ok(match self.shape {
            FeatureShape::Place { .. } => self.weight,
            // Scores fall with the distance from the origin.
            FeatureShape::Distance { origin, .. } => score(origin.clamp(least, greatest)),
            // They grow with the value, or fall, all the way; functions of the library need not in their last bit.
            _ => score(least).max(score(greatest)) * SLACK,
        })
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.column.has_value(window, bits);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        if self.window != Some(window) {
            self.column.decode_window(window, &mut self.decoded);
            self.window = Some(window);
        }
        for (&doc, total) in docs.iter().zip(scores) {
            if bits::contains(&self.decoded.present, doc) {
                *total += self.shape.score(self.weight, &self.node.source, self.decoded.values_of(doc));
            }
        }
        Ok(())
    }
}
