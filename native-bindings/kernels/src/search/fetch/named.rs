//! `matched_queries`: which of the request's named queries match each hit.

use crate::error::Result;
use crate::json::write::write_string;
use crate::search::plan::query::Query;
use crate::search::plan::request::SearchPlan;
use crate::search::scorers::bits;
use crate::search::sort::key::plain_float;
use crate::search::view::ShardView;
use crate::search::weight::{QueryEnv, compile};
use crate::window::WINDOW;
use rapidhash::RapidHashMap;

/// The queries of a request whose names its hits tell.
#[derive(Debug, Clone, Copy)]
pub struct NamedRequest<'a> {
    pub query: &'a Query,
    pub post_filter: Option<&'a Query>,
    /// An object of scores instead of a list of names.
    pub with_scores: bool,
}

impl<'a> NamedRequest<'a> {
    pub fn of(plan: &'a SearchPlan) -> Self {
        let with_scores = plan.fetch.named_queries_score;
        NamedRequest { query: &plan.query, post_filter: plan.post_filter.as_ref(), with_scores }
    }
}

/// Names and scores by document of the shard.
pub struct NamedQueries {
    matched: RapidHashMap<u32, Vec<(String, f32)>>,
    with_scores: bool,
}

impl NamedQueries {
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
        if let Some(query) = request.post_filter {
            collect_named(query, &mut named);
        }
        if !named.is_empty() {
            let mut docs: Vec<u32> = docs.collect();
            docs.sort_unstable();
            docs.dedup();
            for (name, query) in named {
                for (doc, score) in matches_of(view, env, query, &docs)? {
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

/// Those of `docs` (of the shard, ascending) that a query matches, with their scores.
fn matches_of(view: &ShardView, env: &QueryEnv, query: &Query, docs: &[u32]) -> Result<Vec<(u32, f32)>> {
    let weight = compile(view, env, query, true)?;
    let mut found = Vec::new();
    let mut rest = docs;
    for segment in view.segments.iter() {
        let in_segment = rest.partition_point(|&doc| doc < segment.doc_base + segment.max_doc());
        let (here, after) = rest.split_at(in_segment);
        rest = after;
        if here.is_empty() {
            continue;
        }
        let Some(mut scorer) = weight.scorer(segment)? else {
            continue;
        };
        let window_of = |doc: &u32| (doc - segment.doc_base) / WINDOW as u32;
        for group in here.chunk_by(|left, right| window_of(left) == window_of(right)) {
            let window = group.first().map_or(0, window_of);
            if scorer.next_window(window)? != window {
                continue;
            }
            let mut matched = bits::EMPTY;
            scorer.matches(window, &mut matched)?;
            let local = |doc: &u32| ((doc - segment.doc_base) % WINDOW as u32) as u16;
            let kept: Vec<u32> = group.iter().copied().filter(|doc| bits::contains(&matched, local(doc))).collect();
            let in_window: Vec<u16> = kept.iter().map(local).collect();
            let mut scores = vec![0f32; in_window.len()];
            scorer.score(window, &in_window, &mut scores)?;
            found.extend(kept.into_iter().zip(scores));
        }
    }
    Ok(found)
}

fn collect_named<'a>(query: &'a Query, named: &mut Vec<(&'a str, &'a Query)>) {
    match query {
        Query::Named(inner) => {
            named.push((&inner.name, &inner.query));
            collect_named(&inner.query, named);
        }
        Query::Bool(inner) => {
            for clause in inner.must.iter().chain(&inner.filter).chain(&inner.should).chain(&inner.must_not) {
                collect_named(clause, named);
            }
        }
        Query::ConstantScore(inner) => collect_named(&inner.filter, named),
        Query::DisMax(inner) => inner.queries.iter().for_each(|query| collect_named(query, named)),
        Query::FunctionScore(inner) => {
            collect_named(&inner.query, named);
            inner
                .functions
                .iter()
                .filter_map(|function| function.filter.as_ref())
                .for_each(|it| collect_named(it, named));
        }
        Query::Pinned(inner) => collect_named(&inner.organic, named),
        Query::Boosting(inner) => {
            collect_named(&inner.positive, named);
            collect_named(&inner.negative, named);
        }
        _ => {}
    }
}
