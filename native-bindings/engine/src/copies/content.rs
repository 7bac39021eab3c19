//! Whether copies of a shard have the same documents, whatever their segments.

use quarry_base::error::Result;
use quarry_query::view::{SegmentView, ShardView};
use quarry_segment::column::numeric::NumericColumn;
use quarry_segment::stored::{Record, StoredScratch};
use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

/// The same for all nodes, for ever: copies on nodes of different versions are compared.
const SEED: u64 = 0x5153_434f_4e54_454e;

/// Equal for equal documents in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContentChecksum {
    pub documents: u64,
    /// Sum of the hashes of the documents: id, sequence number, version, primary term, source.
    pub sum: u64,
}

/// Over every document that searches of the view see.
pub fn content_checksum(view: &ShardView) -> Result<ContentChecksum> {
    let mut checksum = ContentChecksum::default();
    let secrets = RapidSecrets::seed(SEED);
    for segment in view.segments.iter() {
        add_segment(segment, &secrets, &mut checksum)?;
    }
    Ok(checksum)
}

fn add_segment(segment: &SegmentView, secrets: &RapidSecrets, checksum: &mut ContentChecksum) -> Result<()> {
    let reader = &segment.reader;
    let mut scratch = StoredScratch::default();
    let mut bytes = Vec::new();
    for doc in 0..segment.max_doc() {
        if segment.live.as_ref().is_some_and(|live| !live.is_live(doc)) {
            continue;
        }
        bytes.clear();
        let number = |column: &NumericColumn| column.first(doc).unwrap_or_default().to_le_bytes();
        for column in [reader.seq_nos(), reader.versions(), reader.primary_terms()] {
            bytes.extend_from_slice(&number(column));
        }
        let id = reader.ids().get(doc);
        bytes.extend_from_slice(&(id.len() as u64).to_le_bytes());
        bytes.extend_from_slice(id);
        let record = reader.stored().get(doc, &mut scratch).and_then(Record::parse);
        let record = record.map_err(|error| reader.name_damage(error))?;
        bytes.extend_from_slice(record.source().unwrap_or_default());
        checksum.sum = checksum.sum.wrapping_add(rapidhash_v3_seeded(&bytes, secrets));
        checksum.documents += 1;
    }
    Ok(())
}
