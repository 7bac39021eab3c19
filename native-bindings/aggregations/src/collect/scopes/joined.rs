//! `children` and `parent`: from documents of one side of a relation to those of the other.
//!
//! The other side lies anywhere in the shard, so it is walked when all documents of this side have come.

use crate::budget::Budget;
use crate::collect::{Batch, Children, Collector, Context, Owners};
use crate::partial::Partial;
use hashbrown::HashSet;
use quarry_base::error::Result;
use quarry_query::ordinals::Ordinals;
use quarry_query::resolve::side;
use quarry_query::scorers::bits;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::{QueryEnv, Weight, weigh};
use quarry_scores::scorer::WindowScorer;
use quarry_segment::column::ordinal::{OrdinalColumn, OrdinalWindow};
use rapidhash::quality::RandomState;
use std::rc::Rc;
use std::sync::Arc;

/// A relation of a shard, from one side to the other.
pub struct JoinStep {
    /// The field of the parents' ids.
    field: String,
    from: Box<dyn Weight>,
    to: Box<dyn Weight>,
    ordinals: Arc<Ordinals>,
}

impl JoinStep {
    /// `None` where the index has no such relation.
    pub fn resolve(view: &ShardView, env: &QueryEnv, child: &str, to_children: bool) -> Result<Option<Self>> {
        let Some((join, relation)) = view.mapping.join().and_then(|join| Some((join, join.spec.above(child)?))) else {
            return Ok(None);
        };
        let of = |kind: &str| weigh(view, env, &side(join, &[kind.to_owned()]), None);
        let (parents, children) = (of(&relation.parent)?, of(child)?);
        let (from, to) = if to_children { (parents, children) } else { (children, parents) };
        let field = join.id_field(relation);
        let ordinals = Ordinals::of(view, env, &field)?;
        Ok(Some(JoinStep { field, from, to, ordinals }))
    }

    fn open<'a>(&'a self, weight: &'a dyn Weight, segment: &'a SegmentView) -> Result<Option<SideOfSegment<'a>>> {
        let column = segment.field(&self.field).and_then(|field| field.ordinals());
        let (Some(column), Some(scorer)) = (column, weight.scorer(segment)?) else { return Ok(None) };
        let numbers = self.ordinals.of_segment(segment.ordinal);
        Ok(Some(SideOfSegment { scorer, column, numbers, decoded: OrdinalWindow::default() }))
    }
}

/// The documents of one side in one segment.
struct SideOfSegment<'a> {
    scorer: Box<dyn WindowScorer + 'a>,
    column: &'a OrdinalColumn,
    numbers: &'a [u32],
    decoded: OrdinalWindow,
}

impl SideOfSegment<'_> {
    /// Numbers of the parents of a document of the window that was decoded last.
    fn numbers_of(&self, doc: u16) -> impl Iterator<Item = u32> {
        let ordinals = self.decoded.ordinals_of(doc).iter();
        ordinals.filter_map(|&ordinal| self.numbers.get(ordinal as usize).copied())
    }
}

/// What the hash table takes for a pair.
const PAIR_BYTES: usize = 16;

/// Which buckets have which parents.
#[derive(Default)]
struct Met {
    /// Of the one bucket that there is at the root: a bit for each parent.
    root: Vec<u64>,
    /// Number of the parent in the upper half, bucket in the lower.
    pairs: HashSet<u64, RandomState>,
}

impl Met {
    fn add(&mut self, number: u32, owner: Option<u32>, count: u32, budget: &Budget) -> Result<()> {
        let Some(owner) = owner else {
            if self.root.is_empty() {
                let words = (count as usize).div_ceil(64);
                budget.take_bytes(words * size_of::<u64>())?;
                self.root = vec![0; words];
            }
            self.root[number as usize / 64] |= 1 << (number % 64);
            return Ok(());
        };
        if self.pairs.insert(u64::from(number) << 32 | u64::from(owner)) {
            budget.take_bytes(PAIR_BYTES)?;
        }
        Ok(())
    }

    fn sorted(self) -> Sorted {
        let mut pairs: Vec<u64> = self.pairs.into_iter().collect();
        pairs.sort_unstable();
        Sorted { root: self.root, pairs }
    }
}

struct Sorted {
    root: Vec<u64>,
    pairs: Vec<u64>,
}

impl Sorted {
    fn owners_of(&self, number: u32, owners: &mut Vec<u32>) {
        owners.clear();
        let is_at_root = self.root.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1);
        owners.extend(is_at_root.then_some(0));
        let first = self.pairs.partition_point(|&pair| pair >> 32 < u64::from(number));
        let of_number = self.pairs[first..].iter().take_while(|&&pair| pair >> 32 == u64::from(number));
        owners.extend(of_number.map(|&pair| pair as u32));
    }
}

pub struct JoinedCollector<'a> {
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    budget: Rc<Budget>,
    /// `None`: the index lacks the relation.
    step: Option<&'a JoinStep>,
    from: Option<SideOfSegment<'a>>,
    met: Met,
    children: Children<'a>,
}

impl<'a> JoinedCollector<'a> {
    pub fn new(context: &Context<'a>, step: Option<&'a JoinStep>, children: Children<'a>) -> Self {
        let Context { view, env, budget, .. } = context;
        let (view, env, budget) = (*view, *env, Rc::clone(budget));
        JoinedCollector { view, env, budget, step, from: None, met: Met::default(), children }
    }

    /// Shows the aggregations below the documents of the other side in a segment; counts them by bucket.
    fn collect_other_side(
        &mut self,
        step: &'a JoinStep,
        met: &Sorted,
        segment: &'a SegmentView,
        counts: &mut [u64],
    ) -> Result<()> {
        let Some(mut side) = step.open(step.to.as_ref(), segment)? else { return Ok(()) };
        self.children.start_segment(segment)?;
        let (mut docs, mut owners) = (Vec::new(), Vec::new());
        let (mut shown, mut shown_owners) = (Vec::new(), Vec::new());
        let windows = segment.window_count();
        let mut window = side.scorer.next_window(0)?;
        while window < windows {
            self.env.check_cancelled()?;
            let mut found = bits::EMPTY;
            side.scorer.matches(window, &mut found)?;
            segment.retain_live(window, &mut found);
            bits::list(&found, &mut docs);
            side.column.decode_window(window, &mut side.decoded);
            shown.clear();
            shown_owners.clear();
            for &doc in &docs {
                for number in side.numbers_of(doc) {
                    met.owners_of(number, &mut owners);
                    for &owner in &owners {
                        if let Some(count) = counts.get_mut(owner as usize) {
                            shown.push(doc);
                            shown_owners.push(owner);
                            *count += 1;
                        }
                    }
                }
            }
            if !shown.is_empty() {
                segment.check_computed(window, &shown)?;
                let scores = vec![1.0; shown.len()];
                let owners = Owners::Each(&shown_owners);
                self.children.collect(Batch { window, docs: &shown, owners, scores: Some(&scores) })?;
            }
            window = side.scorer.next_window(window + 1)?;
        }
        Ok(())
    }
}

impl<'a> Collector<'a> for JoinedCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.from = match self.step {
            Some(step) => step.open(step.from.as_ref(), segment)?,
            None => None,
        };
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let (Some(side), Some(step)) = (&mut self.from, self.step) else { return Ok(()) };
        let mut of_side = bits::EMPTY;
        if side.scorer.next_window(batch.window)? == batch.window {
            side.scorer.matches(batch.window, &mut of_side)?;
        }
        side.column.decode_window(batch.window, &mut side.decoded);
        for (place, &doc) in batch.docs.iter().enumerate().filter(|(_, doc)| bits::contains(&of_side, **doc)) {
            let owner = match batch.owners {
                Owners::Root => None,
                Owners::Same(owner) => Some(owner),
                Owners::Each(owners) => Some(owners[place]),
            };
            for number in side.numbers_of(doc) {
                self.met.add(number, owner, step.ordinals.count, &self.budget)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let mut counts = vec![0; owner_count];
        let met = std::mem::take(&mut self.met).sorted();
        let view = self.view;
        if let Some(step) = self.step {
            for segment in view.segments.iter() {
                self.collect_other_side(step, &met, segment, &mut counts)?;
            }
        }
        Ok(self.children.finish_buckets(&counts)?.into_iter().map(Partial::Single).collect())
    }
}
