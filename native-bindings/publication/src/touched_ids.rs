//! The owner's side: it notes what is written, and shows each view together with what was written since.

use super::latest::Latest;
use super::touched::Touched;
use std::sync::Arc;

/// Ids that were written since the view was made: a view that comes later knows some of these. Of the owner.
#[derive(Debug, Default)]
pub struct TouchedIds {
    since_view: Arc<Touched>,
    /// Since the buffer was frozen last: the end of what `since_view` begins.
    pub(crate) newest: Option<Arc<Touched>>,
}

impl TouchedIds {
    /// What [`Latest::new`] is given with the first view.
    pub fn since_view(&self) -> &Arc<Touched> {
        &self.since_view
    }

    fn newest(&self) -> &Arc<Touched> {
        self.newest.as_ref().unwrap_or(&self.since_view)
    }

    /// Before the write is acknowledged.
    pub fn note(&self, id: &[u8]) {
        self.newest().note(id);
    }

    /// The next view has all that was written until now.
    pub fn freeze(&mut self) {
        self.newest = Some(self.newest().follow());
    }

    /// Searches from now on see this view, which has all that was written until the last [`TouchedIds::freeze`].
    pub fn show_frozen<V>(&mut self, latest: &Latest<V>, view: V) {
        self.since_view = self.newest.take().unwrap_or_default();
        latest.show(view, Some(&self.since_view));
    }

    /// Searches from now on see this view, which has all that was written until now.
    pub fn show_all<V>(&mut self, latest: &Latest<V>, view: V) {
        self.freeze();
        self.show_frozen(latest, view);
    }

    /// Searches from now on see this view, which has the same documents as the one before.
    pub fn show_again<V>(&self, latest: &Latest<V>, view: V) {
        latest.show(view, Some(&self.since_view));
    }
}
