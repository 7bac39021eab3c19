//! Scores from numbers of a document: the functions of `function_score`, and the features that score by themselves.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`function`] | the value of one function for a document |
//! | [`combine`] | the values of several functions and the query's score as one |
//! | [`feature`] | scores that are nothing but a field's value: distances and rank features |
pub(super) mod combine;
pub(super) mod feature;
pub(super) mod function;

use super::node::Node;
use function::FunctionNode;
use quarry_mapping::format::ValueType;
use quarry_plan::function_score::{BoostMode, ScoreMode};

/// A numeric field and how its column values are read.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberSource {
    pub field: String,
    pub value_type: ValueType,
}

/// `function_score` with its fields looked up.
#[derive(Debug)]
pub struct FunctionScoreNode {
    pub query: Node,
    pub functions: Vec<WeightedFunction>,
    pub modes: Modes,
    pub min_score: Option<f32>,
    /// Path of the nested documents that it is about; empty for the roots.
    pub scope: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modes {
    pub score: ScoreMode,
    pub boost: BoostMode,
    pub max_boost: f32,
}

/// A function, for which documents it counts, and what it is multiplied with.
#[derive(Debug)]
pub struct WeightedFunction {
    pub filter: Option<Node>,
    /// `None` counts as 1 in an average too.
    pub weight: Option<f64>,
    pub function: FunctionNode,
}
