//! The first tuples of an order, at most as many as a page has, with the number of documents of each.

use super::key_source::{Cell, KeySource};
use crate::budget::Budget;
use crate::plan::CompositeSource;
use hashbrown::HashMap;
use quarry_base::error::Result;
use rapidhash::quality::RandomState;
use std::cmp::Ordering;

pub type Tuple = Box<[Cell]>;

/// Compares tuples as the plan orders their fields.
#[derive(Clone, Copy)]
pub struct TupleOrder<'o, 'a> {
    pub plan: &'o [CompositeSource],
    pub sources: &'o [KeySource<'a>],
}

impl TupleOrder<'_, '_> {
    pub fn compare(self, a: &[Cell], b: &[Cell]) -> Ordering {
        for (((of, source), a), b) in self.plan.iter().zip(self.sources).zip(a).zip(b) {
            let compared = if of.ascending {
                source.compare(*a, *b, of.missing_first)
            } else {
                source.compare(*b, *a, !of.missing_first)
            };
            if compared != Ordering::Equal {
                return compared;
            }
        }
        Ordering::Equal
    }
}

pub struct Page {
    size: usize,
    /// Tuples come strictly after this one.
    after: Option<Tuple>,
    places: HashMap<Tuple, u32, RandomState>,
    slots: Vec<Slot>,
    /// Slot numbers; the last tuple of the page is on top.
    heap: Vec<u32>,
}

struct Slot {
    tuple: Tuple,
    count: u64,
}

impl Page {
    pub fn new(size: u32, after: Option<Tuple>) -> Self {
        Page { size: size as usize, after, places: HashMap::default(), slots: Vec::new(), heap: Vec::new() }
    }

    /// So many documents more have the tuple.
    pub fn count(&mut self, tuple: &[Cell], documents: u64, order: TupleOrder<'_, '_>, budget: &Budget) -> Result<()> {
        // Most documents lie behind a page that is full.
        let last = self.heap.first().filter(|_| self.slots.len() >= self.size);
        if last.is_some_and(|&top| order.compare(tuple, &self.slots[top as usize].tuple) == Ordering::Greater) {
            return Ok(());
        }
        if let Some(&slot) = self.places.get(tuple) {
            self.slots[slot as usize].count += documents;
            return Ok(());
        }
        if self.after.as_deref().is_some_and(|after| order.compare(tuple, after) != Ordering::Greater) {
            return Ok(());
        }
        if self.slots.len() < self.size {
            budget.take()?;
            let slot = self.slots.len() as u32;
            self.places.insert(tuple.into(), slot);
            self.slots.push(Slot { tuple: tuple.into(), count: documents });
            self.heap.push(slot);
            self.sift_up(self.heap.len() - 1, order);
        } else if let Some(&top) = self.heap.first() {
            // A tuple that left the page, or was not let in, stays behind all that the page will ever hold: counts are exact.
            let slot = Slot { tuple: tuple.into(), count: documents };
            let left = std::mem::replace(&mut self.slots[top as usize], slot);
            self.places.remove(&left.tuple);
            self.places.insert(tuple.into(), top);
            self.sift_down(order);
        }
        Ok(())
    }

    /// The slot of a tuple of the page.
    pub fn slot(&self, tuple: &[Cell]) -> Option<u32> {
        self.places.get(tuple).copied()
    }

    /// Documents by slot.
    pub fn counts(&self) -> Vec<u64> {
        self.slots.iter().map(|slot| slot.count).collect()
    }

    /// Slot numbers and their tuples, in order.
    pub fn in_order(&self, order: TupleOrder<'_, '_>) -> Vec<(usize, &[Cell])> {
        let mut slots: Vec<(usize, &[Cell])> = self.slots.iter().map(|slot| &*slot.tuple).enumerate().collect();
        slots.sort_by(|a, b| order.compare(a.1, b.1));
        slots
    }

    /// Whether the tuple at one place of the heap belongs above that at another.
    fn is_above(&self, a: usize, b: usize, order: TupleOrder<'_, '_>) -> bool {
        let tuple = |place: usize| &self.slots[self.heap[place] as usize].tuple;
        order.compare(tuple(a), tuple(b)) == Ordering::Greater
    }

    fn sift_up(&mut self, mut place: usize, order: TupleOrder<'_, '_>) {
        while place > 0 && self.is_above(place, (place - 1) / 2, order) {
            self.heap.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }

    fn sift_down(&mut self, order: TupleOrder<'_, '_>) {
        let mut place = 0;
        loop {
            let mut largest = place;
            for child in [2 * place + 1, 2 * place + 2] {
                if child < self.heap.len() && self.is_above(child, largest, order) {
                    largest = child;
                }
            }
            if largest == place {
                return;
            }
            self.heap.swap(place, largest);
            place = largest;
        }
    }
}
