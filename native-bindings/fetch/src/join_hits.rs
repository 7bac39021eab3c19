//! `inner_hits` of `has_child` and `has_parent`: the documents of the other side that a hit matched by.

use super::inner_hits::Surroundings;
use super::terms_of;
use quarry_base::error::Result;
use quarry_json::write::write_string;
use quarry_mapping::join::{Join, Relation};
use quarry_plan::nested::InnerHits;
use quarry_plan::query::{BoolQuery, Query, TermsQuery};
use quarry_plan::request::{FetchPlan, SearchPlan};
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::QueryEnv;
use serde_json::Value;

/// A query on the other side of a relation whose hits show what it found there.
#[derive(Clone, Copy)]
pub(super) struct JoinHits<'a> {
    pub query: &'a Query,
    pub plan: &'a InnerHits,
    pub side: Side<'a>,
}

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum Side<'a> {
    /// Children of this kind.
    Children(&'a str),
    /// The parent, which is of this kind.
    Parent(&'a str),
}

impl<'a> Side<'a> {
    /// What the list is called without a name of its own.
    pub fn kind(self) -> &'a str {
        match self {
            Side::Children(kind) | Side::Parent(kind) => kind,
        }
    }

    pub fn relation<'m>(self, join: Join<'m>) -> Option<&'m Relation> {
        match self {
            Side::Children(child) => join.spec.above(child),
            Side::Parent(parent) => join.spec.below(parent),
        }
    }
}

/// One list of such hits.
pub(super) struct JoinFetch<'a> {
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    hits: JoinHits<'a>,
    join_field: String,
    id_field: String,
    /// Kinds of the documents that show the list.
    shown_by: Vec<String>,
    fetch: FetchPlan,
}

impl<'a> JoinFetch<'a> {
    pub fn new(
        view: &'a ShardView,
        env: &'a QueryEnv<'a>,
        hits: JoinHits<'a>,
        join: Join<'_>,
        relation: &Relation,
        around: Surroundings<'a>,
    ) -> Self {
        let shown_by = match hits.side {
            Side::Children(_) => vec![relation.parent.clone()],
            Side::Parent(_) => relation.children.clone(),
        };
        JoinFetch {
            view,
            env,
            hits,
            join_field: join.name().to_owned(),
            id_field: join.id_field(relation),
            shown_by,
            fetch: FetchPlan { total_hits_as_int: around.total_as_int, ..hits.plan.fetch.clone() },
        }
    }

    /// Appends the list of the hit at `doc`, without its name.
    pub fn render(&self, segment: &SegmentView, doc: u32, out: &mut Vec<u8>) -> Result<()> {
        let plan = match self.parent_of(segment, doc)? {
            Some(id) => self.plan(self.related(id)),
            None => self.plan(Query::match_none()),
        };
        let found = (self.env.above.search)(self.view, &plan, self.env.is_cancelled)?;
        out.extend_from_slice(b"{\"hits\":");
        out.extend_from_slice(&found);
        out.push(b'}');
        Ok(())
    }

    /// The id of the parent that the hit is or has; `None` for hits that are on neither side.
    fn parent_of(&self, segment: &SegmentView, doc: u32) -> Result<Option<String>> {
        let kinds = terms_of(segment, &self.join_field, doc)?;
        if !kinds.iter().any(|kind| self.shown_by.contains(kind)) {
            return Ok(None);
        }
        Ok(terms_of(segment, &self.id_field, doc)?.into_iter().next())
    }

    /// The query on the documents of the other side that have this id for their parent's.
    fn related(&self, id: String) -> Query {
        let terms = |field: &str, value: String| {
            Query::Terms(TermsQuery {
                field: field.to_owned(),
                values: vec![Value::String(value)],
                bitmap: None,
                boost: 1.0,
            })
        };
        let kind = self.hits.side.kind().to_owned();
        Query::Bool(BoolQuery {
            must: vec![self.hits.query.clone()],
            filter: vec![terms(&self.id_field, id), terms(&self.join_field, kind)],
            should: Vec::new(),
            must_not: Vec::new(),
            minimum_should_match: None,
            adjust_pure_negative: true,
            drops_empty: false,
            is_negation: false,
            boost: 1.0,
        })
    }

    fn plan(&self, query: Query) -> SearchPlan {
        let inner = self.hits.plan;
        SearchPlan {
            from: inner.from,
            size: inner.size,
            sort: inner.sort.clone(),
            track_scores: inner.track_scores,
            fetch: self.fetch.clone(),
            ..SearchPlan::of(query, self.env.now_ms, self.env.limits.clone())
        }
    }

    pub fn write_name(&self, out: &mut Vec<u8>) {
        write_string(out, self.name());
    }

    pub fn name(&self) -> &'a str {
        self.hits.plan.name.as_deref().unwrap_or_else(|| self.hits.side.kind())
    }
}
