//! Proves that the bytes of a segment file are whole while they come, in order, from wherever: nobody reads them twice.

use crate::layout::{self, HEADER_BYTES};
use crate::metadata::Metadata;
use crate::reader::SegmentReader;
use quarry_base::error::{Error, Result};
use std::ops::Range;

/// What the bytes of a part must be.
#[derive(Debug)]
enum Expected {
    /// These. The header and the end are small.
    Bytes(Vec<u8>),
    /// Any with this crc32c.
    Checksum(u32),
    Zeros,
    /// A header of the segment with this uuid.
    Header([u8; 16]),
}

/// Parts follow each other without gaps.
#[derive(Debug)]
struct Part {
    range: Range<u64>,
    expected: Expected,
    /// For errors: `postings of field [title] at byte 4096`.
    place: String,
}

/// Checksums of parts of one length, for whoever reads only some of them later.
#[derive(Debug)]
struct PartChecksums {
    part_bytes: usize,
    /// Of the part that the next byte belongs to: what is to come, and the checksum of what came.
    left: usize,
    running: u32,
    done: Vec<u8>,
}

impl PartChecksums {
    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(self.left.min(bytes.len()));
            self.running = crc32c::crc32c_append(self.running, now);
            self.left -= now.len();
            if self.left == 0 {
                self.done.extend(self.running.to_le_bytes());
                (self.left, self.running) = (self.part_bytes, 0);
            }
            bytes = rest;
        }
    }

    fn all(&self) -> Vec<u8> {
        let mut all = self.done.clone();
        if self.left < self.part_bytes {
            all.extend(self.running.to_le_bytes());
        }
        all
    }
}

/// Of one file, from its first byte to its last.
#[derive(Debug)]
pub struct FileCheck {
    parts: Vec<Part>,
    length: u64,
    /// How many bytes came.
    position: u64,
    /// The part that the next byte belongs to.
    at: usize,
    /// Of what came of that part.
    running: u32,
    header: Vec<u8>,
    checksums: Option<PartChecksums>,
}

impl FileCheck {
    /// Of the file of a segment that is open. Its end is proved at once.
    pub fn of(segment: &SegmentReader) -> Result<Self> {
        let check = Self::of_end(segment.id().uuid, segment.checksum(), segment.end_of_file(), segment.bytes());
        check.map_err(|error| segment.name_damage(error))
    }

    /// How many bytes at the end of a file hold its metadata and its footer; `footer`: its last 64 bytes.
    pub fn end_length(footer: &[u8], file_length: u64) -> Result<u64> {
        let (footer, _) = layout::read_footer(footer, file_length)?;
        Ok(file_length - footer.metadata.start as u64)
    }

    /// Of a file that is known by its uuid and the checksum of its metadata; `end`: see [`FileCheck::end_length`].
    pub fn of_end(uuid: [u8; 16], checksum: u32, end: &[u8], file_length: u64) -> Result<Self> {
        let (footer, owner) = layout::read_footer(end, file_length)?;
        if owner != uuid || footer.metadata_checksum != checksum {
            return Err(Error::corrupt("footer: belongs to another segment"));
        }
        let start = footer.metadata.start as u64;
        if file_length - start != end.len() as u64 {
            return Err(Error::illegal_argument("the end of a file must begin with its metadata"));
        }
        let metadata = &end[..footer.metadata.len()];
        if crc32c::crc32c(metadata) != checksum {
            return Err(Error::corrupt(format!("metadata at byte {start}: checksum does not match")));
        }
        let metadata = Metadata::decode(metadata, &(HEADER_BYTES..footer.metadata.start))?;
        let header = HEADER_BYTES as u64;
        let mut parts = vec![Part { range: 0..header, expected: Expected::Header(uuid), place: "header".into() }];
        let mut reached = header;
        let mut add = |range: Range<u64>, expected: Expected, place: String| {
            let padding = reached..range.start;
            if !padding.is_empty() {
                let place = format!("padding at byte {}", padding.start);
                parts.push(Part { range: padding, expected: Expected::Zeros, place });
            }
            reached = range.end;
            if !range.is_empty() {
                parts.push(Part { range, expected, place });
            }
        };
        for section in &metadata.sections {
            let range = section.range.start as u64..section.range.end as u64;
            add(range, Expected::Checksum(section.checksum), metadata.describe(section));
        }
        add(start..file_length, Expected::Bytes(end.to_vec()), format!("metadata at byte {start}"));
        Ok(FileCheck {
            parts,
            length: file_length,
            position: 0,
            at: 0,
            running: 0,
            header: Vec::new(),
            checksums: None,
        })
    }

    /// Computes the checksums of parts of so many bytes as well; the last may be shorter. With 0 it does not.
    pub fn with_parts(self, part_bytes: usize) -> Self {
        let parts = PartChecksums { part_bytes, left: part_bytes, running: 0, done: Vec::new() };
        FileCheck { checksums: (part_bytes > 0).then_some(parts), ..self }
    }

    /// crc32c of each part, little-endian. All bytes must have come.
    pub fn part_checksums(&self) -> Result<Vec<u8>> {
        self.finish()?;
        let checksums = self.checksums.as_ref().map(PartChecksums::all);
        checksums.ok_or_else(|| Error::illegal_state("nobody asked for checksums of parts"))
    }

    /// How many bytes came so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The next bytes. Damage is found with the last byte of the part that it is in, at the latest.
    pub fn update(&mut self, mut bytes: &[u8]) -> Result<()> {
        if let Some(checksums) = &mut self.checksums {
            checksums.update(bytes);
        }
        while !bytes.is_empty() {
            let Some(part) = self.parts.get(self.at) else {
                return Err(Error::corrupt(format!("the file is longer than its [{}] bytes", self.length)));
            };
            let left = usize::try_from(part.range.end - self.position).unwrap_or(usize::MAX);
            let (now, rest) = bytes.split_at(left.min(bytes.len()));
            let damaged = || Error::corrupt(format!("{}: checksum does not match", part.place));
            match &part.expected {
                Expected::Bytes(wanted) => {
                    let from = (self.position - part.range.start) as usize;
                    if wanted.get(from..from + now.len()) != Some(now) {
                        return Err(damaged());
                    }
                }
                Expected::Checksum(_) => self.running = crc32c::crc32c_append(self.running, now),
                Expected::Zeros => {
                    if now.iter().any(|&byte| byte != 0) {
                        return Err(Error::corrupt(format!("{}: is not zero", part.place)));
                    }
                }
                Expected::Header(_) => self.header.extend_from_slice(now),
            }
            self.position += now.len() as u64;
            if self.position == part.range.end {
                match &part.expected {
                    Expected::Checksum(checksum) if *checksum != self.running => return Err(damaged()),
                    Expected::Header(uuid) if layout::read_header(&self.header)?.uuid != *uuid => {
                        return Err(Error::corrupt("header at byte 0: belongs to another segment"));
                    }
                    _ => {}
                }
                (self.at, self.running) = (self.at + 1, 0);
            }
            bytes = rest;
        }
        Ok(())
    }

    /// All bytes must have come.
    pub fn finish(&self) -> Result<()> {
        if self.position == self.length {
            return Ok(());
        }
        Err(Error::corrupt(format!("the file ends after [{}] of its [{}] bytes", self.position, self.length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::FOOTER_BYTES;
    use crate::reader::{SegmentReader, Verify};
    use crate::stored::StoredCodec;
    use crate::tests::segments::{documents, write};
    use crate::tests::support::TestDirectory;
    use proptest::prelude::*;
    use std::fs;

    fn end_of(file: &[u8]) -> &[u8] {
        let footer = &file[file.len() - FOOTER_BYTES..];
        let length = FileCheck::end_length(footer, file.len() as u64).unwrap();
        &file[file.len() - length as usize..]
    }

    /// Pieces of these lengths, over and over.
    fn feed(check: &mut FileCheck, file: &[u8], pieces: &[usize]) -> Result<()> {
        let mut rest = file;
        for &piece in pieces.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at(piece.min(rest.len()));
            check.update(now)?;
            rest = later;
        }
        check.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// The same verdict as that of a pass over the whole file, which is the slow and obvious way.
        #[test]
        fn damage_is_found_where_a_whole_pass_finds_it(
            documents in documents(1..60),
            pieces in prop::collection::vec(1usize..3_000, 1..5),
            part_bytes in 1usize..5_000,
            place in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let directory = TestDirectory::new();
            let segment = write(directory.path(), 3, &documents, StoredCodec::Lz4);
            let whole = segment.file().to_vec();
            let (uuid, checksum, path) = (segment.id().uuid, segment.checksum(), segment.path().to_owned());
            let length = whole.len() as u64;
            let from_end = || FileCheck::of_end(uuid, checksum, end_of(&whole), length).unwrap();
            prop_assert!(feed(&mut from_end(), &whole, &pieces).is_ok());
            let mut check = FileCheck::of(&segment).unwrap().with_parts(part_bytes);
            prop_assert!(check.part_checksums().is_err());
            prop_assert!(feed(&mut check, &whole, &pieces).is_ok());
            let expected: Vec<u8> =
                whole.chunks(part_bytes).flat_map(|part| crc32c::crc32c(part).to_le_bytes()).collect();
            prop_assert_eq!(check.part_checksums().unwrap(), expected);
            prop_assert!(from_end().part_checksums().is_err());
            let mut damaged = whole.clone();
            let at = place.index(damaged.len());
            damaged[at] ^= 1 << bit;
            drop(segment);
            fs::write(&path, &damaged).unwrap();
            prop_assert!(SegmentReader::open(&path, Verify::All).is_err());
            prop_assert!(feed(&mut from_end(), &damaged, &pieces).is_err());
        }
    }

    #[test]
    fn a_file_must_be_the_one_that_was_named_and_as_long_as_it_was() {
        use proptest::strategy::ValueTree;
        let sample = documents(20).new_tree(&mut proptest::test_runner::TestRunner::deterministic()).unwrap().current();
        let directory = TestDirectory::new();
        let segment = write(directory.path(), 3, &sample, StoredCodec::Lz4);
        let (file, uuid, checksum) = (segment.file(), segment.id().uuid, segment.checksum());
        let (length, end) = (file.len() as u64, end_of(file));
        assert!(FileCheck::of_end([9; 16], checksum, end, length).is_err());
        assert!(FileCheck::of_end(uuid, checksum ^ 1, end, length).is_err());
        assert!(FileCheck::of_end(uuid, checksum, &end[1..], length).is_err());
        assert!(FileCheck::of_end(uuid, checksum, &[], length).is_err());
        assert!(FileCheck::end_length(&end[end.len() - FOOTER_BYTES..], length + 1).is_err());
        let check = || FileCheck::of_end(uuid, checksum, end, length).unwrap();
        assert!(feed(&mut check(), &file[..file.len() - 1], &[500]).is_err());
        let longer = [&file[..], &[0]].concat();
        assert!(feed(&mut check(), &longer, &[500]).is_err());
    }
}
