//! Which documents have a field that has no column (text, keywords without doc values): a set per window.

use crate::codec::shared_bytes::SharedBytes;
use crate::error::Result;
use crate::window::WindowBits;

/// A finished presence section.
#[derive(Debug, Clone)]
pub struct PresenceData {
    pub(crate) bytes: Vec<u8>,
}

impl PresenceData {
    /// `docs` ascending.
    pub fn from_docs(_docs: impl IntoIterator<Item = u32>, _max_doc: u32) -> Self {
        todo!()
    }
}

#[derive(Debug, Clone)]
pub struct Presence {}

impl Presence {
    pub fn open(_bytes: SharedBytes, _max_doc: u32) -> Result<Self> {
        todo!()
    }

    pub fn doc_count(&self) -> u32 {
        todo!()
    }

    /// Sets the bit of every document of the window in the set.
    pub fn has_value(&self, _window: u32, _bits: &mut WindowBits) {
        todo!()
    }

    pub fn contains(&self, _doc: u32) -> bool {
        todo!()
    }
}
