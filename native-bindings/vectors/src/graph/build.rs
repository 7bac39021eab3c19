//! Vectors to a graph, one after another, or into the graph of some of them.

use super::Parameters;
use super::layout::{Draft, Graph, LEVELS_MAX};
use super::select::diverse;
use super::walk::{Looks, Seen, descend, walk_level};
use crate::Interrupt;
use crate::nearest::{Best, Keep, Near};
use crate::space::Space;
use quarry_base::error::Result;

/// A graph of some of the vectors, whose links need not be looked for again.
pub struct Base<'a> {
    pub graph: Graph<'a>,
    /// The new number of each of its vectors.
    pub ordinals: &'a [u32],
}

/// The words of a graph over all vectors, of which there is one at least. The same for the same arguments.
///
/// Errors are those of the interrupt, which is asked for each vector.
pub fn build(
    space: &dyn Space,
    parameters: Parameters,
    base: Option<Base<'_>>,
    interrupt: Interrupt<'_>,
) -> Result<Vec<u32>> {
    let count = space.count();
    // A graph of other parameters, or of other vectors, is of no use here.
    let base = base.filter(|base| {
        base.graph.layout.m == parameters.m
            && base.graph.layout.count as usize == base.ordinals.len()
            && base.ordinals.iter().all(|&ordinal| ordinal < count)
    });
    let mut levels: Vec<u8> = (0..count).map(|ordinal| level_of(ordinal, parameters.m)).collect();
    if let Some(base) = &base {
        keep_levels(base, &mut levels);
    }
    let mut builder = Builder {
        space,
        parameters,
        draft: Draft::new(parameters.m, &levels),
        seen: Seen::new(count),
        chosen: Vec::new(),
        candidates: Vec::new(),
        interrupt,
    };
    let mut is_linked = vec![false; count as usize];
    // The highest level that a linked node has; `None` before the first.
    let mut top: Option<u8> = None;
    if let Some(base) = &base {
        builder.take_over(base);
        base.ordinals.iter().for_each(|&ordinal| is_linked[ordinal as usize] = true);
        top = Some(base.graph.layout.top() as u8);
    }
    for ordinal in (0..count).filter(|&ordinal| !is_linked[ordinal as usize]) {
        interrupt()?;
        let level = levels[ordinal as usize];
        if let Some(top) = top {
            builder.insert(ordinal, usize::from(level), usize::from(top))?;
        }
        if top.is_none_or(|top| level > top) {
            builder.draft.enter_at(ordinal);
            top = Some(level);
        }
    }
    Ok(builder.draft.words)
}

/// The highest level of a vector, drawn from its number: each has `m` times fewer than the one below.
fn level_of(ordinal: u32, m: u32) -> u8 {
    // SplitMix64 over the number.
    let mut mixed = (u64::from(ordinal) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    let drawn = ((mixed >> 11) + 1) as f64 / (1u64 << 53) as f64;
    let level = -drawn.ln() / f64::from(m.max(2)).ln();
    (level as usize).min(LEVELS_MAX - 1) as u8
}

fn keep_levels(base: &Base<'_>, levels: &mut [u8]) {
    for &ordinal in base.ordinals {
        levels[ordinal as usize] = 0;
    }
    for level in 1..=base.graph.layout.top() {
        let nodes = base.graph.nodes(level).iter();
        for &ordinal in nodes.filter_map(|&node| base.ordinals.get(node as usize)) {
            levels[ordinal as usize] = level as u8;
        }
    }
}

struct Builder<'a> {
    space: &'a dyn Space,
    parameters: Parameters,
    draft: Draft,
    seen: Seen,
    /// Scratch: neighbours of the vector at hand.
    chosen: Vec<Near>,
    candidates: Vec<Near>,
    interrupt: Interrupt<'a>,
}

impl Builder<'_> {
    /// The links of a graph, under the new numbers.
    fn take_over(&mut self, base: &Base<'_>) {
        let new_of = |&old: &u32| base.ordinals.get(old as usize).copied();
        for level in 0..=base.graph.layout.top() {
            let mut node = |old: u32| {
                let Some(new) = new_of(&old) else { return };
                let neighbours: Vec<u32> = base.graph.neighbours(level, old).iter().filter_map(new_of).collect();
                self.draft.link(level, new, neighbours.into_iter());
            };
            if level == 0 {
                (0..base.graph.layout.count).for_each(&mut node);
            } else {
                base.graph.nodes(level).iter().for_each(|&old| node(old));
            }
        }
        if let Some(entry) = new_of(&base.graph.layout.entry) {
            self.draft.enter_at(entry);
        }
    }

    /// `top`: the highest level of what is linked already.
    fn insert(&mut self, ordinal: u32, level: usize, top: usize) -> Result<()> {
        let space = self.space;
        let closeness = |other: u32| space.closeness(ordinal, other);
        let entry = self.draft.layout.entry;
        let entry = Near { closeness: closeness(entry), ordinal: entry };
        let lowest = descend(self.draft.graph(), entry, level + 1, closeness, &mut Looks::unlimited());
        let mut starts = vec![lowest.unwrap_or(entry)];
        for level in (0..=level.min(top)).rev() {
            self.seen.clear();
            let mut best = Best::new(self.parameters.ef_construction.max(1) as usize);
            let (graph, looks) = (self.draft.graph(), &mut Looks::unlimited());
            let everything = |_| true;
            walk_level(graph, level, &starts, closeness, everything, &mut self.seen, looks, &mut best, self.interrupt)?;
            starts = best.into_sorted();
            self.link(level, ordinal, &starts);
        }
        Ok(())
    }

    /// Makes the best of `found` the neighbours of a new node, and it theirs.
    fn link(&mut self, level: usize, node: u32, found: &[Near]) {
        let mut chosen = std::mem::take(&mut self.chosen);
        diverse(self.space, found, self.parameters.m as usize, &mut chosen);
        self.draft.link(level, node, chosen.iter().map(|near| near.ordinal));
        let neighbours: Vec<Near> = chosen.clone();
        for Near { ordinal, closeness } in neighbours {
            if !self.draft.add_link(level, ordinal, node) {
                self.make_room(level, ordinal, Near { closeness, ordinal: node }, &mut chosen);
            }
        }
        self.chosen = chosen;
    }

    /// Chooses anew among the neighbours of a node that has no room for one more.
    fn make_room(&mut self, level: usize, node: u32, more: Near, chosen: &mut Vec<Near>) {
        self.candidates.clear();
        for &ordinal in self.draft.graph().neighbours(level, node) {
            let closeness = self.space.closeness(node, ordinal);
            self.candidates.push(Near { closeness, ordinal });
        }
        self.candidates.push(more);
        self.candidates.sort_unstable_by(|left, right| right.cmp(left));
        diverse(self.space, &self.candidates, self.draft.layout.width(level), chosen);
        self.draft.link(level, node, chosen.iter().map(|near| near.ordinal));
    }
}
