//! `function_score`: scores computed from other things than the text.

use super::query::Query;
use quarry_script::ScriptSpec;
use serde::Deserialize;
use serde_json::Value;

fn one() -> f32 {
    1.0
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionScoreQuery {
    pub query: Box<Query>,
    pub functions: Vec<ScoreFunction>,
    #[serde(default)]
    pub score_mode: ScoreMode,
    #[serde(default)]
    pub boost_mode: BoostMode,
    /// No function adds up to more than this.
    pub max_boost: Option<f32>,
    /// Documents that score less do not match.
    pub min_score: Option<f32>,
    #[serde(default = "one")]
    pub boost: f32,
}

/// How the values of several functions become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreMode {
    #[default]
    Multiply,
    Sum,
    Avg,
    First,
    Max,
    Min,
}

/// How the functions' value and the query's score become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoostMode {
    #[default]
    Multiply,
    Replace,
    Sum,
    Avg,
    Max,
    Min,
}

/// One function. Without `kind` its value is 1, so that `weight` is all it says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreFunction {
    pub filter: Option<Query>,
    pub weight: Option<f32>,
    pub kind: Option<FunctionKind>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionKind {
    FieldValueFactor(FieldValueFactor),
    Decay(Box<Decay>),
    RandomScore(RandomScore),
    ScriptScore(ScriptSpec),
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldValueFactor {
    pub field: String,
    #[serde(default = "one")]
    pub factor: f32,
    #[serde(default)]
    pub modifier: Modifier,
    pub missing: Option<f64>,
}

/// What is done to a value after it was multiplied with the factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Modifier {
    #[default]
    None,
    Log,
    Log1p,
    Log2p,
    Ln,
    Ln1p,
    Ln2p,
    Square,
    Sqrt,
    Reciprocal,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decay {
    pub field: String,
    pub shape: DecayShape,
    /// `None`: now, of a date.
    pub origin: Option<Value>,
    pub scale: Value,
    pub offset: Option<Value>,
    /// The value at the distance `scale`; between 0 and 1.
    pub decay: f64,
    #[serde(default)]
    pub mode: ValueMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecayShape {
    Gauss,
    Exp,
    Linear,
}

/// Which of a document's distances counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueMode {
    #[default]
    Min,
    Max,
    Avg,
    Sum,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomScore {
    /// `None`: other numbers at each moment.
    pub seed: Option<i32>,
    /// The field whose value is hashed; `None`: the document's place in the shard.
    pub field: Option<String>,
}

/// `distance_feature`: the nearer a date, the higher the score.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistanceFeatureQuery {
    pub field: String,
    pub origin: Value,
    /// The distance at which the score is half the boost.
    pub pivot: String,
    #[serde(default = "one")]
    pub boost: f32,
}

/// `rank_feature`: the score is a field's value, curbed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankFeatureQuery {
    pub field: String,
    #[serde(default)]
    pub function: RankFunction,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RankFunction {
    Saturation { pivot: Option<f32> },
    Log { scaling_factor: f32 },
    Sigmoid { pivot: f32, exponent: f32 },
    Linear {},
}

impl Default for RankFunction {
    fn default() -> Self {
        RankFunction::Saturation { pivot: None }
    }
}

/// `pinned`: some documents first, then what a query finds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedQuery {
    pub organic: Box<Query>,
    pub documents: Vec<PinnedDocument>,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedDocument {
    pub id: String,
    /// `None`: in whichever index.
    pub index: Option<String>,
}

/// `terms_set`: as many of the terms as a field of the document, or a script, says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermsSetQuery {
    pub field: String,
    pub terms: Vec<Value>,
    /// One of the two.
    pub minimum_should_match_field: Option<String>,
    /// Its `params` have `num_terms`, the number of terms.
    pub minimum_should_match_script: Option<ScriptSpec>,
    #[serde(default = "one")]
    pub boost: f32,
}
