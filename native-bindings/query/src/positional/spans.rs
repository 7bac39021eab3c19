//! Spans of a document, with the same places, widths and order as Lucene's span queries.

use super::leaves::{Leaves, Positions};
use crate::scorers::bits;
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;

/// From the position `start` to before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub start: i64,
    pub end: i64,
    /// What the sloppy frequency is computed from: 0 for a term.
    pub width: i64,
}

#[derive(Debug, Clone)]
pub enum SpanTree {
    Nothing,
    Leaf(usize),
    Or(Vec<SpanTree>),
    Near {
        clauses: Vec<SpanTree>,
        gaps: Vec<i64>,
        slop: i64,
        in_order: bool,
    },
    Not {
        include: Box<SpanTree>,
        exclude: Box<SpanTree>,
        before: i64,
        after: i64,
    },
    /// Spans that begin in `start..` and end at `end` at the latest.
    Within {
        inner: Box<SpanTree>,
        end: i64,
    },
    Containing {
        big: Box<SpanTree>,
        little: Box<SpanTree>,
    },
    ContainedBy {
        little: Box<SpanTree>,
        big: Box<SpanTree>,
    },
}

impl SpanTree {
    /// The leaves whose terms make the weight, without those that are excluded.
    pub fn scored_leaves(&self, out: &mut Vec<usize>) {
        match self {
            SpanTree::Nothing => {}
            SpanTree::Leaf(leaf) => out.push(*leaf),
            SpanTree::Or(clauses) | SpanTree::Near { clauses, .. } => {
                clauses.iter().for_each(|clause| clause.scored_leaves(out));
            }
            SpanTree::Not { include: inner, .. } | SpanTree::Within { inner, .. } => inner.scored_leaves(out),
            SpanTree::Containing { big, little } | SpanTree::ContainedBy { little, big } => {
                big.scored_leaves(out);
                little.scored_leaves(out);
            }
        }
    }

    /// Documents of the loaded window that may have a span.
    pub fn candidates(&self, leaves: &Leaves<'_>) -> WindowBits {
        match self {
            SpanTree::Nothing => bits::EMPTY,
            SpanTree::Leaf(leaf) => *leaves.docs(*leaf),
            SpanTree::Or(clauses) => {
                let mut any = bits::EMPTY;
                clauses.iter().for_each(|clause| bits::or(&mut any, &clause.candidates(leaves)));
                any
            }
            SpanTree::Near { clauses, .. } => all_of(clauses.iter(), leaves),
            SpanTree::Not { include: inner, .. } | SpanTree::Within { inner, .. } => inner.candidates(leaves),
            SpanTree::Containing { big, little } | SpanTree::ContainedBy { little, big } => {
                all_of([big.as_ref(), little.as_ref()].into_iter(), leaves)
            }
        }
    }

    /// The spans of a document, by their start, then by their end.
    pub fn spans(&self, at: &mut dyn Positions) -> Result<Vec<Span>> {
        Ok(match self {
            SpanTree::Nothing => Vec::new(),
            SpanTree::Leaf(leaf) => {
                let mut positions = Vec::new();
                at.positions(*leaf, &mut positions)?;
                let span = |position: u32| Span { start: position.into(), end: i64::from(position) + 1, width: 0 };
                positions.into_iter().map(span).collect()
            }
            SpanTree::Or(clauses) => {
                let mut all = all_spans(clauses, at)?.concat();
                all.sort_by_key(|span| (span.start, span.end));
                all
            }
            SpanTree::Near { clauses, gaps, slop, in_order } => {
                let parts = all_spans(clauses, at)?;
                if *in_order { ordered(&parts, gaps, *slop) } else { unordered(&parts, *slop) }
            }
            SpanTree::Not { include, exclude, before, after } => {
                let excluded = exclude.spans(at)?;
                let mut included = include.spans(at)?;
                remove_near(&mut included, &excluded, *before, *after);
                included
            }
            SpanTree::Within { inner, end } => {
                let mut spans = inner.spans(at)?;
                spans.retain(|span| span.end <= *end);
                spans
            }
            SpanTree::Containing { big, little } => {
                let (big, little) = (big.spans(at)?, little.spans(at)?);
                containing(&big, &little)
            }
            SpanTree::ContainedBy { little, big } => {
                let (big, little) = (big.spans(at)?, little.spans(at)?);
                contained_by(&little, &big)
            }
        })
    }

    /// The sum of `1 / (1 + width)` over the spans of a document.
    pub fn freq(&self, at: &mut dyn Positions) -> Result<f32> {
        let spans = self.spans(at)?;
        Ok(spans.iter().fold(0f32, |sum, span| sum + (1.0 / (1.0 + span.width as f64)) as f32))
    }
}

fn all_of<'t>(mut trees: impl Iterator<Item = &'t SpanTree>, leaves: &Leaves<'_>) -> WindowBits {
    let mut all = trees.next().map_or(bits::EMPTY, |tree| tree.candidates(leaves));
    trees.for_each(|tree| bits::and(&mut all, &tree.candidates(leaves)));
    all
}

fn all_spans(trees: &[SpanTree], at: &mut dyn Positions) -> Result<Vec<Vec<Span>>> {
    trees.iter().map(|tree| tree.spans(at)).collect()
}

/// For each span of the first clause the first spans of the others that follow one another. `gaps[i]` positions stand
/// before clause `i` that count as filled.
fn ordered(parts: &[Vec<Span>], gaps: &[i64], slop: i64) -> Vec<Span> {
    let Some((first, others)) = parts.split_first() else { return Vec::new() };
    let mut at = vec![0usize; others.len()];
    let mut found = Vec::new();
    for head in first {
        let (mut end, mut width) = (head.end, 0);
        for ((spans, at), gap) in others.iter().zip(&mut at).zip(gaps.iter().skip(1)) {
            let from = end + gap;
            *at += spans[*at..].iter().take_while(|span| span.start < from).count();
            let Some(next) = spans.get(*at) else { return found };
            width += next.start - from;
            end = next.end;
        }
        if width <= slop {
            found.push(Span { start: head.start, end, width });
        }
    }
    found
}

/// Windows over one span of each clause; the one that starts first moves on. Which of several that start alike does is told by
/// a binary heap, because windows that follow depend on it.
fn unordered(parts: &[Vec<Span>], slop: i64) -> Vec<Span> {
    let mut found = Vec::new();
    if parts.is_empty() || parts.iter().any(Vec::is_empty) {
        return found;
    }
    let mut at = vec![0usize; parts.len()];
    let mut max_end = parts.iter().map(|spans| spans[0].end).max().unwrap_or(0);
    let mut length: i64 = parts.iter().map(|spans| spans[0].end - spans[0].start).sum();
    let mut heap: Vec<usize> = Vec::with_capacity(parts.len());
    for clause in 0..parts.len() {
        heap.push(clause);
        move_up(&mut heap, |clause| parts[clause][0]);
    }
    loop {
        let lead = heap[0];
        let top = parts[lead][at[lead]];
        if max_end - top.start - length <= slop {
            found.push(Span { start: top.start, end: max_end, width: max_end - top.start });
        }
        at[lead] += 1;
        let Some(next) = parts[lead].get(at[lead]) else { return found };
        length += (next.end - next.start) - (top.end - top.start);
        max_end = max_end.max(next.end);
        move_down(&mut heap, |clause| parts[clause][at[clause]]);
    }
}

fn comes_before(left: Span, right: Span) -> bool {
    (left.start, left.end) < (right.start, right.end)
}

/// Puts the last clause of a heap in its place.
fn move_up(heap: &mut [usize], span_of: impl Fn(usize) -> Span) {
    let mut place = heap.len() - 1;
    while place > 0 && comes_before(span_of(heap[place]), span_of(heap[(place - 1) / 2])) {
        heap.swap(place, (place - 1) / 2);
        place = (place - 1) / 2;
    }
}

/// Puts the first clause of a heap in its place.
fn move_down(heap: &mut [usize], span_of: impl Fn(usize) -> Span) {
    let mut place = 0;
    loop {
        let (left, right) = (2 * place + 1, 2 * place + 2);
        let Some(&child) = heap.get(left) else { return };
        let other = heap.get(right).is_some_and(|&other| comes_before(span_of(other), span_of(child)));
        let smaller = if other { right } else { left };
        if !comes_before(span_of(heap[smaller]), span_of(heap[place])) {
            return;
        }
        heap.swap(place, smaller);
        place = smaller;
    }
}

/// Removes spans that an excluded one touches or comes nearer to than allowed.
fn remove_near(included: &mut Vec<Span>, excluded: &[Span], before: i64, after: i64) {
    let mut at = 0;
    included.retain(|span| {
        at += excluded[at..].iter().take_while(|other| other.end <= span.start - before).count();
        excluded.get(at).is_none_or(|other| other.start - after >= span.end)
    });
}

fn containing(big: &[Span], little: &[Span]) -> Vec<Span> {
    let mut at = 0;
    let mut found = Vec::new();
    for span in big {
        at += little[at..].iter().take_while(|inner| inner.start < span.start).count();
        match little.get(at) {
            Some(inner) if span.end >= inner.end => found.push(*span),
            Some(_) => {}
            None => break,
        }
    }
    found
}

fn contained_by(little: &[Span], big: &[Span]) -> Vec<Span> {
    let mut at = 0;
    let mut found = Vec::new();
    for span in little {
        at += big[at..].iter().take_while(|outer| outer.end < span.end).count();
        match big.get(at) {
            Some(outer) if outer.start <= span.start => found.push(*span),
            Some(_) => {}
            None => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(positions: &[i64]) -> Vec<Span> {
        positions.iter().map(|&start| Span { start, end: start + 1, width: 0 }).collect()
    }

    fn places(spans: &[Span]) -> Vec<(i64, i64)> {
        spans.iter().map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn in_order_takes_the_nearest_follower() {
        let parts = [terms(&[0, 4, 9]), terms(&[1, 3, 7])];
        assert_eq!(places(&ordered(&parts, &[0, 0], 0)), [(0, 2)]);
        assert_eq!(places(&ordered(&parts, &[0, 0], 2)), [(0, 2), (4, 8)]);
        assert_eq!(ordered(&parts, &[0, 0], 2)[1].width, 2);
        // Two positions between count as filled.
        assert_eq!(places(&ordered(&parts, &[0, 2], 0)), [(0, 4), (4, 8)]);
    }

    #[test]
    fn in_any_order() {
        let parts = [terms(&[5]), terms(&[3, 6])];
        assert_eq!(places(&unordered(&parts, 0)), [(5, 7)]);
        assert_eq!(places(&unordered(&parts, 1)), [(3, 6), (5, 7)]);
        assert_eq!(unordered(&parts, 1)[0].width, 3);
    }

    #[test]
    fn of_clauses_that_start_alike_the_one_moves_on_that_came_last() {
        // Both clauses find the word at 5 and at 9, the first finds one at 7 too: it moves on from 5, and again from 9.
        let parts = [terms(&[5, 7, 9]), terms(&[5, 9])];
        assert_eq!(places(&unordered(&parts, 6)), [(5, 6), (5, 8), (7, 10), (9, 10)]);
        let parts = [terms(&[5, 9, 11]), terms(&[4, 9, 12])];
        assert_eq!(places(&unordered(&parts, 0)), [(4, 6), (9, 10), (11, 13)]);
    }

    #[test]
    fn exclusion_with_distances() {
        let mut spans = terms(&[2, 8]);
        remove_near(&mut spans, &terms(&[3]), 0, 0);
        assert_eq!(places(&spans), [(2, 3), (8, 9)]);
        remove_near(&mut spans, &terms(&[3]), 0, 1);
        assert_eq!(places(&spans), [(8, 9)]);
        remove_near(&mut spans, &terms(&[6]), 2, 0);
        assert!(spans.is_empty());
    }

    proptest! {
        /// In order: there is a match of some width exactly when the definition finds one, and starts agree.
        #[test]
        fn ordered_pairs_agree_with_trying_all(
            first in prop::collection::btree_set(0i64..20, 0..6),
            second in prop::collection::btree_set(0i64..20, 0..6),
            slop in 0i64..6,
        ) {
            let parts = [terms(&first.iter().copied().collect::<Vec<_>>()), terms(&second.iter().copied().collect::<Vec<_>>())];
            let found: Vec<i64> = ordered(&parts, &[0, 0], slop).iter().map(|span| span.start).collect();
            let is_near = |start: &&i64| second.iter().any(|&next| next > **start && next - **start - 1 <= slop);
            let expected: Vec<i64> = first.iter().filter(is_near).copied().collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn containment_agrees_with_trying_all(
            starts in prop::collection::btree_set(0i64..20, 0..6), inner in prop::collection::btree_set(0i64..20, 0..6),
        ) {
            let big: Vec<Span> = starts.iter().map(|&start| Span { start, end: start + 3, width: 0 }).collect();
            let little = terms(&inner.iter().copied().collect::<Vec<_>>());
            let holds = |outer: &Span, inner: &Span| outer.start <= inner.start && inner.end <= outer.end;
            let expected: Vec<Span> = big.iter().filter(|outer| little.iter().any(|inner| holds(outer, inner))).copied().collect();
            prop_assert_eq!(containing(&big, &little), expected);
            let expected: Vec<Span> = little.iter().filter(|inner| big.iter().any(|outer| holds(outer, inner))).copied().collect();
            prop_assert_eq!(contained_by(&little, &big), expected);
        }
    }
}
