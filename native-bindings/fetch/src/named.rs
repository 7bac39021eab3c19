//! `matched_queries`: which of the request's named queries match each hit.

use quarry_base::error::Result;
use quarry_base::json::write::plain_float;
use quarry_json::write::write_string;
use quarry_plan::query::Query;
use quarry_plan::request::{Rescore, SearchPlan};
use quarry_query::doc_scores::scores_of;
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;
use rapidhash::RapidHashMap;

/// The queries of a request whose names its hits tell.
#[derive(Debug, Clone, Copy)]
pub struct NamedRequest<'a> {
    pub query: &'a Query,
    pub post_filter: Option<&'a Query>,
    pub rescore: &'a [Rescore],
    /// An object of scores instead of a list of names.
    pub with_scores: bool,
}

impl<'a> NamedRequest<'a> {
    pub fn of(plan: &'a SearchPlan) -> Self {
        let with_scores = plan.fetch.named_queries_score;
        NamedRequest { query: &plan.query, post_filter: plan.post_filter.as_ref(), rescore: &plan.rescore, with_scores }
    }
}

/// Names and scores by document of the shard.
pub struct NamedQueries {
    matched: RapidHashMap<u32, Vec<(String, f32)>>,
    with_scores: bool,
}

impl NamedQueries {
    /// Of no documents.
    pub fn none(request: NamedRequest<'_>) -> Self {
        NamedQueries { matched: RapidHashMap::default(), with_scores: request.with_scores }
    }

    /// Puts every named query of the request to documents of the shard.
    pub fn run(
        view: &ShardView,
        env: &QueryEnv,
        request: NamedRequest<'_>,
        docs: impl Iterator<Item = u32>,
    ) -> Result<Self> {
        let mut matched: RapidHashMap<u32, Vec<(String, f32)>> = RapidHashMap::default();
        let mut named = Vec::new();
        collect_named(request.query, &mut named);
        let rescored = request.rescore.iter().map(|rescore| &rescore.query);
        request.post_filter.into_iter().chain(rescored).for_each(|query| collect_named(query, &mut named));
        if !named.is_empty() {
            let mut docs: Vec<u32> = docs.collect();
            docs.sort_unstable();
            docs.dedup();
            for (name, query) in named {
                for (doc, score) in scores_of(view, env, query, &docs)? {
                    matched.entry(doc).or_default().push((name.to_owned(), score));
                }
            }
        }
        Ok(NamedQueries { matched, with_scores: request.with_scores })
    }

    pub(super) fn render(&self, doc: u32, out: &mut Vec<u8>) {
        let with_scores = self.with_scores;
        let Some(matched) = self.matched.get(&doc) else {
            return;
        };
        out.extend_from_slice(b",\"matched_queries\":");
        out.push(if with_scores { b'{' } else { b'[' });
        for (place, (name, score)) in matched.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write_string(out, name);
            if with_scores {
                out.push(b':');
                out.extend_from_slice(plain_float(*score).as_bytes());
            }
        }
        out.push(if with_scores { b'}' } else { b']' });
    }
}

/// Of several with one name the last counts: that of an outer query, or the later one.
fn collect_named<'a>(query: &'a Query, named: &mut Vec<(&'a str, &'a Query)>) {
    query.parts().into_iter().for_each(|part| collect_named(part, named));
    if let Query::Named(inner) = query {
        named.retain(|(name, _)| *name != inner.name);
        named.push((&inner.name, &inner.query));
    }
}
