//! How segments and the files of a shard directory are called.
//!
//! `_1b.seg` segment, `_1b_3.live` third generation of its deletions, `commit_2f` commit point; numbers are in base 36.
//! `<name>.tmp` is a file that is being written.

use super::files;
use quarry_base::error::Result;
use std::fmt;
use std::path::Path;

/// Segments that a primary writes before their numbers reach those of the next term: some years of one each second.
const NUMBERS_PER_TERM: u64 = 1 << 28;

/// Where the numbers of a primary begin that was a replica before: every primary term has one primary, so none of its
/// predecessors, whose segments this copy may not know of, has used them.
pub fn first_number_of(primary_term: u64) -> u64 {
    primary_term.saturating_mul(NUMBERS_PER_TERM)
}

/// Above those of all segments of a directory, whole or not.
pub fn next_number_in(directory: &Path) -> Result<u64> {
    let number = |name: &String| match ShardFile::parse(name.strip_suffix(files::TEMPORARY).unwrap_or(name))? {
        ShardFile::Segment { number } => Some(number),
        _ => None,
    };
    Ok(files::names(directory)?.iter().filter_map(number).max().map_or(0, |number| number.saturating_add(1)))
}

/// A segment of one shard: a number that rises with each segment, and random bytes that no other segment has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentId {
    pub number: u64,
    pub uuid: [u8; 16],
}

impl SegmentId {
    /// `_0`, `_a`, `_1b`: the number in base 36, as the API prints it.
    pub fn name(&self) -> String {
        format!("_{}", Base36(self.number))
    }

    /// `_1b.seg`
    pub fn file_name(&self) -> String {
        ShardFile::Segment { number: self.number }.to_string()
    }

    /// `_1b_3.live` of the third generation of deletions.
    pub fn live_docs_file_name(&self, generation: u64) -> String {
        ShardFile::LiveDocs { number: self.number, generation }.to_string()
    }

    /// A key for the hash index of ids that clients cannot know.
    pub fn hash_key(&self) -> u64 {
        let (halves, _) = self.uuid.as_chunks::<8>();
        u64::from_le_bytes(halves[0]) ^ u64::from_le_bytes(halves[1]).rotate_left(32)
    }
}

/// A file of this room in a shard directory, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardFile {
    Segment { number: u64 },
    LiveDocs { number: u64, generation: u64 },
    Commit { generation: u64 },
}

impl ShardFile {
    /// `None` for names that are not this room's.
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(generation) = name.strip_prefix("commit_") {
            return Some(ShardFile::Commit { generation: parse_base36(generation)? });
        }
        let name = name.strip_prefix('_')?;
        if let Some(number) = name.strip_suffix(".seg") {
            return Some(ShardFile::Segment { number: parse_base36(number)? });
        }
        let (number, generation) = name.strip_suffix(".live")?.split_once('_')?;
        Some(ShardFile::LiveDocs { number: parse_base36(number)?, generation: parse_base36(generation)? })
    }
}

impl fmt::Display for ShardFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ShardFile::Segment { number } => write!(out, "_{}.seg", Base36(number)),
            ShardFile::LiveDocs { number, generation } => {
                write!(out, "_{}_{}.live", Base36(number), Base36(generation))
            }
            ShardFile::Commit { generation } => write!(out, "commit_{}", Base36(generation)),
        }
    }
}

struct Base36(u64);

impl fmt::Display for Base36 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = Vec::new();
        let mut rest = self.0;
        loop {
            digits.push(char::from_digit((rest % 36) as u32, 36).unwrap_or('0'));
            rest /= 36;
            if rest == 0 {
                break;
            }
        }
        digits.iter().rev().try_for_each(|&digit| fmt::Write::write_char(out, digit))
    }
}

/// Only what [`Base36`] writes: lower case, no sign, no leading zero.
fn parse_base36(digits: &str) -> Option<u64> {
    let number = u64::from_str_radix(digits, 36).ok()?;
    (Base36(number).to_string() == digits).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_round_trip(number: u64, generation: u64) {
            for file in [
                ShardFile::Segment { number }, ShardFile::LiveDocs { number, generation }, ShardFile::Commit { generation },
            ] {
                prop_assert_eq!(ShardFile::parse(&file.to_string()), Some(file));
            }
        }
    }

    #[test]
    fn names_are_the_interfaces() {
        let id = SegmentId { number: 47, uuid: [0; 16] };
        assert_eq!((id.name().as_str(), id.file_name().as_str()), ("_1b", "_1b.seg"));
        assert_eq!(id.live_docs_file_name(3), "_1b_3.live");
        for foreign in
            ["translog-1.log", "_0.seg.tmp", "_0A.seg", "_00.seg", "_.seg", "commit_", "commit_+1", "_1.live"]
        {
            assert_eq!(ShardFile::parse(foreign), None, "{foreign}");
        }
    }
}
