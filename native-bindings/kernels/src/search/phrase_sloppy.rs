//! Sloppy phrases, with the same matches and weights as Lucene's `SloppyPhraseMatcher`.
//!
//! Each slot's positions are shifted by its offset, so that an exact match has all slots at the same place. The slot that
//! is behind advances; whenever it passes the next one, the span between it and the furthest slot was minimal. A span of
//! at most `slop` is a match of weight `1 / (1 + span)`. Slots that share a term must not use the same position: of two
//! that collide, the lesser advances.

use super::phrase::Slot;
use super::topk::PhraseSlot;
use crate::error::Result;

const NO_GROUP: usize = usize::MAX;

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
pub(super) struct SloppyMatcher {
    slop: i64,
    heads: Vec<Head>,
    /// Slots of each group of repetitions, by offset.
    groups: Vec<Vec<usize>>,
    /// Whether a slot of a group has alternatives: then repeated slots may differ in their positions.
    alternatives: bool,
    /// Slots waiting, in no order.
    queue: Vec<usize>,
    end: i64,
}

impl SloppyMatcher {
    /// `first` is the lowest position of a slot.
    pub(super) fn new(slots: &[PhraseSlot], first: u32, slop: u32) -> Self {
        let head =
            |slot: &PhraseSlot| Head { offset: i64::from(slot.position - first), group: NO_GROUP, ..Head::default() };
        let mut heads: Vec<Head> = slots.iter().map(head).collect();
        let groups = repetition_groups(slots);
        let mut alternatives = false;
        for (number, group) in groups.iter().enumerate() {
            for (rank, &slot) in group.iter().enumerate() {
                (heads[slot].group, heads[slot].rank) = (number, rank);
                alternatives |= slots[slot].terms.len() > 1;
            }
        }
        SloppyMatcher { slop: i64::from(slop), heads, groups, alternatives, queue: Vec::new(), end: 0 }
    }

    /// The sum of the matches' weights in a document that has all the terms; with `any` the first one's.
    pub(super) fn freq(&mut self, slots: &mut [Slot<'_>], window: u32, doc: u16, any: bool) -> Result<f32> {
        for (head, slot) in self.heads.iter_mut().zip(slots) {
            slot.locate(window, doc)?;
            slot.read(&mut head.positions)?;
        }
        Ok(self.sum_of_weights(any))
    }

    fn sum_of_weights(&mut self, any: bool) -> f32 {
        let mut sum = 0.0;
        let mut more = self.start();
        while more {
            let (span, continues) = self.next_span();
            if span <= self.slop {
                sum += 1.0 / (1.0 + span as f32);
                if any {
                    break;
                }
            }
            more = continues;
        }
        sum
    }

    /// Puts every slot at its first position, apart from those it repeats.
    fn start(&mut self) -> bool {
        for head in &mut self.heads {
            head.next = 0;
            if !head.advance() {
                return false;
            }
        }
        if !self.part_repetitions() {
            return false;
        }
        self.end = self.heads.iter().map(|head| head.place).max().unwrap_or(0);
        self.queue.clear();
        self.queue.extend(0..self.heads.len());
        true
    }

    fn part_repetitions(&mut self) -> bool {
        for number in 0..self.groups.len() {
            for rank in 1..self.groups[number].len() {
                let slot = self.groups[number][rank];
                if self.alternatives {
                    continue;
                }
                // The same positions in each slot: the slot with this rank starts that many further.
                for _ in 0..rank {
                    if !self.heads[slot].advance() {
                        return false;
                    }
                }
            }
        }
        !self.alternatives || self.part_alternatives()
    }

    /// Some repetitions may not collide: only those that do move apart.
    fn part_alternatives(&mut self) -> bool {
        for number in 0..self.groups.len() {
            let mut rank = 0;
            while rank < self.groups[number].len() {
                let slot = self.groups[number][rank];
                let mut again = false;
                while let Some(other) = self.colliding(slot) {
                    let lesser = self.lesser(slot, other);
                    if !self.advance(lesser) {
                        return false;
                    }
                    if self.heads[lesser].rank < rank {
                        again = true;
                        break;
                    }
                }
                rank += usize::from(!again);
            }
        }
        true
    }

    /// The next minimal span that is at most `slop`, or whatever span there was when a slot ran out; and whether the
    /// search can go on.
    fn next_span(&mut self) -> (i64, bool) {
        let mut slot = self.pop();
        let mut span = self.end - self.heads[slot].place;
        let mut next = self.lowest_place();
        while self.advance(slot) {
            if self.heads[slot].group != NO_GROUP && !self.part_from_repetitions(slot) {
                break;
            }
            if self.heads[slot].place > next {
                self.queue.push(slot);
                if span <= self.slop {
                    return (span, true);
                }
                slot = self.pop();
                next = self.lowest_place();
                span = self.end - self.heads[slot].place;
            } else {
                span = span.min(self.end - self.heads[slot].place);
            }
        }
        (span, false)
    }

    fn advance(&mut self, slot: usize) -> bool {
        let moved = self.heads[slot].advance();
        if moved {
            self.end = self.end.max(self.heads[slot].place);
        }
        moved
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
    fn part_from_repetitions(&mut self, slot: usize) -> bool {
        let mut current = slot;
        while let Some(other) = self.colliding(current) {
            current = self.lesser(current, other);
            if !self.advance(current) {
                return false;
            }
        }
        true
    }
}

/// Slots that share a term, directly or through others; groups of one are left out.
fn repetition_groups(slots: &[PhraseSlot]) -> Vec<Vec<usize>> {
    let shares = |a: &PhraseSlot, b: &PhraseSlot| {
        a.terms.iter().any(|term| b.terms.iter().any(|other| other.ordinal == term.ordinal))
    };
    let mut group_of: Vec<usize> = (0..slots.len()).collect();
    for a in 0..slots.len() {
        for b in a + 1..slots.len() {
            if slots[a].position != slots[b].position && shares(&slots[a], &slots[b]) {
                let (from, to) = (group_of[b], group_of[a]);
                group_of.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
            }
        }
    }
    let members = |group: usize| {
        let mut members: Vec<usize> = (0..slots.len()).filter(|slot| group_of[*slot] == group).collect();
        members.sort_by_key(|slot| slots[*slot].position);
        members
    };
    (0..slots.len()).map(members).filter(|group| group.len() > 1).collect()
}
