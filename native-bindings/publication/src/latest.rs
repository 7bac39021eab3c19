//! The newest view of an open copy of a shard: replaced by the owner of the copy, taken by any thread.
//!
//! Nothing is locked on the way of a search.

use super::shared::{ArcSwapOption, AtomicBool, Ordering};
use super::touched::Touched;
use std::sync::Arc;

/// The newest view. Who holds a view for long does not hold what was written since: that grows with each refresh.
#[derive(Debug)]
pub struct Newest<V> {
    pub view: Arc<V>,
    /// What was written since: the view knows older states of these ids, or none. `None`: nobody notes it, as in replicas.
    touched: Option<Arc<Touched>>,
}

impl<V> Newest<V> {
    /// Whether the view has the newest state of the id, of all that was acknowledged before this call.
    pub fn is_newest_of(&self, id: &[u8]) -> bool {
        self.touched.as_ref().is_some_and(|touched| !touched.may_have(id))
    }
}

/// What the owner shows, and what others tell the owner of their searches.
#[derive(Debug)]
pub struct Latest<V> {
    pub(crate) newest: ArcSwapOption<Newest<V>>,
    /// The owner does not refresh it until somebody searches: whoever does asks the owner, who refreshes first.
    pub(crate) is_idle: AtomicBool,
    pub(crate) was_searched: AtomicBool,
}

impl<V> Latest<V> {
    /// `touched`: what is written from now on; `None` where nobody notes it.
    pub fn new(view: V, touched: Option<&Arc<Touched>>) -> Self {
        let latest = Latest {
            newest: ArcSwapOption::from(None),
            is_idle: AtomicBool::new(false),
            was_searched: AtomicBool::new(false),
        };
        latest.show(view, touched);
        latest
    }

    /// Searches from now on see this.
    pub fn show(&self, view: V, touched: Option<&Arc<Touched>>) {
        let newest = Newest { view: Arc::new(view), touched: touched.map(Arc::clone) };
        self.newest.store(Some(Arc::new(newest)));
    }

    /// The copy is closed: nobody finds a view from now on.
    pub fn end(&self) {
        self.newest.store(None);
    }

    /// Calls this with the newest view, if the copy is open.
    pub fn read<R>(&self, read: impl FnOnce(&Newest<V>) -> Option<R>) -> Option<R> {
        self.newest.load().as_deref().and_then(read)
    }

    /// The newest view; `None` once the copy is closed.
    pub fn newest(&self) -> Option<Arc<V>> {
        self.read(|newest| Some(Arc::clone(&newest.view)))
    }

    /// What a search by another thread than the owner reads; `None` where the owner is to be asked: the copy is closed, or idle.
    pub fn take(&self) -> Option<Arc<V>> {
        // Before the view is looked at: who was told that the copy has caught up sees the view that it was caught up by.
        if self.is_idle.load(Ordering::Acquire) {
            return None;
        }
        // Written once between two looks of the owner: what all searches write is passed from processor to processor.
        if !self.was_searched.load(Ordering::Relaxed) {
            // A store would do. `loom` allows it to be ordered between the two halves of an exchange, as no processor does.
            self.was_searched.swap(true, Ordering::Relaxed);
        }
        self.newest()
    }

    /// Whether others searched since the last call. Of the owner.
    pub fn take_searched(&self) -> bool {
        self.was_searched.swap(false, Ordering::Relaxed)
    }

    /// See the field. Of the owner, who shows the view that it caught up by before it tells of it.
    pub fn set_idle(&self, is_idle: bool) {
        self.is_idle.store(is_idle, Ordering::Release);
    }
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::touched_ids::TouchedIds;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn takers_see_views_in_their_order_and_none_after_the_end() {
        let latest = Arc::new(Latest::new(0, None));
        let shown = Arc::new(AtomicU64::new(0));
        let takers: Vec<_> = (0..4)
            .map(|_| {
                let (latest, shown) = (Arc::clone(&latest), Arc::clone(&shown));
                std::thread::spawn(move || {
                    let mut last = 0;
                    loop {
                        // What was shown before is seen by whoever looks after that.
                        let least = shown.load(Ordering::SeqCst);
                        let Some(taken) = latest.take() else { return last };
                        assert!(*taken >= last && *taken >= least);
                        last = *taken;
                    }
                })
            })
            .collect();
        for number in 1..=2_000 {
            latest.show(number, None);
            shown.store(number, Ordering::SeqCst);
        }
        latest.end();
        takers.into_iter().for_each(|taker| assert!(taker.join().unwrap() <= 2_000));
        assert!(latest.newest().is_none());
    }

    #[test]
    fn who_holds_a_view_does_not_hold_what_was_written_since() {
        let mut touched = TouchedIds::default();
        let latest = Latest::new((), Some(touched.since_view()));
        let (held, of_first) = (latest.take(), Arc::downgrade(touched.since_view()));
        touched.freeze();
        assert!(of_first.upgrade().is_some());
        touched.show_frozen(&latest, ());
        assert!(of_first.upgrade().is_none() && held.is_some());
    }

    #[test]
    fn an_idle_copy_sends_searches_to_its_owner() {
        let latest = Latest::new((), None);
        assert!(!latest.take_searched());
        assert!(latest.take().is_some() && latest.take_searched() && !latest.take_searched());
        latest.set_idle(true);
        assert!(latest.take().is_none() && latest.newest().is_some() && !latest.take_searched());
        latest.set_idle(false);
        assert!(latest.take().is_some());
    }
}
