//! What the scores of a field are computed by, as the settings of its index say. The TypeScript side has checked names and
//! values; formulas are in `search::similarity`.

use quarry_script::ScriptSpec;
use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum SimilaritySpec {
    /// `k1` is finite and not negative, `b` from 0 to 1.
    #[serde(rename = "BM25")]
    Bm25 { k1: f32, b: f32 },
    /// Each match scores the boost.
    #[serde(rename = "boolean")]
    Boolean,
    #[serde(rename = "DFR")]
    Dfr(DfrSpec),
    #[serde(rename = "DFI")]
    Dfi { independence_measure: Independence },
    #[serde(rename = "IB")]
    Ib(IbSpec),
    /// `mu` is finite and not negative.
    #[serde(rename = "LMDirichlet")]
    LmDirichlet { mu: f32 },
    /// `lambda` is above 0 and at most 1.
    #[serde(rename = "LMJelinekMercer")]
    LmJelinekMercer { lambda: f32 },
    #[serde(rename = "scripted")]
    Scripted(Box<ScriptedSpec>),
}

/// Divergence from randomness.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DfrSpec {
    pub basic_model: BasicModel,
    pub after_effect: AfterEffect,
    pub normalization: Normalization,
}

/// How unlikely a frequency is by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BasicModel {
    G,
    If,
    In,
    Ine,
}

/// How much one more occurrence tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AfterEffect {
    B,
    L,
}

/// What lengths make of frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Normalization {
    No,
    H1 { c: f32 },
    H2 { c: f32 },
    H3 { c: f32 },
    Z { z: f32 },
}

/// How far a frequency is from that of a term that is everywhere alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Independence {
    Standardized,
    Saturated,
    ChiSquared,
}

/// Information-based.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IbSpec {
    pub distribution: Distribution,
    pub lambda: Lambda,
    pub normalization: Normalization,
}

/// What frequencies are taken to be distributed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    Ll,
    Spl,
}

/// What the distribution's parameter is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lambda {
    Df,
    Ttf,
}

/// Scores that a script computes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedSpec {
    pub script: ScriptSpec,
    /// What does not depend on the document; 1 without it.
    pub weight_script: Option<ScriptSpec>,
}
