//! Sloppy phrases, with the same matches and weights as Lucene's `SloppyPhraseMatcher`.
//!
//! Each slot's positions are shifted by its offset, so that an exact match has all slots at the same place. The slot that
//! is behind advances; whenever it passes the next one, the span between it and the furthest slot was minimal. A span of
//! at most `slop` is a match of weight `1 / (1 + span)`. Slots that share a term must not use the same position: of two
//! that collide, the lesser advances.

use crate::topk::PhraseSlot;
use crate::topk::phrase::Slot;
use hashbrown::HashMap;
use quarry_base::error::Result;
use quarry_base::interrupt;
use std::collections::BTreeMap;

const NO_GROUP: usize = usize::MAX;
/// Heads that are looked at before anyone asks whether the search should end.
const LOOKED_AT_MAX: usize = 1 << 18;

/// One slot's place in the current document.
#[derive(Debug, Default, Clone)]
struct Head {
    offset: i64,
    positions: Vec<u32>,
    next: usize,
    /// Position less offset.
    place: i64,
    /// Slots that share terms are in one group; the rank is by offset.
    group: usize,
    rank: usize,
}

impl Head {
    fn advance(&mut self) -> bool {
        self.advance_by(1)
    }

    /// `count`: at least one.
    fn advance_by(&mut self, count: usize) -> bool {
        self.next += count - 1;
        let Some(&position) = self.positions.get(self.next) else { return false };
        self.next += 1;
        self.place = i64::from(position) - self.offset;
        true
    }

    fn position(&self) -> i64 {
        self.place + self.offset
    }
}

#[derive(Debug)]
pub(crate) struct SloppyMatcher {
    slop: i64,
    heads: Vec<Head>,
    /// Slots of each group of repetitions, by offset.
    groups: Vec<Vec<usize>>,
    /// Whether a slot of a group has alternatives: then repeated slots may differ in their positions.
    alternatives: bool,
    /// Slots waiting, in no order.
    queue: Vec<usize>,
    end: i64,
    /// Heads, since the search was last asked about.
    looked_at: usize,
}

impl SloppyMatcher {
    /// `first` is the lowest position of a slot.
    pub(crate) fn new(slots: &[PhraseSlot], first: u32, slop: u32) -> Self {
        let head =
            |slot: &PhraseSlot| Head { offset: i64::from(slot.position - first), group: NO_GROUP, ..Head::default() };
        let mut heads: Vec<Head> = slots.iter().map(head).collect();
        let positions: Vec<u32> = slots.iter().map(|slot| slot.position).collect();
        let uses = slots.iter().enumerate();
        let uses = uses.flat_map(|(slot, of)| of.terms.iter().map(move |term| (slot, term.ordinal)));
        let groups = repetition_groups(&positions, uses);
        let mut alternatives = false;
        for (number, group) in groups.iter().enumerate() {
            for (rank, &slot) in group.iter().enumerate() {
                (heads[slot].group, heads[slot].rank) = (number, rank);
                alternatives |= slots[slot].terms.len() > 1;
            }
        }
        SloppyMatcher { slop: i64::from(slop), heads, groups, alternatives, queue: Vec::new(), end: 0, looked_at: 0 }
    }

    /// The sum of the matches' weights in a document that has all the terms; with `any` the first one's.
    pub(crate) fn freq(&mut self, slots: &mut [Slot<'_>], window: u32, doc: u16, any: bool) -> Result<f32> {
        for (head, slot) in self.heads.iter_mut().zip(slots) {
            slot.locate(window, doc)?;
            slot.read(&mut head.positions)?;
        }
        self.sum_of_weights(any)
    }

    fn sum_of_weights(&mut self, any: bool) -> Result<f32> {
        let mut sum = 0.0;
        let mut more = self.start()?;
        while more {
            let (span, continues) = self.next_span()?;
            if span <= self.slop {
                sum += 1.0 / (1.0 + span as f32);
                if any {
                    break;
                }
            }
            more = continues;
        }
        Ok(sum)
    }

    /// Puts every slot at its first position, apart from those it repeats.
    fn start(&mut self) -> Result<bool> {
        for head in &mut self.heads {
            head.next = 0;
            if !head.advance() {
                return Ok(false);
            }
        }
        if !self.part_repetitions()? {
            return Ok(false);
        }
        self.end = self.heads.iter().map(|head| head.place).max().unwrap_or(0);
        self.queue.clear();
        self.queue.extend(0..self.heads.len());
        Ok(true)
    }

    fn part_repetitions(&mut self) -> Result<bool> {
        for number in 0..self.groups.len() {
            for rank in 1..self.groups[number].len() {
                let slot = self.groups[number][rank];
                if self.alternatives {
                    continue;
                }
                // The same positions in each slot: the slot with this rank starts that many further.
                if !self.heads[slot].advance_by(rank) {
                    return Ok(false);
                }
            }
        }
        if self.alternatives { self.part_alternatives() } else { Ok(true) }
    }

    /// Some repetitions may not collide: only those that do move apart.
    fn part_alternatives(&mut self) -> Result<bool> {
        for number in 0..self.groups.len() {
            let mut rank = 0;
            while rank < self.groups[number].len() {
                let slot = self.groups[number][rank];
                let mut again = false;
                while let Some(other) = self.colliding(slot) {
                    let lesser = self.lesser(slot, other);
                    if !self.advance(lesser)? {
                        return Ok(false);
                    }
                    if self.heads[lesser].rank < rank {
                        again = true;
                        break;
                    }
                }
                rank += usize::from(!again);
            }
        }
        Ok(true)
    }

    /// The next minimal span that is at most `slop`, or whatever span there was when a slot ran out; and whether the
    /// search can go on.
    fn next_span(&mut self) -> Result<(i64, bool)> {
        let mut slot = self.pop();
        let mut span = self.end - self.heads[slot].place;
        let mut next = self.lowest_place();
        while self.advance(slot)? {
            if self.heads[slot].group != NO_GROUP && !self.part_from_repetitions(slot)? {
                break;
            }
            if self.heads[slot].place > next {
                self.queue.push(slot);
                if span <= self.slop {
                    return Ok((span, true));
                }
                slot = self.pop();
                next = self.lowest_place();
                span = self.end - self.heads[slot].place;
            } else {
                span = span.min(self.end - self.heads[slot].place);
            }
        }
        Ok((span, false))
    }

    fn advance(&mut self, slot: usize) -> Result<bool> {
        // Whoever moves one looks at all of them before.
        self.looked_at += self.heads.len();
        if self.looked_at > LOOKED_AT_MAX {
            self.looked_at = 0;
            interrupt::check()?;
        }
        let moved = self.heads[slot].advance();
        if moved {
            self.end = self.end.max(self.heads[slot].place);
        }
        Ok(moved)
    }

    fn key(&self, slot: usize) -> (i64, i64, usize) {
        let head = &self.heads[slot];
        (head.place, head.offset, slot)
    }

    /// Takes the slot that is behind from the queue.
    fn pop(&mut self) -> usize {
        let lowest = (0..self.queue.len()).min_by_key(|place| self.key(self.queue[*place])).unwrap_or(0);
        self.queue.swap_remove(lowest)
    }

    fn lowest_place(&self) -> i64 {
        self.queue.iter().map(|slot| self.heads[*slot].place).min().unwrap_or(i64::MAX)
    }

    /// A slot of the same group at the same position.
    fn colliding(&self, slot: usize) -> Option<usize> {
        let head = &self.heads[slot];
        let same = |other: &&usize| **other != slot && self.heads[**other].position() == head.position();
        self.groups[head.group].iter().find(same).copied()
    }

    fn lesser(&self, slot: usize, other: usize) -> usize {
        let (a, b) = (&self.heads[slot], &self.heads[other]);
        if (a.place, a.offset) < (b.place, b.offset) { slot } else { other }
    }

    /// Moves colliding slots on until no two of the group share a position. The queue has no order to keep.
    fn part_from_repetitions(&mut self, slot: usize) -> Result<bool> {
        let mut current = slot;
        while let Some(other) = self.colliding(current) {
            current = self.lesser(current, other);
            if !self.advance(current)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Slots that share a term, directly or through others, by slot and position; groups of one are left out. `uses`: slots and the ordinals of
/// their terms. Alternatives in one place repeat nothing.
fn repetition_groups(positions: &[u32], uses: impl Iterator<Item = (usize, u32)>) -> Vec<Vec<usize>> {
    let mut of_term: HashMap<u32, Vec<usize>> = HashMap::new();
    uses.for_each(|(slot, term)| of_term.entry(term).or_default().push(slot));
    let mut joined = Joined((0..positions.len()).collect());
    for sharing in of_term.values() {
        let Some((&first, others)) = sharing.split_first() else { continue };
        if others.iter().any(|&other| positions[other] != positions[first]) {
            others.iter().for_each(|&other| joined.join(first, other));
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for slot in 0..positions.len() {
        groups.entry(joined.first_of(slot)).or_default().push(slot);
    }
    let mut groups: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.iter_mut().for_each(|group| group.sort_by_key(|slot| positions[*slot]));
    groups
}

/// Which of a row of things are in one set: each names another of its set, the first one itself.
struct Joined(Vec<usize>);

impl Joined {
    fn first_of(&mut self, mut place: usize) -> usize {
        while self.0[place] != place {
            // Ways get shorter each time they are gone.
            self.0[place] = self.0[self.0[place]];
            place = self.0[place];
        }
        place
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first_of(one), self.first_of(other));
        self.0[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;

    /// Every two slots looked at.
    fn groups_of_pairs(slots: &[(u32, Vec<u32>)]) -> Vec<Vec<usize>> {
        let mut group_of: Vec<usize> = (0..slots.len()).collect();
        for a in 0..slots.len() {
            for b in a + 1..slots.len() {
                if slots[a].0 != slots[b].0 && slots[a].1.iter().any(|term| slots[b].1.contains(term)) {
                    let (from, to) = (group_of[b], group_of[a]);
                    group_of.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
                }
            }
        }
        let members = |group: usize| {
            let mut members: Vec<usize> = (0..slots.len()).filter(|slot| group_of[*slot] == group).collect();
            members.sort_by_key(|slot| slots[*slot].0);
            members
        };
        (0..slots.len()).map(members).filter(|group| group.len() > 1).collect()
    }

    #[test]
    fn groups_are_those_that_pairs_make() {
        for seed in 0..500 {
            let mut dice = Dice::new(seed);
            let (count, terms) = (1 + dice.below(12), 1 + dice.below(14));
            let slots: Vec<(u32, Vec<u32>)> = (0..count)
                .map(|_| {
                    let alternatives = (0..=dice.below(3)).map(|_| dice.below(terms) as u32).collect();
                    (dice.below(count) as u32, alternatives)
                })
                .collect();
            let positions: Vec<u32> = slots.iter().map(|(position, _)| *position).collect();
            let uses =
                slots.iter().enumerate().flat_map(|(slot, (_, terms))| terms.iter().map(move |&term| (slot, term)));
            let mut expected = groups_of_pairs(&slots);
            expected.sort_by_key(|group| group.iter().copied().min());
            assert_eq!(repetition_groups(&positions, uses), expected, "seed {seed}: {slots:?}");
        }
    }

    #[test]
    fn a_chain_of_shared_terms_is_one_group_however_long_it_is() {
        let count = 50_000;
        let positions: Vec<u32> = (0..count).collect();
        let uses = (0..count).flat_map(|slot| [(slot as usize, slot), (slot as usize, slot + 1)]);
        let groups = repetition_groups(&positions, uses);
        assert_eq!(groups, [(0..count as usize).collect::<Vec<_>>()]);
    }
}
