//! Is every file of a shard directory whole, and do they agree with each other?
//!
//! Checksums prove that bytes are as they were written; the structural part proves that what was written makes sense.
//! [`file`] does the former for bytes that come from elsewhere.
pub mod file;

use super::directory::commit::{CommitPoint, CommitSegment};
use super::directory::live_docs::LiveDocs;
use super::files;
use super::id::ShardFile;
use super::reader::{FieldReader, SegmentReader, Verify};
use super::sort_keys;
use super::stored::{Record, StoredScratch};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::window::{WINDOW_WORDS, window_count};
use quarry_postings::{DecodedTerm, FieldPostingsReader};
use std::path::{Path, PathBuf};

/// Something wrong: in which file, where, what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub file: PathBuf,
    /// Section or part of the file; empty where the problem is the file's.
    pub place: String,
    pub problem: String,
}

/// A file of this name says that segments of the directory lie elsewhere, where they are verified as they are read.
pub const ELSEWHERE: &str = "segments-elsewhere";

/// Reads everything the newest commit of the directory names. An empty answer means whole; an error means that the directory
/// cannot be read at all. The translog is checked by its owner.
pub fn check(directory: &Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let names = files::names(directory)?;
    let commit = match CommitPoint::newest(directory) {
        Ok(Some(commit)) => commit,
        Ok(None) => {
            let problem = "there are segments but no commit point".to_owned();
            let orphans = names.iter().any(|name| matches!(ShardFile::parse(name), Some(ShardFile::Segment { .. })));
            if orphans {
                findings.push(Finding { file: directory.to_owned(), place: String::new(), problem });
            }
            return Ok(findings);
        }
        Err(error) => {
            let newest = newest_commit_file(&names).unwrap_or_default();
            findings.push(finding(&directory.join(newest), "commit point", error)?);
            return Ok(findings);
        }
    };
    for segment in &commit.segments {
        check_committed(directory, segment, &mut findings)?;
    }
    check_numbers(directory, &commit, &mut findings);
    Ok(findings)
}

fn newest_commit_file(names: &[String]) -> Option<String> {
    let generation = |name: &String| match ShardFile::parse(name)? {
        ShardFile::Commit { generation } => Some(generation),
        _ => None,
    };
    let newest = names.iter().filter_map(generation).max()?;
    Some(ShardFile::Commit { generation: newest }.to_string())
}

/// Damage and missing files are findings; other failures (permissions, I/O) end the check.
fn finding(file: &Path, place: &str, error: Error) -> Result<Finding> {
    let missing = error.code == ErrorCode::Io && !file.exists();
    if error.code != ErrorCode::Corrupt && !missing {
        return Err(error);
    }
    let prefix = format!("[{}]: ", file.display());
    let problem = error.reason.strip_prefix(&prefix).unwrap_or(&error.reason).to_owned();
    Ok(Finding { file: file.to_owned(), place: place.to_owned(), problem })
}

fn check_committed(directory: &Path, entry: &CommitSegment, findings: &mut Vec<Finding>) -> Result<()> {
    let path = directory.join(entry.id.file_name());
    if !path.exists() && directory.join(ELSEWHERE).exists() {
        return check_live_docs(directory, entry, findings);
    }
    let segment = match SegmentReader::open(&path, Verify::All) {
        Ok(segment) => segment,
        Err(error) => {
            findings.push(finding(&path, "segment", error)?);
            return Ok(());
        }
    };
    let committed = (entry.id, entry.max_doc, entry.bytes);
    if (segment.id(), segment.max_doc(), segment.bytes()) != committed {
        let problem = "is not the segment that the commit point names (uuid, documents or length differ)".to_owned();
        findings.push(Finding { file: path.clone(), place: "header".to_owned(), problem });
    }
    findings.extend(check_segment(&segment));
    check_live_docs(directory, entry, findings)
}

fn check_live_docs(directory: &Path, entry: &CommitSegment, findings: &mut Vec<Finding>) -> Result<()> {
    if entry.live_docs_generation == 0 {
        if entry.deleted_count > 0 {
            let problem = format!("{} deletions without live docs", entry.deleted_count);
            let file = directory.join(entry.id.file_name());
            findings.push(Finding { file, place: "commit point".to_owned(), problem });
        }
        return Ok(());
    }
    let path = directory.join(entry.id.live_docs_file_name(entry.live_docs_generation));
    match LiveDocs::read(directory, &entry.id, entry.live_docs_generation, entry.max_doc) {
        Ok(live) if live.deleted_count() == entry.deleted_count => {}
        Ok(live) => {
            let problem = format!("{} deletions, the commit point has {}", live.deleted_count(), entry.deleted_count);
            findings.push(Finding { file: path, place: "live docs".to_owned(), problem });
        }
        Err(error) => findings.push(finding(&path, "live docs", error)?),
    }
    Ok(())
}

fn check_numbers(directory: &Path, commit: &CommitPoint, findings: &mut Vec<Finding>) {
    let mut add = |problem: String| {
        let file = directory.join(commit.file_name());
        findings.push(Finding { file, place: "commit point".to_owned(), problem });
    };
    if commit.local_checkpoint > commit.max_seq_no {
        add(format!("local checkpoint {} is above sequence number {}", commit.local_checkpoint, commit.max_seq_no));
    }
    if commit.kept_translog_generation > commit.translog_generation {
        let (kept, needed) = (commit.kept_translog_generation, commit.translog_generation);
        add(format!("history begins with translog generation {kept}, after {needed}"));
    }
    if !commit.terms.is_sorted_by(|left, right| left.0 < right.0 && left.1 < right.1) {
        add("primary terms do not ascend".to_owned());
    }
    for segment in &commit.segments {
        if segment.id.number >= commit.next_segment_number {
            add(format!("segment {} is not below the next segment number", segment.id.name()));
        }
    }
}

/// What makes no sense in a segment whose checksums are in order.
pub fn check_segment(segment: &SegmentReader) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |place: String, problem: String| {
        findings.push(Finding { file: segment.path().to_owned(), place, problem });
    };
    for field in segment.fields() {
        if let Err(error) = check_field(field, segment.max_doc()) {
            add(format!("field [{}]", field.name()), error.reason);
        }
    }
    if let Err(error) = check_ids(segment) {
        add("_id".to_owned(), error.reason);
    }
    if let Err(error) = sort_keys::check_order(segment) {
        add("sort".to_owned(), error.reason);
    }
    if let Err(error) = check_stored(segment) {
        add("stored documents".to_owned(), error.reason);
    }
    findings
}

fn check_field(field: &FieldReader, max_doc: u32) -> Result<()> {
    if let Some(postings) = field.postings() {
        check_postings(field, postings, max_doc)?;
    }
    if let Some(column) = field.numeric() {
        if field.postings().is_none() && column.doc_count() != field.stats().doc_count {
            let (column, stats) = (column.doc_count(), field.stats().doc_count);
            return Err(Error::corrupt(format!("{column} documents in the column, {stats} in the statistics")));
        }
        column.verify()?;
    }
    if let Some(column) = field.ordinals() {
        column.verify()?;
    }
    if let Some(presence) = field.presence() {
        presence.verify()?;
    }
    if let (Some(weights), Some(postings)) = (field.weights(), field.postings()) {
        weights.verify(postings)?;
    }
    if let Some(ranges) = field.ranges() {
        if ranges.doc_count() != field.stats().doc_count {
            let (columns, stats) = (ranges.doc_count(), field.stats().doc_count);
            return Err(Error::corrupt(format!("{columns} documents have ranges, the statistics say {stats}")));
        }
        ranges.verify()?;
    }
    if let Some(vectors) = field.vectors() {
        if vectors.count() != field.stats().doc_count {
            let (column, stats) = (vectors.count(), field.stats().doc_count);
            return Err(Error::corrupt(format!("{column} documents have vectors, the statistics say {stats}")));
        }
        vectors.verify()?;
    }
    Ok(())
}

/// Terms ascend; postings are in range and agree with the statistics of term and field.
fn check_postings(field: &FieldReader, postings: &FieldPostingsReader, max_doc: u32) -> Result<()> {
    let stats = field.stats();
    let mut decoded = DecodedTerm::default();
    let mut last: Option<Vec<u8>> = None;
    let mut seen = vec![[0u64; WINDOW_WORDS]; window_count(max_doc) as usize];
    let (mut count, mut sum_doc_freq, mut sum_total_term_freq) = (0u32, 0u64, 0u64);
    let mut terms = postings.terms_from(b"")?;
    while let Some((term, entry)) = terms.next()? {
        if last.as_deref().is_some_and(|last| last >= term) || entry.ordinal != count {
            return Err(Error::corrupt(format!("term {count} of the dictionary is out of order")));
        }
        last.get_or_insert_default().clear();
        last.get_or_insert_default().extend_from_slice(term);
        let read = postings.read_term(&entry, &mut decoded);
        read.map_err(|error| Error::corrupt(format!("postings of term {count}: {}", error.reason)))?;
        for &doc in &decoded.docs {
            let in_window = doc as usize % quarry_codec::window::WINDOW;
            seen[doc as usize / quarry_codec::window::WINDOW][in_window / 64] |= 1 << (in_window % 64);
        }
        count += 1;
        sum_doc_freq += u64::from(entry.doc_freq);
        sum_total_term_freq += entry.total_term_freq;
    }
    if (count, sum_doc_freq, sum_total_term_freq)
        != (postings.term_count(), stats.sum_doc_freq, stats.sum_total_term_freq)
    {
        return Err(Error::corrupt("the terms' statistics do not add up to the field's"));
    }
    let documents: u32 = seen.iter().flatten().map(|word| word.count_ones()).sum();
    if documents != stats.doc_count {
        return Err(Error::corrupt(format!(
            "{documents} documents have terms, the statistics say {}",
            stats.doc_count
        )));
    }
    postings.pairs().map_or(Ok(()), |pairs| pairs.verify(postings))
}

/// Every id is found, at its document or at a later one with the same id. In a sorted segment that may stand before it.
fn check_ids(segment: &SegmentReader) -> Result<()> {
    for doc in 0..segment.max_doc() {
        let id = segment.ids().get(doc);
        let is_child = segment.nested().is_some_and(|nested| !nested.roots().contains(doc));
        if is_child != id.is_empty() {
            return Err(Error::corrupt(format!("document {doc} has an id and is nested, or has none and is not")));
        }
        if is_child {
            continue;
        }
        let found = segment.ids().find(id);
        if found.is_none_or(|found| found < doc && segment.sort().is_none()) {
            return Err(Error::corrupt(format!("the id of document {doc} is not found")));
        }
    }
    Ok(())
}

fn check_stored(segment: &SegmentReader) -> Result<()> {
    let mut scratch = StoredScratch::default();
    for doc in 0..segment.max_doc() {
        let record = segment.stored().get(doc, &mut scratch)?;
        Record::parse(record).map_err(|error| Error::corrupt(format!("document {doc}: {}", error.reason)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored::StoredCodec;
    use crate::tests::segments::{TestDocument, deletions, documents, write};
    use crate::tests::support::TestDirectory;
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;
    use std::fs;

    fn sample() -> Vec<TestDocument> {
        documents(20).new_tree(&mut TestRunner::deterministic()).unwrap().current()
    }

    /// Two segments, the second with deletions, and their commit point.
    fn shard(directory: &Path) -> CommitPoint {
        let mut segments = Vec::new();
        for number in 0..2u64 {
            let segment = write(directory, number, &sample(), StoredCodec::Lz4);
            let live = deletions(segment.max_doc(), |doc| number == 1 && doc.is_multiple_of(5));
            if let Some(live) = &live {
                live.write(directory, &segment.id(), 1).unwrap();
            }
            segments.push(CommitSegment {
                id: segment.id(),
                max_doc: segment.max_doc(),
                live_docs_generation: number,
                deleted_count: live.map_or(0, |live| live.deleted_count()),
                bytes: segment.bytes(),
            });
        }
        let commit = CommitPoint {
            generation: 3,
            segments,
            next_segment_number: 2,
            max_seq_no: 500,
            local_checkpoint: 500,
            translog_generation: 1,
            primary_term: 1,
            history_uuid: "history".to_owned(),
            user_data: Vec::new(),
            global_checkpoint: 400,
            kept_translog_generation: 1,
            terms: vec![(1, 0)],
        };
        commit.write(directory).unwrap();
        commit
    }

    #[test]
    fn a_whole_shard_has_no_findings() {
        let directory = TestDirectory::new();
        assert_eq!(check(directory.path()).unwrap(), []);
        shard(directory.path());
        assert_eq!(check(directory.path()).unwrap(), []);
    }

    /// Files as format version 1 wrote them are read for ever; TypeScript's tests read the same ones.
    #[test]
    fn the_kept_shard_of_format_version_1_is_whole() {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/segment/fixtures/format-1");
        assert_eq!(check(&kept).unwrap(), []);
        let commit = CommitPoint::newest(&kept).unwrap().unwrap();
        assert_eq!(commit.segments.iter().map(|segment| segment.max_doc).collect::<Vec<_>>(), [20, 20]);
    }

    #[test]
    fn segments_that_lie_elsewhere_are_not_missing() {
        let directory = TestDirectory::new();
        let commit = shard(directory.path());
        for segment in &commit.segments {
            fs::remove_file(directory.path().join(segment.id.file_name())).unwrap();
        }
        assert_eq!(check(directory.path()).unwrap().len(), 2);
        fs::write(directory.path().join(ELSEWHERE), b"").unwrap();
        assert_eq!(check(directory.path()).unwrap(), []);
    }

    #[test]
    fn every_damaged_or_missing_file_is_found() {
        let directory = TestDirectory::new();
        let commit = shard(directory.path());
        for name in commit.file_names() {
            let path = directory.path().join(&name);
            let whole = fs::read(&path).unwrap();
            let mut damaged = whole.clone();
            damaged[whole.len() / 2] ^= 8;
            fs::write(&path, damaged).unwrap();
            let findings = check(directory.path()).unwrap();
            assert_eq!(findings.len(), 1, "{findings:?}");
            assert_eq!(findings[0].file, path);
            assert!(!findings[0].problem.contains(directory.path().to_str().unwrap()), "{findings:?}");
            fs::remove_file(&path).unwrap();
            let findings = check(directory.path()).unwrap();
            let expected = if name.starts_with("commit") { directory.path() } else { &path };
            assert_eq!(findings.iter().map(|finding| finding.file.as_path()).collect::<Vec<_>>(), [expected]);
            fs::write(&path, whole).unwrap();
        }
        assert_eq!(check(directory.path()).unwrap(), []);
    }

    #[test]
    fn files_that_do_not_belong_together_are_found() {
        let directory = TestDirectory::new();
        let mut commit = shard(directory.path());
        commit.generation = 4;
        commit.segments[0].max_doc += 1;
        commit.segments[1].deleted_count += 1;
        commit.local_checkpoint = 501;
        commit.next_segment_number = 1;
        commit.kept_translog_generation = 2;
        commit.terms = vec![(2, 0), (1, 3)];
        commit.write(directory.path()).unwrap();
        let findings = check(directory.path()).unwrap();
        let places: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(places, ["header", "live docs", "commit point", "commit point", "commit point", "commit point"]);
    }
}
