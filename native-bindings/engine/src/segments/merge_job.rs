//! A merge as bytes, so that another thread can carry it out: the job on the way there, its outcome on the way back.

use crate::directory::claim::DirectoryClaim;
use quarry_base::error::{Error, Result};
use quarry_codec::varint::{read_u32, read_u64, write_u32, write_u64};
use quarry_segment::directory::live_docs::LiveDocs;
use quarry_segment::id::SegmentId;
use quarry_segment::merge::{MergeControl, MergeInput, MergeResult, Run, merge};
use quarry_segment::reader::{SegmentReader, Verify};
use quarry_segment::stored::StoredCodec;
use quarry_segment::writer::sync_segment;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// One segment to merge, with the deletions known when the merge began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeJobInput {
    pub id: SegmentId,
    pub max_doc: u32,
    /// Ascending.
    pub deleted: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeJob {
    pub directory: PathBuf,
    pub output: SegmentId,
    pub codec: StoredCodec,
    pub inputs: Vec<MergeJobInput>,
}

/// What the merge wrote; `max_doc` 0: no document was alive, there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeOutcome {
    pub output_number: u64,
    pub max_doc: u32,
    pub bytes: u64,
    pub millis: u64,
    /// How sorted inputs took turns; empty: one after another.
    pub runs: Vec<Run>,
}

fn write_id(out: &mut Vec<u8>, id: &SegmentId) {
    write_u64(out, id.number);
    out.extend_from_slice(&id.uuid);
}

fn read_id(bytes: &[u8], at: &mut usize) -> Result<SegmentId> {
    let number = read_u64(bytes, at)?;
    let uuid = at.checked_add(16).and_then(|end| bytes.get(*at..end)).and_then(|uuid| uuid.try_into().ok());
    *at += 16;
    uuid.map(|uuid| SegmentId { number, uuid }).ok_or_else(|| Error::illegal_argument("a merge job is cut off"))
}

impl MergeJob {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let directory = self.directory.as_os_str().as_encoded_bytes();
        write_u64(&mut out, directory.len() as u64);
        out.extend_from_slice(directory);
        write_id(&mut out, &self.output);
        out.push(match self.codec {
            StoredCodec::Lz4 => 0,
            StoredCodec::Zstd => 1,
        });
        write_u64(&mut out, self.inputs.len() as u64);
        for input in &self.inputs {
            write_id(&mut out, &input.id);
            write_u32(&mut out, input.max_doc);
            write_u64(&mut out, input.deleted.len() as u64);
            let mut previous = 0;
            for &doc in &input.deleted {
                write_u32(&mut out, doc - previous);
                previous = doc;
            }
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let cut_off = || Error::illegal_argument("a merge job is cut off");
        let mut at = 0;
        let length = usize::try_from(read_u64(bytes, &mut at)?).map_err(|_| cut_off())?;
        let end = at.checked_add(length).ok_or_else(cut_off)?;
        let directory = bytes.get(at..end).and_then(|path| std::str::from_utf8(path).ok()).ok_or_else(cut_off)?;
        at = end;
        let output = read_id(bytes, &mut at)?;
        let codec = match bytes.get(at) {
            Some(0) => StoredCodec::Lz4,
            Some(1) => StoredCodec::Zstd,
            _ => return Err(cut_off()),
        };
        at += 1;
        let mut inputs = Vec::new();
        for _ in 0..read_u64(bytes, &mut at)? {
            let id = read_id(bytes, &mut at)?;
            let max_doc = read_u32(bytes, &mut at)?;
            let mut deleted = Vec::new();
            let mut doc = 0u32;
            for _ in 0..read_u64(bytes, &mut at)? {
                doc = doc.checked_add(read_u32(bytes, &mut at)?).filter(|&doc| doc < max_doc).ok_or_else(cut_off)?;
                deleted.push(doc);
            }
            inputs.push(MergeJobInput { id, max_doc, deleted });
        }
        Ok(MergeJob { directory: directory.into(), output, codec, inputs })
    }

    /// Writes the merged segment, on disk when it returns. After an error its file is gone.
    pub fn run(&self, control: &MergeControl) -> Result<MergeOutcome> {
        let started = Instant::now();
        let _claim = DirectoryClaim::beside(&self.directory)?;
        let inputs = self.inputs.iter().map(|input| self.open(input)).collect::<Result<Vec<_>>>()?;
        let path = self.directory.join(self.output.file_name());
        let merged = merge(&inputs, &path, self.output, self.codec, control).and_then(|result| {
            if result.max_doc > 0 {
                sync_segment(&path)?;
            }
            Ok(result)
        });
        if merged.is_err() {
            // What remains would be removed by the next flush in any case.
            let _ = std::fs::remove_file(&path);
        }
        let result = merged?;
        let millis = started.elapsed().as_millis() as u64;
        let MergeResult { max_doc, bytes, runs, .. } = result;
        Ok(MergeOutcome { output_number: self.output.number, max_doc, bytes, millis, runs })
    }

    fn open(&self, input: &MergeJobInput) -> Result<MergeInput> {
        let path = self.directory.join(input.id.file_name());
        let segment = SegmentReader::open(&path, Verify::Metadata)?;
        if segment.id() != input.id || segment.max_doc() != input.max_doc {
            return Err(Error::corrupt(format!("[{}] is not the segment that is to be merged", path.display())));
        }
        let live = (!input.deleted.is_empty()).then(|| {
            let mut live = LiveDocs::all_live(input.max_doc);
            for &doc in &input.deleted {
                live.delete(doc);
            }
            Arc::new(live)
        });
        Ok(MergeInput { segment, live })
    }
}

impl MergeOutcome {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_u64(&mut out, self.output_number);
        write_u32(&mut out, self.max_doc);
        write_u64(&mut out, self.bytes);
        write_u64(&mut out, self.millis);
        write_u64(&mut out, self.runs.len() as u64);
        for run in &self.runs {
            write_u32(&mut out, run.input);
            write_u32(&mut out, run.count);
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut at = 0;
        let mut outcome = MergeOutcome {
            output_number: read_u64(bytes, &mut at)?,
            max_doc: read_u32(bytes, &mut at)?,
            bytes: read_u64(bytes, &mut at)?,
            millis: read_u64(bytes, &mut at)?,
            runs: Vec::new(),
        };
        for _ in 0..read_u64(bytes, &mut at)? {
            let (input, count) = (read_u32(bytes, &mut at)?, read_u32(bytes, &mut at)?);
            outcome.runs.push(Run { input, count });
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_job_survives_the_way(
            numbers in prop::collection::vec((any::<u64>(), prop::collection::btree_set(0u32..1000, 0..20)), 0..4),
            outcome: (u64, u32, u64, u64),
            runs in prop::collection::vec((any::<u32>(), any::<u32>()), 0..5),
        ) {
            let inputs = numbers.into_iter().map(|(number, deleted)| MergeJobInput {
                id: SegmentId { number, uuid: [number as u8; 16] }, max_doc: 1000, deleted: deleted.into_iter().collect(),
            }).collect();
            let output = SegmentId { number: 7, uuid: [9; 16] };
            let job = MergeJob { directory: "/a/b".into(), output, codec: StoredCodec::Zstd, inputs };
            prop_assert_eq!(MergeJob::decode(&job.encode()).unwrap(), job);
            let (output_number, max_doc, bytes, millis) = outcome;
            let outcome = MergeOutcome {
                output_number, max_doc, bytes, millis,
                runs: runs.into_iter().map(|(input, count)| Run { input, count }).collect(),
            };
            prop_assert_eq!(MergeOutcome::decode(&outcome.encode()).unwrap(), outcome);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = MergeJob::decode(&bytes);
            let _ = MergeOutcome::decode(&bytes);
        }
    }
}
