//! Scores from numbers of a document.

use super::{Boost, Builder, Weight};
use crate::functions::feature::{FeatureNode, FeatureScorer, FeatureShape, feature_value};
use crate::functions::function::{FunctionNode, SegmentFunction};
use crate::functions::{FunctionScoreNode, Modes};
use crate::node::{CoveringMinimum, Node};
use crate::scorers::bits;
use crate::scorers::covering::{CoveringScorer, Minimum};
use crate::scorers::function_score::{FilteredFunction, FunctionFilter, FunctionScoreScorer};
use crate::script::docs::SegmentDocs;
use crate::view::{SegmentView, ShardView};
use quarry_base::error::Result;
use quarry_scores::scorer::WindowScorer;
use quarry_segment::column::numeric::NumericWindow;

struct FunctionWeight {
    filter: Option<Box<dyn Weight>>,
    weight: Option<f64>,
    function: FunctionNode,
}

struct FunctionScoreWeight {
    inner: Box<dyn Weight>,
    functions: Vec<FunctionWeight>,
    modes: Modes,
    min_score: Option<f32>,
    scope: Box<str>,
    view: ShardView,
}

impl Builder<'_> {
    /// Where nobody asks for scores only the query itself matters, and `min_score`.
    pub(super) fn function_score(&mut self, node: &FunctionScoreNode, boost: Boost) -> Result<Box<dyn Weight>> {
        if boost.is_none() && node.min_score.is_none() {
            return self.build(&node.query, None);
        }
        let inner = self.build(&node.query, Some(boost.unwrap_or(1.0)))?;
        let mut functions = Vec::with_capacity(node.functions.len());
        for function in &node.functions {
            functions.push(FunctionWeight {
                filter: function.filter.as_ref().map(|filter| self.build(filter, None)).transpose()?,
                weight: function.weight,
                function: function.function.clone(),
            });
        }
        let (view, scope) = (self.view.clone(), node.scope.clone());
        let (modes, min_score) = (node.modes, node.min_score);
        Ok(Box::new(FunctionScoreWeight { inner, functions, modes, min_score, scope, view }))
    }

    pub(super) fn feature(&mut self, node: &FeatureNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let shape = match node.shape {
            FeatureShape::Saturation { pivot: None } => {
                FeatureShape::Saturation { pivot: Some(self.mean_feature(node)) }
            }
            shape => shape,
        };
        Ok(Box::new(FeatureWeight { node: node.clone(), shape, weight: boost.unwrap_or(0.0) }))
    }

    /// The mean of the values in the form in which features are kept, which is nearly that of their logarithms.
    fn mean_feature(&self, node: &FeatureNode) -> f32 {
        const DROPPED_BITS: u32 = 15;
        let (mut sum, mut count) = (0u64, 0u64);
        let mut decoded = NumericWindow::default();
        let mut docs = Vec::new();
        for segment in self.view.segments.iter() {
            let Some(column) = segment.field(&node.source.field).and_then(|field| field.numeric()) else { continue };
            for window in 0..column.window_count() {
                column.decode_window(window, &mut decoded);
                bits::list(&decoded.present, &mut docs);
                for &doc in &docs {
                    let value = decoded.values_of(doc).first().copied().unwrap_or(0);
                    let value = feature_value(node.source.value_type.number(value));
                    sum += u64::from(value.to_bits() >> DROPPED_BITS);
                    count += 1;
                }
            }
        }
        if count == 0 { 1.0 } else { f32::from_bits(((sum as f64 / count as f64) as f32 as u32) << DROPPED_BITS) }
    }

    pub(super) fn covering(
        &mut self,
        nodes: &[Node],
        minimum: &CoveringMinimum,
        boost: Boost,
    ) -> Result<Box<dyn Weight>> {
        let parts = nodes.iter().map(|node| self.build(node, boost)).collect::<Result<_>>()?;
        Ok(Box::new(CoveringWeight { parts, minimum: minimum.clone(), view: self.view.clone() }))
    }
}

impl Weight for FunctionScoreWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let Some(inner) = self.inner.scorer(segment)? else { return Ok(None) };
        let mut functions = Vec::with_capacity(self.functions.len());
        for FunctionWeight { filter, weight, function } in &self.functions {
            let filter = match filter {
                None => FunctionFilter::Everything,
                Some(filter) => match filter.scorer(segment)? {
                    Some(scorer) => FunctionFilter::Scorer { scorer, bits: Box::new(bits::EMPTY) },
                    None => FunctionFilter::Nothing,
                },
            };
            let function = SegmentFunction::new(function, &self.view, segment)?;
            functions.push(FilteredFunction { filter, weight: *weight, function });
        }
        let scorer = FunctionScoreScorer::new(inner, functions, self.modes, self.min_score, (segment, &self.scope));
        Ok(Some(Box::new(scorer)))
    }
}

struct FeatureWeight {
    node: FeatureNode,
    shape: FeatureShape,
    weight: f32,
}

impl Weight for FeatureWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let column = segment.field(&self.node.source.field).and_then(|field| field.numeric());
        Ok(column.map(|column| {
            Box::new(FeatureScorer::new(&self.node, self.shape, column, self.weight)) as Box<dyn WindowScorer + 'a>
        }))
    }
}

struct CoveringWeight {
    parts: Vec<Box<dyn Weight>>,
    minimum: CoveringMinimum,
    view: ShardView,
}

impl Weight for CoveringWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let minimum = match &self.minimum {
            CoveringMinimum::Field(name) => match segment.field(name).and_then(|field| field.numeric()) {
                Some(column) => Minimum::column(column),
                None => return Ok(None),
            },
            CoveringMinimum::Script(script) => {
                let docs = SegmentDocs::new(&self.view, segment);
                Minimum::script(script.instance()?, docs, segment, &script.scope)
            }
        };
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            parts.extend(part.scorer(segment)?);
        }
        if parts.is_empty() { Ok(None) } else { Ok(Some(Box::new(CoveringScorer::new(parts, minimum)))) }
    }
}
