//! The values of nested documents that a document sorts by.

use crate::children::all_matching;
use crate::resolve::check_nested;
use crate::scorers::bits;
use crate::view::{SegmentView, ShardView};
use crate::weight::{QueryEnv, Weight, compile_within};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::window::WindowBits;
use quarry_plan::nested::NestedSort;
use quarry_plan::query::Query;
use quarry_segment::nested::DocBits;
use std::fmt;
use std::rc::Rc;

/// `nested` of a sort key, resolved.
#[derive(Clone)]
pub struct NestedKey {
    /// From the outermost level inwards.
    levels: Rc<[Level]>,
    max_children: u32,
    /// Path of the documents that are sorted.
    scope: Box<str>,
}

struct Level {
    path: String,
    filter: Box<dyn Weight>,
}

impl fmt::Debug for NestedKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.levels.iter().map(|level| &level.path)).finish()
    }
}

impl NestedKey {
    pub(super) fn resolve(view: &ShardView, env: &QueryEnv, sort: &NestedSort, scope: &str) -> Result<Self> {
        let mut levels = Vec::new();
        let mut max_children = None;
        let mut level = Some(sort);
        while let Some(NestedSort { path, filter, max_children: most, nested }) = level {
            check_nested(&view.mapping, path).map_err(|error| Error::new(ErrorCode::QueryShard, error.reason))?;
            let filter = match filter {
                Some(filter) => compile_within(view, env, filter, false, path)?,
                None => compile_within(view, env, &Query::match_all(), false, path)?,
            };
            levels.push(Level { path: path.clone(), filter });
            max_children = most.or(max_children);
            level = nested.as_deref();
        }
        Ok(NestedKey { levels: levels.into(), max_children: max_children.unwrap_or(u32::MAX), scope: scope.into() })
    }

    pub(super) fn open<'a>(&self, segment: &'a SegmentView) -> Result<Children<'a>> {
        let reader = &segment.reader;
        let nothing = |parents| Children { parents, wanted: Vec::new(), max_children: 0 };
        let Some(parents) = reader.nested_at(&self.scope)? else { return Ok(nothing(None)) };
        let mut wanted: Option<(Vec<WindowBits>, DocBits<'a>)> = None;
        for Level { path, filter } in self.levels.iter() {
            let Some(among) = reader.nested_at(path)? else { return Ok(nothing(Some(parents))) };
            let mut matched = all_matching(filter.as_ref(), segment, among)?;
            if let Some((outer, outer_level)) = &wanted {
                retain_within(&mut matched, outer, *outer_level);
            }
            wanted = Some((matched, among));
        }
        let wanted = wanted.map(|(wanted, _)| wanted).unwrap_or_default();
        Ok(Children { parents: Some(parents), wanted, max_children: self.max_children })
    }
}

/// Takes out the documents that are not within one of `outer`, which are some of `level`.
fn retain_within(matched: &mut [WindowBits], outer: &[WindowBits], level: DocBits<'_>) {
    let outer = DocBits::of(outer);
    let mut docs = Vec::new();
    for (window, matched) in matched.iter_mut().enumerate() {
        bits::list(matched, &mut docs);
        for &doc in &docs {
            let around = level.next((window * quarry_codec::window::WINDOW) as u32 + u32::from(doc));
            if around.is_none_or(|around| !outer.contains(around)) {
                matched[usize::from(doc) / 64] &= !(1 << (doc % 64));
            }
        }
    }
}

/// The nested documents of one segment that count.
pub(super) struct Children<'a> {
    /// `None`: the segment has no nested documents.
    parents: Option<DocBits<'a>>,
    wanted: Vec<WindowBits>,
    max_children: u32,
}

impl Children<'_> {
    /// Calls `take` with the nested documents of a document until it has said `true` (there was a value) often enough.
    pub(super) fn each(&self, root: u32, mut take: impl FnMut(u32) -> bool) {
        let Some(parents) = self.parents else { return };
        let wanted = DocBits::of(&self.wanted);
        let mut taken = 0;
        let mut next = wanted.next_before(parents.block_start(root), root);
        while let Some(child) = next.filter(|_| taken < self.max_children) {
            taken += u32::from(take(child));
            next = wanted.next_before(child + 1, root);
        }
    }
}
