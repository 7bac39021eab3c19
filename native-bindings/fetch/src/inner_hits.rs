//! `inner_hits`: the nested documents of a hit that a `nested` query matched, and lists of other kinds beside them.

use super::Fetcher;
use super::join_hits::{JoinFetch, JoinHits, Side};
use super::named::{NamedQueries, NamedRequest};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::json::write::plain_float;
use quarry_json::write::write_string;
use quarry_plan::nested::{InnerHits, NestedQuery};
use quarry_plan::query::Query;
use quarry_plan::request::{SortKey, SortOrder};
use quarry_plan::vectors::ShownVectors;
use quarry_query::children;
use quarry_query::resolve::shown_path;
use quarry_query::sort::best::{Best, Ranks, SegmentKeys};
use quarry_query::sort::hit::Hit;
use quarry_query::sort::key::ResolvedKey;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::{QueryEnv, Weight, compile_shown};
use quarry_segment::nested::place_of;

/// One list of inner hits.
pub(super) struct InnerFetch<'a> {
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    name: &'a str,
    /// Of the nested documents.
    path: &'a str,
    plan: &'a InnerHits,
    /// Of the nested documents.
    weight: Box<dyn Weight>,
    keys: Vec<ResolvedKey>,
    named: NamedRequest<'a>,
    total_as_int: bool,
    fetcher: Fetcher<'a>,
}

/// What inner hits have from the request.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub named: NamedRequest<'a>,
    pub total_as_int: bool,
    /// Path of the hits that show them; empty for the roots.
    pub scope: &'a str,
}

/// A list that hits show.
pub(super) enum InnerList<'a> {
    Nested(Box<InnerFetch<'a>>),
    Join(Box<JoinFetch<'a>>),
}

impl InnerList<'_> {
    fn name(&self) -> &str {
        match self {
            InnerList::Nested(list) => list.name,
            InnerList::Join(list) => list.name(),
        }
    }
}

/// A query with inner hits.
enum Wanted<'a> {
    Nested(&'a NestedQuery, &'a InnerHits),
    Near(&'a ShownVectors),
    Join(JoinHits<'a>, bool),
}

/// The lists that hits of a query show.
pub(super) fn resolve<'a>(
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    queries: impl IntoIterator<Item = &'a Query>,
    around: Surroundings<'a>,
) -> Result<Vec<InnerList<'a>>> {
    let mut wanted = Vec::new();
    queries.into_iter().for_each(|query| collect(query, &mut wanted));
    let mut lists: Vec<InnerList<'a>> = Vec::with_capacity(wanted.len());
    for one in wanted {
        let list = match one {
            Wanted::Nested(query, plan) => of_nested(view, env, query, plan, around)?,
            Wanted::Near(shown) => of_vectors(view, env, shown, around)?,
            Wanted::Join(hits, ignore_unmapped) => of_join(view, env, hits, ignore_unmapped, around)?,
        };
        let Some(list) = list else { continue };
        if lists.iter().any(|known| known.name() == list.name()) {
            let reason = format!("[inner_hits] already contains an entry for key [{}]", list.name());
            return Err(Error::illegal_argument(reason));
        }
        lists.push(list);
    }
    Ok(lists)
}

fn of_nested<'a>(
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    query: &'a NestedQuery,
    plan: &'a InnerHits,
    around: Surroundings<'a>,
) -> Result<Option<InnerList<'a>>> {
    if !view.mapping.is_nested(&query.path) {
        if plan.ignore_unmapped || query.ignore_unmapped {
            return Ok(None);
        }
        let reason = format!("[nested] no mapping found for type [{}]", query.path);
        return Err(Error::new(ErrorCode::IllegalState, reason));
    }
    Ok(Some(InnerList::Nested(Box::new(InnerFetch::new(view, env, &query.path, &query.query, plan, around)?))))
}

/// The nested documents that have the vectors of a field.
fn of_vectors<'a>(
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    shown: &'a ShownVectors,
    around: Surroundings<'a>,
) -> Result<Option<InnerList<'a>>> {
    let Some(path) = shown_path(&view.mapping, shown)? else { return Ok(None) };
    let (query, plan) = (&shown.query, &shown.inner_hits);
    Ok(Some(InnerList::Nested(Box::new(InnerFetch::new(view, env, path, query, plan, around)?))))
}

fn of_join<'a>(
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    hits: JoinHits<'a>,
    ignore_unmapped: bool,
    around: Surroundings<'a>,
) -> Result<Option<InnerList<'a>>> {
    let join = view.mapping.join();
    let related = join.and_then(|join| Some((join, hits.side.relation(join)?)));
    let Some((join, relation)) = related else {
        if hits.plan.ignore_unmapped || ignore_unmapped {
            return Ok(None);
        }
        return Err(Error::new(ErrorCode::IllegalState, "no join field has been configured"));
    };
    Ok(Some(InnerList::Join(Box::new(JoinFetch::new(view, env, hits, join, relation, around)))))
}

/// Queries with inner hits, as far as the hits of the query itself show them.
fn collect<'a>(query: &'a Query, wanted: &mut Vec<Wanted<'a>>) {
    let join = |plan: &'a Option<Box<InnerHits>>, query, side, ignore_unmapped| {
        plan.as_deref().map(|plan| Wanted::Join(JoinHits { query, plan, side }, ignore_unmapped))
    };
    match query {
        Query::Nested(nested) => {
            wanted.extend(nested.inner_hits.as_deref().map(|plan| Wanted::Nested(nested, plan)));
        }
        Query::HasChild(of) => {
            wanted.extend(join(&of.inner_hits, &of.query, Side::Children(&of.kind), of.ignore_unmapped));
        }
        Query::HasParent(of) => {
            wanted.extend(join(&of.inner_hits, &of.query, Side::Parent(&of.parent_type), of.ignore_unmapped));
        }
        Query::Found(found) => wanted.extend(found.shown.as_deref().map(Wanted::Near)),
        other => other.parts().into_iter().for_each(|part| collect(part, wanted)),
    }
}

impl<'a> InnerFetch<'a> {
    fn new(
        view: &'a ShardView,
        env: &'a QueryEnv<'a>,
        path: &'a str,
        query: &'a Query,
        plan: &'a InnerHits,
        around: Surroundings<'a>,
    ) -> Result<Self> {
        let name = plan.name.as_deref().unwrap_or(path);
        let by_score = [SortKey::Score { order: SortOrder::Descending }];
        let named_keys = if plan.sort.is_empty() { &by_score[..] } else { &plan.sort };
        let keys = named_keys.iter().map(|key| ResolvedKey::resolve(view, env, key, path));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let weight = compile_shown(view, env, query, path)?;
        let below = Surroundings { scope: path, ..around };
        let no_names = NamedQueries::none(around.named);
        let shown_keys = if plan.sort.is_empty() { &[] } else { keys.as_slice() };
        let fetcher = Fetcher::of_parts(view, env, query, &plan.fetch, shown_keys, no_names)?;
        let fetcher = fetcher.with_inner_hits(resolve(view, env, [query], below)?, below.scope);
        let fetcher = fetcher.with_percolations(env, query)?;
        let Surroundings { named, total_as_int, .. } = around;
        Ok(InnerFetch { view, env, name, path, plan, weight, keys, named, total_as_int, fetcher })
    }

    fn keeps_scores(&self) -> bool {
        self.plan.sort.is_empty() || self.plan.track_scores
    }

    /// Appends the member of `inner_hits` for the hit at `doc`, whose nested documents are `range`.
    pub(super) fn render(
        &mut self,
        segment: &SegmentView,
        range: std::ops::Range<u32>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let matched = match segment.reader.nested_at(self.path)? {
            Some(among) => children::matching(self.weight.as_ref(), segment, among, range)?,
            None => Vec::new(),
        };
        let max_score = matched.iter().map(|(_, score)| *score).fold(f32::NEG_INFINITY, f32::max);
        let hits = self.best(segment, &matched)?;
        let docs = hits.iter().map(|hit| hit.doc);
        self.fetcher.named = NamedQueries::run(self.view, self.env, self.named, docs)?;
        write_string(out, self.name);
        let total = matched.len();
        let total =
            if self.total_as_int { total.to_string() } else { format!("{{\"value\":{total},\"relation\":\"eq\"}}") };
        let max_score =
            if self.keeps_scores() && max_score.is_finite() { plain_float(max_score) } else { "null".into() };
        out.extend_from_slice(
            format!(":{{\"hits\":{{\"total\":{total},\"max_score\":{max_score},\"hits\":[").as_bytes(),
        );
        for (place, hit) in hits.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            self.fetcher.render(hit, out)?;
        }
        out.extend_from_slice(b"]}}");
        Ok(())
    }

    /// The page of the documents that is asked for.
    fn best(&self, segment: &SegmentView, matched: &[(u32, f32)]) -> Result<Vec<Hit>> {
        let (from, size) = (self.plan.from as usize, self.plan.size as usize);
        if size == 0 {
            return Ok(Vec::new());
        }
        let mut keys = SegmentKeys::open(&self.keys, segment)?;
        let mut best = Best::default();
        let mut ranks = Ranks::new();
        for of_window in matched.chunk_by(|(left, _), (right, _)| place_of(*left).0 == place_of(*right).0) {
            let docs: Vec<u16> = of_window.iter().map(|(doc, _)| place_of(*doc).1).collect();
            let scores: Vec<f32> = of_window.iter().map(|(_, score)| *score).collect();
            keys.load(of_window.first().map_or(0, |(doc, _)| place_of(*doc).0), &docs, &scores)?;
            for (&(doc, score), &in_window) in of_window.iter().zip(&docs) {
                keys.ranks(in_window, score, &mut ranks);
                best.insert(from.saturating_add(size), &ranks, doc, score);
            }
        }
        let mut hits = keys.hits(best, self.keeps_scores())?;
        if self.plan.sort.is_empty() {
            hits.iter_mut().for_each(|hit| hit.sort.clear());
        }
        Ok(hits.into_iter().skip(from).collect())
    }
}

/// Appends the member `inner_hits` of a hit that has any.
pub(super) fn render(
    lists: &mut [InnerList<'_>],
    scope: &str,
    segment: &SegmentView,
    doc: u32,
    out: &mut Vec<u8>,
) -> Result<()> {
    if lists.is_empty() {
        return Ok(());
    }
    let range = match segment.reader.nested_at(scope)? {
        // Hits of an aggregation may be other documents than those that the query is about.
        Some(parents) if !parents.contains(doc) => return Ok(()),
        Some(parents) => parents.block_start(doc)..doc,
        None => doc..doc,
    };
    for (place, list) in lists.iter_mut().enumerate() {
        out.extend_from_slice(if place == 0 { b",\"inner_hits\":{" } else { b"," });
        match list {
            InnerList::Nested(list) => list.render(segment, range.clone(), out)?,
            InnerList::Join(list) => {
                list.write_name(out);
                out.push(b':');
                list.render(segment, doc, out)?;
            }
        }
    }
    out.push(b'}');
    Ok(())
}
