//! What scores are computed from: how many documents have a term and a field. A shard counts its own; a search with
//! `dfs_query_then_fetch` first asks all shards what they count ([`record`]), adds it up ([`merge`]), and has each score by the sums.

use super::view::ShardView;
use super::weight::{QueryEnv, compile};
use crate::weight::Above;
use quarry_base::control::IsCancelled;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::wire;
use quarry_plan::request::SearchPlan;
use quarry_scores::totals::{FieldTotals, TermTotals};
use quarry_segment::reader::FieldReader;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Terms of one search whose documents may be counted over all shards; a query has fewer clauses, but may compare itself with texts.
const TERMS_MAX: usize = 100_000;

/// What was counted for one search.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counted {
    /// Documents of any kind.
    documents: u64,
    fields: BTreeMap<String, FieldTotals>,
    /// By field and term.
    terms: BTreeMap<String, BTreeMap<Vec<u8>, TermTotals>>,
}

impl Counted {
    fn term(&self, field: &str, term: &[u8]) -> Option<TermTotals> {
        self.terms.get(field)?.get(term).copied()
    }

    fn add(&mut self, other: Counted) {
        self.documents += other.documents;
        for (field, theirs) in other.fields {
            let mine = self.fields.entry(field).or_default();
            mine.doc_count += theirs.doc_count;
            mine.sum_doc_freq += theirs.sum_doc_freq;
            mine.sum_total_term_freq += theirs.sum_total_term_freq;
        }
        for (field, terms) in other.terms {
            let mine = self.terms.entry(field).or_default();
            terms.into_iter().for_each(|(term, totals)| mine.entry(term).or_default().add(totals));
        }
    }

    fn term_count(&self) -> usize {
        self.terms.values().map(BTreeMap::len).sum()
    }
}

/// Whose counts a view of a shard scores by.
#[derive(Debug, Clone, Default)]
pub enum Statistics {
    #[default]
    OfShard,
    /// The shard's, and what was asked for is noted.
    Recorded(Arc<Mutex<Counted>>),
    /// Those of all shards of the search; of what they do not have, the shard's.
    OfAll(Arc<Counted>),
}

impl Statistics {
    /// What a search counts of a term, of which the shard has `own`.
    pub fn term(&self, field: &str, term: &[u8], own: TermTotals) -> TermTotals {
        match self {
            Statistics::OfShard => own,
            Statistics::OfAll(counted) => counted.term(field, term).unwrap_or(own),
            Statistics::Recorded(counted) => {
                let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
                counted.terms.entry(field.to_owned()).or_default().insert(term.to_vec(), own);
                own
            }
        }
    }

    fn field(&self, field: &str, own: FieldTotals) -> FieldTotals {
        match self {
            Statistics::OfShard => own,
            Statistics::OfAll(counted) => counted.fields.get(field).copied().unwrap_or(own),
            Statistics::Recorded(counted) => {
                let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
                counted.fields.insert(field.to_owned(), own);
                own
            }
        }
    }
}

impl ShardView {
    /// As the search of this plan sees the shard.
    pub fn scored_by(&self, plan: &SearchPlan) -> Result<ShardView> {
        let statistics = match &plan.statistics {
            Some(text) => Statistics::OfAll(Arc::new(read(&from_hex(text)?)?)),
            None => Statistics::OfShard,
        };
        Ok(ShardView { statistics, ..self.clone() })
    }

    /// Statistics of a field, deleted documents included: what scores are computed from.
    pub fn field_stats(&self, field: &str) -> FieldTotals {
        let readers = self.segments.iter().filter_map(|segment| segment.field(field));
        let own = readers.map(FieldReader::stats).fold(FieldTotals::default(), |sum, stats| FieldTotals {
            doc_count: sum.doc_count + u64::from(stats.doc_count),
            sum_doc_freq: sum.sum_doc_freq + stats.sum_doc_freq,
            sum_total_term_freq: sum.sum_total_term_freq + stats.sum_total_term_freq,
        });
        self.statistics.field(field, own)
    }

    /// Documents of any kind, deleted ones included.
    pub(super) fn scored_documents(&self) -> u64 {
        match &self.statistics {
            Statistics::OfAll(counted) => counted.documents,
            _ => self.segments.iter().map(|segment| u64::from(segment.max_doc())).sum(),
        }
    }
}

/// What a shard counts of all that the scores of a search are computed from; goes to [`merge`].
pub fn record(view: &ShardView, plan: &SearchPlan, is_cancelled: IsCancelled<'_>) -> Result<Vec<u8>> {
    let noted = Arc::new(Mutex::new(Counted { documents: view.scored_documents(), ..Counted::default() }));
    let recording = ShardView { statistics: Statistics::Recorded(Arc::clone(&noted)), ..view.clone() };
    let env = QueryEnv { now_ms: plan.now_ms, limits: plan.limits.clone(), is_cancelled, above: Above::NOTHING };
    let rescored = plan.rescore.iter().map(|rescore| &rescore.query);
    for query in std::iter::once(&plan.query).chain(rescored) {
        compile(&recording, &env, query, true)?;
    }
    let counted = noted.lock().unwrap_or_else(PoisonError::into_inner);
    check_size(&counted)?;
    encoded(&counted)
}

/// The sums of what shards count, as [`SearchPlan::statistics`] has them.
pub fn merge(shards: &[impl AsRef<[u8]>]) -> Result<String> {
    let mut sum = Counted::default();
    for shard in shards {
        sum.add(read(shard.as_ref())?);
        check_size(&sum)?;
    }
    Ok(to_hex(&encoded(&sum)?))
}

fn check_size(counted: &Counted) -> Result<()> {
    if counted.term_count() <= TERMS_MAX {
        return Ok(());
    }
    let reason = format!("[dfs_query_then_fetch] counts more than [{TERMS_MAX}] terms");
    Err(Error::new(ErrorCode::TooManyClauses, reason))
}

fn encoded(counted: &Counted) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    wire::encode("what shards count", counted, &mut bytes)?;
    Ok(bytes)
}

fn read(bytes: &[u8]) -> Result<Counted> {
    wire::decode("what shards count", bytes)
}

/// One word without anything in it that a plan is searched for.
fn to_hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}

fn from_hex(text: &str) -> Result<Vec<u8>> {
    let digit = |letter: u8| char::from(letter).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8]| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?);
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    bytes.ok_or_else(|| Error::internal("statistics of a plan cannot be read"))
}
