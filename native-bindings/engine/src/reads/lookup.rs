//! The newest state of a document by its id, refreshed or not.

use crate::engine::Shard;
use crate::items::version::Current;
use crate::segments::slot::Slot;
use crate::version_map::Newest;
use quarry_base::error::{Error, Result};
use quarry_segment::ROUTING_FIELD;
use quarry_segment::column::numeric::NumericColumn;
use quarry_segment::reader::SegmentReader;

/// Where a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Buffered {
        ordinal: u32,
    },
    /// In the buffer that is becoming a segment.
    Frozen {
        ordinal: u32,
    },
    Segment {
        slot: usize,
        doc: u32,
    },
    Deleted,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub current: Current,
    pub place: Place,
}

impl Found {
    pub fn is_alive(&self) -> bool {
        !self.current.is_deleted
    }
}

fn system_value(column: &NumericColumn, doc: u32) -> u64 {
    column.first(doc).map_or(0, |value| value as u64)
}

/// Sequence number, term and version of a live document of a segment.
pub(crate) fn current_in(reader: &SegmentReader, doc: u32) -> Current {
    Current {
        seq_no: system_value(reader.seq_nos(), doc),
        primary_term: system_value(reader.primary_terms(), doc),
        version: system_value(reader.versions(), doc),
        is_deleted: false,
    }
}

/// `_routing` of a document of a segment.
pub(crate) fn routing_in(reader: &SegmentReader, doc: u32) -> Result<Option<String>> {
    let Some(field) = reader.field(ROUTING_FIELD) else { return Ok(None) };
    let (Some(ordinals), Some(postings)) = (field.ordinals(), field.postings()) else { return Ok(None) };
    let Some(ordinal) = ordinals.first(doc) else { return Ok(None) };
    let mut term = Vec::new();
    postings.term(ordinal, &mut term)?;
    String::from_utf8(term).map(Some).map_err(|_| {
        let path = reader.path().display();
        Error::corrupt(format!("segment [{path}]: the routing of document [{doc}] is not UTF-8"))
    })
}

impl Shard {
    /// What the shard last did with the id; `None` when it knows nothing of it.
    pub(crate) fn find(&mut self, id: &[u8]) -> Option<Found> {
        if let Some((current, newest)) = self.versions.get(id) {
            let place = match newest {
                Newest::Buffered { ordinal } => Place::Buffered { ordinal },
                Newest::Deleted { .. } => Place::Deleted,
            };
            return Some(Found { current, place });
        }
        if let Some((current, newest)) = self.frozen.as_mut().and_then(|frozen| frozen.versions.get(id)) {
            let place = match newest {
                Newest::Buffered { ordinal } => Place::Frozen { ordinal },
                Newest::Deleted { .. } => Place::Deleted,
            };
            return Some(Found { current, place });
        }
        // Newer segments are more often asked for.
        self.slots.iter().enumerate().rev().find_map(|(slot, held)| found_in(slot, held, id))
    }

    #[cfg(test)]
    pub(crate) fn remembered_deletion(&mut self, id: &str) -> Option<u64> {
        self.find(id.as_bytes()).filter(|found| !found.is_alive()).map(|found| found.current.version)
    }

    pub(crate) fn find_live(&mut self, id: &[u8]) -> Option<Found> {
        self.find(id).filter(Found::is_alive)
    }

    /// The stored record of a live document.
    pub(crate) fn record_of(&mut self, place: Place) -> Result<Vec<u8>> {
        let mut record = Vec::new();
        match place {
            Place::Buffered { ordinal } => record.extend_from_slice(self.buffer.document(ordinal)?),
            Place::Frozen { ordinal } => {
                let frozen = self.frozen.as_ref().ok_or_else(|| Error::illegal_state("the frozen buffer is gone"))?;
                record.extend_from_slice(frozen.records.get(ordinal)?);
            }
            Place::Segment { slot, doc } => {
                let reader = std::sync::Arc::clone(&self.slots[slot].reader);
                record.extend_from_slice(reader.stored().get(doc, &mut self.stored_scratch)?);
            }
            Place::Deleted => return Err(Error::illegal_state("a deleted document has no record")),
        }
        Ok(record)
    }

    pub(crate) fn routing_of(&self, place: Place) -> Result<Option<String>> {
        match place {
            Place::Buffered { ordinal } => Ok(self.buffered_routings.get(&ordinal).map(|routing| routing.to_string())),
            Place::Frozen { ordinal } => {
                let routing = self.frozen.as_ref().and_then(|frozen| frozen.routings.get(&ordinal));
                Ok(routing.map(|routing| routing.to_string()))
            }
            Place::Segment { slot, doc } => routing_in(&self.slots[slot].reader, doc),
            Place::Deleted => Ok(None),
        }
    }
}

fn found_in(slot: usize, held: &Slot, id: &[u8]) -> Option<Found> {
    let doc = held.reader.ids().find(id).filter(|&doc| held.is_live(doc))?;
    Some(Found { current: current_in(&held.reader, doc), place: Place::Segment { slot, doc } })
}
