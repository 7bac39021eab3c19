//! What the matches of a clause on terms of one field score.

use super::counts::Counts;
use super::formula::{Family, Formula};
use super::scripted::Scripted;
use crate::bm25::idf;
use crate::explanation::Explanation;
use crate::totals::{FieldTotals, TermTotals};
use quarry_base::error::Result;
use quarry_mapping::similarity::SimilaritySpec;
use quarry_postings::bm25::{B, Bm25, K1};
use std::sync::Arc;

/// How a frequency and the code of a length become a score.
#[derive(Debug)]
enum Way {
    /// Nobody asks for scores.
    Filter,
    Bm25,
    /// The weight, for each match.
    Constant,
    Formula(Box<Formula>),
    Scripted(Box<Scripted>),
}

#[derive(Debug)]
pub struct Rating {
    reference: Arc<Bm25>,
    /// Of BM25: the boost times the sum of the terms' idf.
    weight: f32,
    way: Way,
}

/// How a leaf scores its matches.
#[derive(Debug, Clone, Copy)]
pub enum Scoring<'a> {
    /// BM25 with the clause's weight.
    Relevance,
    /// The same score for each match; 0 for a filter.
    Constant(f32),
    /// One document at a time, by another similarity than BM25. The clause's is its reference.
    Rated(&'a Rating),
}

impl Scoring<'_> {
    pub(crate) fn is_filter(&self) -> bool {
        matches!(self, Scoring::Constant(0.0))
    }

    /// At least as high as any score where no BM25 factor is above `factor`.
    pub(crate) fn bound(&self, factor: f32, weight: f32) -> f32 {
        match self {
            Scoring::Relevance => factor * weight,
            Scoring::Constant(score) => *score,
            Scoring::Rated(rating) => rating.bound(factor),
        }
    }
}

/// BM25 of a field with its average length: by its own parameters, or by the usual ones where it scores otherwise. Bounds
/// that segments store are made comparable by it.
pub fn reference(similarity: Option<&SimilaritySpec>, field: FieldTotals) -> Bm25 {
    let average = field.sum_total_term_freq as f32 / field.doc_count.max(1) as f32;
    let (k1, b) = match similarity {
        Some(SimilaritySpec::Bm25 { k1, b }) => (*k1, *b),
        _ => (K1, B),
    };
    Bm25::with(k1, b, average.max(f32::MIN_POSITIVE))
}

impl Rating {
    /// Of matches whose frequency is that of all `terms` together. `boost` is `None` where nobody asks for scores;
    /// `reference` is [`reference`] of the field.
    ///
    /// Errors: a script does not compile, or fails.
    pub fn new(
        similarity: Option<&SimilaritySpec>,
        reference: Arc<Bm25>,
        field: FieldTotals,
        terms: &[TermTotals],
        boost: Option<f32>,
    ) -> Result<Self> {
        let Some(boost) = boost else { return Ok(Rating { reference, weight: 0.0, way: Way::Filter }) };
        let counts = || terms.iter().map(|term| Counts::new(field, *term)).collect();
        let formula = |family| Way::Formula(Box::new(Formula::new(family, boost, counts())));
        let way = match similarity {
            None | Some(SimilaritySpec::Bm25 { .. }) => {
                let idf = |term: &TermTotals| idf(term.doc_freq, field.doc_count.max(term.doc_freq));
                return Ok(Rating::bm25(reference, boost * terms.iter().map(idf).sum::<f32>()));
            }
            Some(SimilaritySpec::Boolean) => Way::Constant,
            Some(SimilaritySpec::Dfr(dfr)) => formula(Family::Dfr(*dfr)),
            Some(SimilaritySpec::Dfi { independence_measure }) => formula(Family::Dfi(*independence_measure)),
            Some(SimilaritySpec::Ib(ib)) => formula(Family::Ib(*ib)),
            Some(SimilaritySpec::LmDirichlet { mu }) => formula(Family::LmDirichlet { mu: *mu }),
            Some(SimilaritySpec::LmJelinekMercer { lambda }) => formula(Family::LmJelinekMercer { lambda: *lambda }),
            Some(SimilaritySpec::Scripted(spec)) => Way::Scripted(Box::new(Scripted::new(spec, boost, field, terms)?)),
        };
        Ok(Rating { reference, weight: boost, way })
    }

    pub fn bm25(reference: Arc<Bm25>, weight: f32) -> Self {
        Rating { reference, weight, way: Way::Bm25 }
    }

    /// For executors: [`Rating::scoring`] says whether they may score by it.
    #[inline]
    pub fn reference(&self) -> &Bm25 {
        &self.reference
    }

    #[inline]
    pub fn weight(&self) -> f32 {
        self.weight
    }

    /// Whether the executors that know nothing but BM25 give the right scores, or none are asked for.
    #[inline]
    pub fn has_shortcut(&self) -> bool {
        matches!(self.way, Way::Filter | Way::Bm25)
    }

    #[inline]
    pub fn scoring(&self) -> Scoring<'_> {
        match self.way {
            Way::Filter => Scoring::Constant(0.0),
            Way::Bm25 => Scoring::Relevance,
            Way::Constant => Scoring::Constant(self.weight),
            Way::Formula(_) | Way::Scripted(_) => Scoring::Rated(self),
        }
    }

    /// The score of a match. Errors: a script fails.
    #[inline]
    pub fn score(&self, freq: f32, norm: u8) -> Result<f32> {
        Ok(match &self.way {
            Way::Filter => 0.0,
            Way::Bm25 => self.reference.score(self.weight, freq, norm),
            Way::Constant => self.weight,
            Way::Formula(formula) => formula.score(freq, norm),
            Way::Scripted(scripted) => scripted.score(freq, norm)?,
        })
    }

    /// No match scores more whose BM25 factor under the reference is at most `factor`.
    #[inline]
    pub fn bound(&self, factor: f32) -> f32 {
        match &self.way {
            Way::Filter => 0.0,
            Way::Bm25 => self.weight * factor,
            Way::Constant => self.weight,
            Way::Formula(formula) => formula.bound(factor, &self.reference),
            Way::Scripted(_) => f32::INFINITY,
        }
    }

    /// How the score of a match comes about; `None` for BM25, which is explained by its statistics.
    pub fn explain(&self, freq: f32, norm: u8) -> Result<Option<Explanation>> {
        Ok(match &self.way {
            Way::Filter | Way::Bm25 => None,
            Way::Constant => {
                let boost = Explanation::leaf(self.weight, "boost, query boost");
                Some(Explanation::of(self.weight, "score(BooleanWeight), computed from:", vec![boost]))
            }
            Way::Formula(formula) => Some(formula.explain(freq, norm)),
            Way::Scripted(scripted) => Some(scripted.explain(freq, norm)?),
        })
    }
}
