//! What any thread of the process may read of an open copy of a shard, without asking its owner: the newest view, which the owner replaces at each
//! refresh. What others tell the owner of their searches is here as well.
//!
//! Nothing is locked on the way of a search: the view is taken with `arc-swap`, and counters are spread over the threads that write them.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`registry`] | the open copies of the process, by directory |
//! | [`counters`] | searches, fetches, suggestions and reads by id, and how long they took |
//! | [`groups`] | the same by the groups that searches name |
//! | [`prices`] | how long searches of one shape took of late |
//! | [`answers`] | answers that are kept for who asks the same of the same view |
//! | [`touched`] | ids that were written since a view was made |
//! | [`read`] | documents by their ids |
pub mod answers;
pub mod counters;
pub mod groups;
pub mod prices;
pub mod read;
pub mod registry;
pub mod touched;

use answers::CacheCounters;
use arc_swap::ArcSwapOption;
use counters::ReadCounters;
use groups::GroupCounters;
use prices::Prices;
use quarry_query::view::ShardView;
use read::NearReads;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use touched::Touched;

/// Numbers of views and copies, of the whole process.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

fn next_number() -> u64 {
    NEXT_NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// A view, and what tells it from every other one of the process.
#[derive(Debug)]
pub struct PublishedView {
    pub number: u64,
    pub view: ShardView,
}

/// The newest view. Who holds a view for long does not hold what was written since: that grows with each refresh.
#[derive(Debug)]
struct Newest {
    view: Arc<PublishedView>,
    /// What was written since: the view knows older states of these ids, or none. `None`: nobody notes it, as in replicas.
    touched: Option<Arc<Touched>>,
}

impl Newest {
    fn new(view: &ShardView, touched: Option<&Arc<Touched>>) -> Self {
        let view = PublishedView { number: next_number(), view: view.clone() };
        Newest { view: Arc::new(view), touched: touched.map(Arc::clone) }
    }
}

/// An open copy of a shard as other threads know it. It outlives the copy for those who hold it; [`Published::view`] is gone then.
#[derive(Debug)]
pub struct Published {
    /// Tells this copy from others, also from a later one of the same directory.
    number: u64,
    newest: ArcSwapOption<Newest>,
    /// The owner does not refresh it until somebody searches: whoever does asks the owner, who refreshes first.
    is_idle: AtomicBool,
    was_searched: AtomicBool,
    pub reads: ReadCounters,
    pub groups: GroupCounters,
    pub prices: Prices,
    pub answers: CacheCounters,
    near: NearReads,
}

impl Published {
    fn new(newest: Newest) -> Self {
        Published {
            number: next_number(),
            newest: ArcSwapOption::from_pointee(newest),
            is_idle: AtomicBool::new(false),
            was_searched: AtomicBool::new(false),
            reads: ReadCounters::default(),
            groups: GroupCounters::default(),
            prices: Prices::default(),
            answers: CacheCounters::default(),
            near: NearReads::default(),
        }
    }

    /// See the field.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The newest view; `None` once the copy is closed.
    pub fn newest(&self) -> Option<Arc<PublishedView>> {
        self.newest.load().as_ref().map(|newest| Arc::clone(&newest.view))
    }

    /// What a search by another thread than the owner reads; `None` where the owner is to be asked: the copy is closed, or idle.
    pub fn take(&self) -> Option<Arc<PublishedView>> {
        if self.is_idle.load(Ordering::Acquire) {
            return None;
        }
        // Written once between two looks of the owner: what all searches write is passed from processor to processor.
        if !self.was_searched.load(Ordering::Relaxed) {
            self.was_searched.store(true, Ordering::Relaxed);
        }
        self.newest()
    }

    /// Whether others searched since the last call. Of the owner.
    pub fn take_searched(&self) -> bool {
        self.was_searched.swap(false, Ordering::Relaxed)
    }

    /// See the field. Of the owner.
    pub fn set_idle(&self, is_idle: bool) {
        self.is_idle.store(is_idle, Ordering::Release);
    }
}

/// The owner's side. Dropped with the copy, which nobody finds any more then.
#[derive(Debug)]
pub(crate) struct Publication(Arc<Published>);

impl Publication {
    /// `touched`: see the field.
    pub fn new(view: &ShardView, touched: Option<&Arc<Touched>>) -> Self {
        Publication(Arc::new(Published::new(Newest::new(view, touched))))
    }

    /// Searches from now on see this.
    pub fn show(&self, view: &ShardView, touched: Option<&Arc<Touched>>) {
        self.0.newest.store(Some(Arc::new(Newest::new(view, touched))));
    }

    pub fn published(&self) -> &Arc<Published> {
        &self.0
    }
}

impl Drop for Publication {
    fn drop(&mut self) {
        self.0.newest.store(None);
        answers::forget(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_shards::{TestShard, mapping};
    use std::sync::atomic::AtomicU64;

    #[test]
    fn takers_see_views_in_their_order_and_none_after_the_end() {
        let shard = TestShard::new(mapping(vec![]), &[], &[]);
        let publication = Publication::new(&shard.view, None);
        let shown = Arc::new(AtomicU64::new(publication.published().newest().unwrap().number));
        let takers: Vec<_> = (0..4)
            .map(|_| {
                let (published, shown) = (Arc::clone(publication.published()), Arc::clone(&shown));
                std::thread::spawn(move || {
                    let mut last = 0;
                    loop {
                        // What was shown before is seen by whoever looks after that.
                        let least = shown.load(Ordering::SeqCst);
                        let Some(taken) = published.take() else { return last };
                        assert!(taken.number >= last && taken.number >= least);
                        last = taken.number;
                    }
                })
            })
            .collect();
        for _ in 0..2_000 {
            publication.show(&shard.view, None);
            shown.store(publication.published().newest().unwrap().number, Ordering::SeqCst);
        }
        let published = Arc::clone(publication.published());
        drop(publication);
        let newest = shown.load(Ordering::SeqCst);
        takers.into_iter().for_each(|taker| assert!(taker.join().unwrap() <= newest));
        assert!(published.newest().is_none());
    }

    #[test]
    fn who_holds_a_view_does_not_hold_what_was_written_since() {
        let shard = TestShard::new(mapping(vec![]), &[], &[]);
        let first = Arc::<Touched>::default();
        let publication = Publication::new(&shard.view, Some(&first));
        let (held, of_first, second) = (publication.published().take(), Arc::downgrade(&first), first.follow());
        drop(first);
        assert!(of_first.upgrade().is_some());
        publication.show(&shard.view, Some(&second));
        assert!(of_first.upgrade().is_none() && held.is_some());
    }

    #[test]
    fn an_idle_copy_sends_searches_to_its_owner() {
        let shard = TestShard::new(mapping(vec![]), &[], &[]);
        let publication = Publication::new(&shard.view, None);
        let published = publication.published();
        assert!(!published.take_searched());
        assert!(published.take().is_some() && published.take_searched() && !published.take_searched());
        published.set_idle(true);
        assert!(published.take().is_none() && published.newest().is_some() && !published.take_searched());
        published.set_idle(false);
        assert!(published.take().is_some());
    }

    #[test]
    fn a_directory_has_the_copy_that_was_opened_last() {
        let shard = TestShard::new(mapping(vec![]), &[], &[]);
        let directory = std::path::Path::new("/no/such/directory/of/a/test");
        assert!(registry::find(directory).is_none());
        let [first, second] = [Publication::new(&shard.view, None), Publication::new(&shard.view, None)];
        registry::register(directory, first.published());
        registry::register(directory, second.published());
        drop(first);
        let found = registry::find(directory).unwrap();
        assert_eq!(found.number(), second.published().number());
        drop(second);
        assert!(registry::find(directory).is_none());
    }
}
