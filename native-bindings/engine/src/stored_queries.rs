//! Queries that documents hold: their plans, which TypeScript makes of their texts, go into the buffer and the translog with them.
//!
//! A batch stops before a document whose queries have no plan yet, as it does for fields that the mapping lacks, and tells their
//! texts and, apart from them, those of documents after it: values of other documents are not fetched for these yet, since the
//! batch may write such documents before. Replay finds the plans beside the operation.
//!
//! A plan with values that were fetched from other documents holds for the batch that it was made for: an equal text that comes
//! later is fetched for again.

use super::engine::Shard;
use super::version_map::UNKNOWN_TIME;
use hashbrown::HashMap;
use indexmap::IndexSet;
use quarry_base::control::NEVER;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::varint::{read_u64, write_u64};
use quarry_mapping::document::stored_query::{IndexedQuery, StoredQueryText};
use quarry_percolate::accept::{IndexTerms, accept, always};
use quarry_percolate::stored;
use quarry_plan::request::SearchLimits;
use quarry_query::weight::Above;
use quarry_query::weight::QueryEnv;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Texts and plans that wait for their documents, and texts that one report holds.
const BYTES_MAX: usize = 8 << 20;
/// Texts and plans with fetched values; above that, those of earlier calls are fetched for again.
const FETCHED_BYTES_MAX: usize = 64 << 20;
/// Plans of all queries that one document holds, in its nested objects too; equal ones count each time, for each is kept.
const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// What TypeScript made of texts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedQueries {
    /// `indices.query.bool.max_clause_count`
    pub max_clauses: u32,
    pub plans: Vec<PlannedText>,
    /// Those with values that were fetched from other documents.
    pub fetched: Vec<PlannedText>,
}

/// Text and plan, both JSON.
type PlannedText = (Box<str>, Box<str>);

/// Plans by text.
#[derive(Debug, Default)]
struct PlansByText {
    plans: HashMap<Box<str>, Arc<str>>,
    bytes: usize,
}

impl PlansByText {
    /// Those of before go where there would be too many.
    fn add(&mut self, plans: Vec<PlannedText>, bytes_max: usize) {
        let bytes: usize = plans.iter().map(|(text, plan)| text.len() + plan.len()).sum();
        if self.bytes + bytes > bytes_max {
            *self = PlansByText::default();
        }
        self.bytes += bytes;
        self.plans.extend(plans.into_iter().map(|(text, plan)| (text, plan.into())));
    }
}

/// Texts that have no plan, each a JSON object.
#[derive(Serialize)]
struct UnplannedTexts<'q> {
    /// Of the document that a batch stopped at.
    at_hand: Vec<&'q str>,
    /// Of documents after it.
    later: Vec<&'q str>,
}

/// Plans until their documents come, and texts that have none.
#[derive(Debug, Default)]
pub(super) struct QueryPlans {
    known: PlansByText,
    fetched: PlansByText,
    /// Those of the document at hand come first.
    wanted: IndexSet<Box<str>>,
    /// How many these are.
    at_hand: usize,
    wanted_bytes: usize,
    max_clauses: u32,
    /// Those of the document at hand, as the translog has them.
    of_document: Vec<u8>,
}

impl QueryPlans {
    /// Before a batch.
    pub(super) fn forget_wanted(&mut self) {
        self.wanted.clear();
        self.at_hand = 0;
        self.wanted_bytes = 0;
    }

    /// JSON of the texts that have no plan: `at_hand`, those of the document that the batch stopped at, and `later`.
    pub(super) fn wanted_json(&self) -> Option<Vec<u8>> {
        let mut texts = self.wanted.iter().map(|text| &**text);
        let at_hand = texts.by_ref().take(self.at_hand).collect();
        let texts = UnplannedTexts { at_hand, later: texts.collect() };
        // Lists of texts always have a JSON form.
        (!self.wanted.is_empty()).then(|| serde_json::to_vec(&texts).unwrap_or_default())
    }

    /// Texts of one document; those of it that is at hand always find room.
    pub(super) fn want(&mut self, queries: &[StoredQueryText], is_at_hand: bool) {
        for StoredQueryText { json, .. } in queries {
            let has_room = is_at_hand || self.wanted_bytes + json.len() <= BYTES_MAX;
            if has_room && self.plan_of(json).is_none() && self.wanted.insert(json.clone()) {
                self.wanted_bytes += json.len();
                self.at_hand += usize::from(is_at_hand);
            }
        }
    }

    fn plan_of(&self, text: &str) -> Option<&Arc<str>> {
        self.known.plans.get(text).or_else(|| self.fetched.plans.get(text))
    }

    fn add(&mut self, PlannedQueries { max_clauses, plans, fetched }: PlannedQueries) {
        self.max_clauses = max_clauses;
        self.known.add(plans, BYTES_MAX);
        self.fetched.add(fetched, FETCHED_BYTES_MAX);
    }

    pub(super) fn forget_known(&mut self) {
        self.known = PlansByText::default();
    }

    pub(super) fn forget_document(&mut self) {
        self.of_document.clear();
    }

    /// Of the document at hand; empty where it has none.
    pub(super) fn of_document(&self) -> &[u8] {
        &self.of_document
    }
}

impl Shard {
    /// Takes what was made of texts that a batch stopped at.
    pub fn add_query_plans(&mut self, plans: PlannedQueries) {
        self.query_plans.add(plans);
    }

    /// Ends the batch that plans with fetched values were made for.
    pub fn forget_fetched_plans(&mut self) {
        self.query_plans.fetched = PlansByText::default();
    }

    /// What becomes of the queries of the document that was parsed last, in their order. `replayed`: their plans, from the translog.
    ///
    /// `None`: some have no plan yet. Errors: what the mapping has against them; plans that take too much together.
    pub(super) fn index_queries(&mut self, replayed: Option<&[u8]>) -> Result<Option<Vec<IndexedQuery>>> {
        self.query_plans.of_document.clear();
        let queries = std::mem::take(&mut self.parse_scratch.stored_queries);
        let plans = match replayed {
            Some(bytes) => read_plans(bytes, queries.len())?,
            None => {
                let known = queries.iter().map(|query| self.query_plans.plan_of(&query.json).cloned());
                let Some(plans) = known.collect::<Option<Vec<_>>>() else {
                    self.query_plans.want(&queries, true);
                    return Ok(None);
                };
                self.check_size(&queries, &plans)?;
                plans
            }
        };
        let mut indexed = Vec::with_capacity(plans.len());
        for plan in &plans {
            // What was taken once has as many clauses as it has.
            let max_clauses = if replayed.is_some() { u32::MAX } else { self.query_plans.max_clauses.max(1) };
            let terms = match self.accept_query(plan, max_clauses) {
                Ok(terms) => terms,
                // It was taken once, whatever became of the mapping.
                Err(_) if replayed.is_some() => always(),
                Err(cause) => return Err(failed_to_parse(cause)),
            };
            indexed.push(IndexedQuery { terms, kept: stored::write(plan) });
            write_u64(&mut self.query_plans.of_document, plan.len() as u64);
            self.query_plans.of_document.extend_from_slice(plan.as_bytes());
        }
        Ok(Some(indexed))
    }

    /// Errors: the plans of a document's queries take too much together; the field is that of the query that is too much.
    fn check_size(&self, queries: &[StoredQueryText], plans: &[Arc<str>]) -> Result<()> {
        let mut bytes = 0;
        for (query, plan) in queries.iter().zip(plans) {
            bytes += plan.len();
            if bytes > DOCUMENT_BYTES_MAX {
                let field = &self.mapping.field(query.field).spec.name;
                return Err(failed_to_parse(Error::illegal_argument(format!(
                    "the queries of a document take more than [{DOCUMENT_BYTES_MAX}] bytes with that of field [{field}]"
                ))));
            }
        }
        Ok(())
    }

    fn accept_query(&self, plan: &str, max_clauses: u32) -> Result<IndexTerms> {
        let limits = SearchLimits { max_clauses, ..SearchLimits::default() };
        let env = QueryEnv { now_ms: UNKNOWN_TIME as i64, limits, is_cancelled: NEVER, above: Above::NOTHING };
        accept(&self.view_of([])?, &env, plan)
    }
}

fn failed_to_parse(cause: Error) -> Error {
    Error::new(ErrorCode::MapperParsing, "failed to parse").caused_by(cause)
}

fn read_plans(bytes: &[u8], count: usize) -> Result<Vec<Arc<str>>> {
    let damaged = || Error::corrupt("the plans of an operation's queries are not those of its document");
    let mut at = 0;
    let mut plans = Vec::with_capacity(count);
    while at < bytes.len() {
        let length = usize::try_from(read_u64(bytes, &mut at)?).map_err(|_| damaged())?;
        let end = at.checked_add(length).ok_or_else(damaged)?;
        let plan = bytes.get(at..end).and_then(|plan| std::str::from_utf8(plan).ok()).ok_or_else(damaged)?;
        plans.push(plan.into());
        at = end;
    }
    if plans.len() == count { Ok(plans) } else { Err(damaged()) }
}
