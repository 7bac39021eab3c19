//! The segments and deletions that searches of a primary see at one time, as its replicas are told of them.

use super::live_docs::{self, LiveDocs};
use crate::envelope::{self, Envelope};
use crate::generated::segment_set as schema;
use crate::id::SegmentId;
use flatbuffers::FlatBufferBuilder;
use quarry_base::error::{Error, Result};
use std::sync::Arc;

const FRAME: Envelope = Envelope { magic: *b"QRYSSET\n", version: 1 };

/// More than any shard has: bounds what a descriptor can make us hold.
const SEGMENTS_MAX: usize = 100_000;

/// One segment of the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetSegment {
    pub id: SegmentId,
    pub max_doc: u32,
    /// Length of the file.
    pub bytes: u64,
    /// See [`crate::reader::SegmentReader::checksum`].
    pub checksum: u32,
    /// `None`: nothing is deleted.
    pub live: Option<Arc<LiveDocs>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentSetDescriptor {
    pub history_uuid: String,
    pub primary_term: u64,
    /// The segments contain exactly the operations up to here; -1 for none.
    pub checkpoint: i64,
    pub refresh_generation: u64,
    pub next_segment_number: u64,
    pub segments: Vec<SetSegment>,
    /// Primary term and first sequence number of its operations, ascending.
    pub terms: Vec<(u64, u64)>,
}

impl SegmentSetDescriptor {
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut builder = FlatBufferBuilder::new();
        let mut segments = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let live_docs = segment.live.as_ref().map(|live| builder.create_vector(&live.encode(&segment.id, 0)));
            let arguments = schema::SetSegmentArgs {
                uuid: Some(builder.create_vector(&segment.id.uuid)),
                number: segment.id.number,
                max_doc: segment.max_doc,
                bytes: segment.bytes,
                checksum: segment.checksum,
                live_docs,
            };
            segments.push(schema::SetSegment::create(&mut builder, &arguments));
        }
        let terms: Vec<schema::SetTerm> =
            self.terms.iter().map(|(term, first_seq_no)| schema::SetTerm::new(*term, *first_seq_no)).collect();
        let arguments = schema::SegmentSetArgs {
            history_uuid: Some(builder.create_string(&self.history_uuid)),
            primary_term: self.primary_term,
            checkpoint: self.checkpoint,
            refresh_generation: self.refresh_generation,
            next_segment_number: self.next_segment_number,
            segments: Some(builder.create_vector(&segments)),
            terms: Some(builder.create_vector(&terms)),
        };
        let root = schema::SegmentSet::create(&mut builder, &arguments);
        builder.finish(root, None);
        FRAME.seal(builder.finished_data())
    }

    /// Errors: `Corrupt` when the bytes are not whole or contradict themselves.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        FRAME
            .open(bytes)
            .and_then(decode)
            .map_err(|error| Error::corrupt(format!("the description of a segment set: {}", error.reason)))
    }
}

fn decode(body: &[u8]) -> Result<SegmentSetDescriptor> {
    let root = flatbuffers::root::<schema::SegmentSet<'_>>(body).map_err(|error| Error::corrupt(error.to_string()))?;
    if root.segments().len() > SEGMENTS_MAX {
        return Err(Error::corrupt(format!("{} segments are too many", root.segments().len())));
    }
    let mut segments: Vec<SetSegment> = Vec::with_capacity(root.segments().len());
    for segment in root.segments() {
        let id = SegmentId { number: segment.number(), uuid: envelope::uuid(segment.uuid().bytes())? };
        if id.number >= root.next_segment_number() || segments.iter().any(|other| other.id.number == id.number) {
            return Err(Error::corrupt(format!("segment {} cannot be in it", id.name())));
        }
        let live =
            segment.live_docs().map(|live| live_docs::decode(live.bytes(), &id, 0, segment.max_doc())).transpose()?;
        let (max_doc, bytes, checksum) = (segment.max_doc(), segment.bytes(), segment.checksum());
        segments.push(SetSegment { id, max_doc, bytes, checksum, live: live.map(Arc::new) });
    }
    let terms: Vec<(u64, u64)> = root.terms().iter().map(|start| (start.term(), start.first_seq_no())).collect();
    Ok(SegmentSetDescriptor {
        history_uuid: root.history_uuid().to_owned(),
        primary_term: root.primary_term(),
        checkpoint: root.checkpoint(),
        refresh_generation: root.refresh_generation(),
        next_segment_number: root.next_segment_number(),
        segments,
        terms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quarry_base::error::ErrorCode;

    fn set() -> impl Strategy<Value = SegmentSetDescriptor> {
        let segment = (1u32..300, any::<u64>(), any::<u32>(), prop::collection::vec(any::<u32>(), 0..5));
        (
            prop::collection::vec(segment, 0..5),
            any::<i64>(),
            any::<u64>(),
            prop::collection::vec(any::<(u64, u64)>(), 0..4),
        )
            .prop_map(|(segments, checkpoint, refresh_generation, terms)| SegmentSetDescriptor {
                history_uuid: "history".into(),
                primary_term: 3,
                checkpoint,
                refresh_generation,
                next_segment_number: 10,
                segments: (0..)
                    .zip(segments)
                    .map(|(number, (max_doc, bytes, checksum, deleted))| {
                        let mut live = LiveDocs::all_live(max_doc);
                        let some = deleted.iter().filter(|doc| live.delete(*doc % max_doc)).count() > 0;
                        let live = some.then(|| Arc::new(live));
                        SetSegment {
                            id: SegmentId { number, uuid: [number as u8; 16] },
                            max_doc,
                            bytes,
                            checksum,
                            live,
                        }
                    })
                    .collect(),
                terms,
            })
    }

    proptest! {
        #[test]
        fn a_set_is_read_back_and_damage_is_seen(set in set(), at: prop::sample::Index, bit in 0u32..8) {
            let bytes = set.encode().unwrap();
            prop_assert_eq!(&SegmentSetDescriptor::decode(&bytes).unwrap(), &set);
            let mut damaged = bytes.clone();
            damaged[at.index(bytes.len())] ^= 1 << bit;
            prop_assert_eq!(SegmentSetDescriptor::decode(&damaged).unwrap_err().code, ErrorCode::Corrupt);
            prop_assert!(SegmentSetDescriptor::decode(&bytes[..at.index(bytes.len())]).is_err());
        }

        #[test]
        fn no_body_makes_it_panic(body: Vec<u8>) {
            let _ = SegmentSetDescriptor::decode(&FRAME.seal(&body).unwrap());
        }
    }
}
