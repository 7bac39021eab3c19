//! A formula over one term, or the sum over several, and its bounds.

use super::ceilings::Ceilings;
use super::counts::Counts;
use super::dfi::IndependenceFormula;
use super::dfr::DfrFormula;
use super::ib::IbFormula;
use super::language_model::{dirichlet, jelinek_mercer};
use crate::explanation::Explanation;
use crate::explanation::float;
use quarry_codec::norm;
use quarry_mapping::similarity::{DfrSpec, IbSpec, Independence};
use quarry_postings::bm25::Bm25;

/// Which formula.
#[derive(Debug, Clone, Copy)]
pub(super) enum Family {
    Dfr(DfrSpec),
    Dfi(Independence),
    Ib(IbSpec),
    LmDirichlet { mu: f32 },
    LmJelinekMercer { lambda: f32 },
}

impl Family {
    /// Without the boost. It does not fall when the frequency rises.
    fn score(&self, counts: &Counts, freq: f64, length: f64) -> f64 {
        match self {
            Family::Dfr(dfr) => dfr.score(counts, freq, length),
            Family::Dfi(independence) => independence.score(counts, freq, length),
            Family::Ib(ib) => ib.score(counts, freq, length),
            Family::LmDirichlet { mu } => dirichlet::score(*mu, counts, freq, length),
            Family::LmJelinekMercer { lambda } => jelinek_mercer::score(*lambda, counts, freq, length),
        }
    }

    /// As the API calls it.
    fn name(&self) -> &'static str {
        match self {
            Family::Dfr(_) => "DFRSimilarity",
            Family::Dfi(_) => "DFISimilarity",
            Family::Ib(_) => "IBSimilarity",
            Family::LmDirichlet { .. } => "LMDirichletSimilarity",
            Family::LmJelinekMercer { .. } => "LMJelinekMercerSimilarity",
        }
    }

    /// The formula in words.
    fn computation(&self) -> &'static str {
        match self {
            Family::Dfr(_) => "boost * basicModel.score(stats, tfn) * afterEffect.score(stats, tfn)",
            Family::Dfi(_) => "boost * log2(measure + 1)",
            Family::Ib(_) => {
                "boost * distribution.score(stats, normalization.tfn(stats, freq, docLen), lambda.lambda(stats))"
            }
            Family::LmDirichlet { .. } => "boost * (term weight + document norm)",
            Family::LmJelinekMercer { .. } => "boost * log(1 + ((1 - lambda) * freq / dl) /(lambda * P))",
        }
    }

    fn explain(&self, counts: &Counts, freq: f64, length: f64) -> Vec<Explanation> {
        match self {
            Family::Dfr(dfr) => dfr.explain(counts, freq, length),
            Family::Dfi(independence) => independence.explain(counts, freq, length),
            Family::Ib(ib) => ib.explain(counts, freq, length),
            Family::LmDirichlet { mu } => dirichlet::explain(*mu, counts, freq, length),
            Family::LmJelinekMercer { lambda } => jelinek_mercer::explain(*lambda, counts, freq, length),
        }
    }
}

/// What the matches of a clause score by a formula.
#[derive(Debug, Clone)]
pub(super) struct Formula {
    family: Family,
    boost: f32,
    terms: Vec<Counts>,
    ceilings: Ceilings,
}

impl Formula {
    pub(super) fn new(family: Family, boost: f32, terms: Vec<Counts>) -> Self {
        Formula { family, boost, terms, ceilings: Ceilings::new() }
    }

    /// Not negative; does not fall when the frequency rises.
    pub(super) fn score(&self, freq: f32, norm: u8) -> f32 {
        let length = f64::from(norm::decode(norm));
        match self.terms.as_slice() {
            [term] => self.term_score(term, freq, length),
            terms => terms.iter().map(|term| f64::from(self.term_score(term, freq, length))).sum::<f64>() as f32,
        }
    }

    fn term_score(&self, term: &Counts, freq: f32, length: f64) -> f32 {
        let score = f64::from(self.boost) * self.family.score(term, freq.into(), length);
        // Not a number where parameters at the end of their range make one of nothing and infinity.
        if score > 0.0 { score as f32 } else { 0.0 }
    }

    /// No document scores more whose BM25 factor under `reference` is at most `factor`.
    pub(super) fn bound(&self, factor: f32, reference: &Bm25) -> f32 {
        self.ceilings.of(factor, reference, |freq, norm| self.score(freq, norm))
    }

    pub(super) fn explain(&self, freq: f32, norm: u8) -> Explanation {
        let length = f64::from(norm::decode(norm));
        let mut parts = self.terms.iter().map(|term| self.explain_term(term, freq, length));
        match (parts.next(), parts.next()) {
            (Some(only), None) => only,
            (first, second) => {
                let parts = first.into_iter().chain(second).chain(parts).collect();
                Explanation::of(self.score(freq, norm), "sum of:", parts)
            }
        }
    }

    fn explain_term(&self, term: &Counts, freq: f32, length: f64) -> Explanation {
        let score = self.term_score(term, freq, length);
        let (name, computation) = (self.family.name(), self.family.computation());
        let parts = self.family.explain(term, freq.into(), length);
        if parts.is_empty() {
            return Explanation::leaf(score, format!("score({name}, freq={}), equals to 0", float(freq)));
        }
        let is_told = self.boost != 1.0 || matches!(self.family, Family::Dfi(_));
        let boost = is_told.then(|| Explanation::leaf(self.boost, "boost, query boost"));
        let details = boost.into_iter().chain(parts).collect();
        let computed = format!("score({name}, freq={}), computed as {computation} from:", float(freq));
        Explanation::of(score, computed, details)
    }
}
