//! What any thread of the process may read of an open copy of a shard, without asking its owner: the newest view, which the owner replaces at each
//! refresh. What others tell the owner of their searches is here as well.
//!
//! Nothing is locked on the way of a search: the view is taken as `quarry_publication` says, and counters are spread over the threads that write
//! them.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`registry`] | the open copies of the process, by directory |
//! | [`counters`] | searches, fetches, suggestions and reads by id, and how long they took |
//! | [`groups`] | the same by the groups that searches name |
//! | [`prices`] | how long searches of one shape took of late |
//! | [`answers`] | answers that are kept for who asks the same of the same view |
//! | [`read`] | documents by their ids |
pub mod answers;
pub mod counters;
pub mod groups;
pub mod prices;
pub mod read;
pub mod registry;

use answers::CacheCounters;
use counters::ReadCounters;
use groups::GroupCounters;
use prices::Prices;
use quarry_publication::latest::Latest;
use quarry_publication::touched::Touched;
use quarry_query::view::ShardView;
use read::NearReads;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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

impl PublishedView {
    pub(crate) fn new(view: &ShardView) -> Self {
        PublishedView { number: next_number(), view: view.clone() }
    }
}

/// An open copy of a shard as other threads know it. It outlives the copy for those who hold it; [`Published::view`] is gone then.
#[derive(Debug)]
pub struct Published {
    /// Tells this copy from others, also from a later one of the same directory.
    number: u64,
    latest: Latest<PublishedView>,
    pub reads: ReadCounters,
    pub groups: GroupCounters,
    pub prices: Prices,
    pub answers: CacheCounters,
    near: NearReads,
}

impl Published {
    fn new(latest: Latest<PublishedView>) -> Self {
        Published {
            number: next_number(),
            latest,
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

    /// As [`Latest::newest`].
    pub fn newest(&self) -> Option<Arc<PublishedView>> {
        self.latest.newest()
    }

    /// As [`Latest::take`].
    pub fn take(&self) -> Option<Arc<PublishedView>> {
        self.latest.take()
    }

    /// As [`Latest::take_searched`].
    pub fn take_searched(&self) -> bool {
        self.latest.take_searched()
    }

    /// As [`Latest::set_idle`].
    pub fn set_idle(&self, is_idle: bool) {
        self.latest.set_idle(is_idle);
    }
}

/// The owner's side. Dropped with the copy, which nobody finds any more then.
#[derive(Debug)]
pub(crate) struct Publication(Arc<Published>);

impl Publication {
    /// `touched`: as [`Latest::new`] wants it.
    pub fn new(view: &ShardView, touched: Option<&Arc<Touched>>) -> Self {
        Publication(Arc::new(Published::new(Latest::new(PublishedView::new(view), touched))))
    }

    /// Where views are shown.
    pub fn latest(&self) -> &Latest<PublishedView> {
        &self.0.latest
    }

    pub fn published(&self) -> &Arc<Published> {
        &self.0
    }
}

impl Drop for Publication {
    fn drop(&mut self) {
        self.0.latest.end();
        answers::forget(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_shards::{TestShard, mapping};

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
