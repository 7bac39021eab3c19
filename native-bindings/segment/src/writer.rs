//! Writes a segment file: section after section, then metadata and footer.

use super::FieldKind;
use super::column::numeric::NumericColumnData;
use super::column::ordinal::OrdinalColumnData;
use super::column::presence::PresenceData;
use super::column::range::RangeColumnsData;
use super::files;
use super::id::SegmentId;
use super::ids::IdsData;
use super::index_sort::IndexSort;
use super::layout::{self, ALIGNMENT, FOOTER_BYTES, Footer};
pub use super::layout::{Features, Format};
use super::metadata::{FieldMetadata, Metadata, SectionEntry, SectionKind};
use super::reader::FieldStats;
use super::stored::StoredData;
use super::throttle::{MergeControl, Pace};
use super::vectors::data::VectorsData;
use crate::completion::weights::WeightsData;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::plain::for_each_piece;
use quarry_codec::window::{WINDOW, window_count};
use quarry_postings::{FieldPostings, PostingsOptions};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes between two looks at the pace.
const CHUNK: usize = 1 << 20;

/// Everything a segment keeps of one field.
#[derive(Debug)]
pub struct FieldSections {
    pub name: String,
    pub kind: FieldKind,
    pub options: PostingsOptions,
    /// Documents with at least one term, or value for numbers: what BM25 calls N, with the field.
    pub doc_count: u32,
    pub postings: Option<FieldPostings>,
    /// One byte per document ([`quarry_codec::norm`]); the writer pads to whole windows.
    pub norms: Option<Vec<u8>>,
    pub numeric: Option<NumericColumnData>,
    pub ordinals: Option<OrdinalColumnData>,
    /// For fields whose documents no column tells.
    pub presence: Option<PresenceData>,
    /// Of completion fields.
    pub weights: Option<WeightsData>,
    pub ranges: Option<RangeColumnsData>,
    pub vectors: Option<VectorsData>,
}

impl FieldSections {
    /// A field of which nothing is kept yet.
    pub fn new(name: &str, kind: FieldKind, options: PostingsOptions, doc_count: u32) -> Self {
        FieldSections {
            name: name.to_owned(),
            kind,
            options,
            doc_count,
            postings: None,
            norms: None,
            numeric: None,
            ordinals: None,
            presence: None,
            weights: None,
            ranges: None,
            vectors: None,
        }
    }

    /// Bytes of all sections.
    pub fn bytes(&self) -> usize {
        let postings = self.postings.as_ref();
        let postings = postings.map_or(0, |it| {
            let pairs = it.pairs.as_ref().map_or(0, |pairs| pairs.len());
            it.dictionary.len() + it.postings.len() + it.positions.len() + pairs
        });
        let numeric = self.numeric.as_ref().map_or(0, |column| column.bytes.len());
        let ordinals = self.ordinals.as_ref().map_or(0, |column| column.bytes.len());
        postings + numeric + ordinals + self.norms.as_ref().map_or(0, Vec::len)
    }
}

/// What every segment has.
#[derive(Debug)]
pub struct SystemSections {
    pub max_doc: u32,
    pub ids: IdsData,
    pub seq_nos: NumericColumnData,
    pub versions: NumericColumnData,
    pub primary_terms: NumericColumnData,
    pub stored: StoredData,
    /// What the documents are sorted by; the writer was made for such a segment.
    pub sort: Option<IndexSort>,
}

/// Where the bytes of a segment go.
#[derive(Debug)]
enum Destination {
    /// Written beside the path and renamed in `finish`; dropped before that, what was written is removed.
    File {
        path: PathBuf,
        beside: PathBuf,
        file: BufWriter<File>,
        is_finished: bool,
    },
    Memory(Vec<u8>),
}

/// Writes a segment to a file or to memory.
#[derive(Debug)]
pub struct SegmentWriter<'c> {
    destination: Destination,
    id: SegmentId,
    format: Format,
    position: usize,
    /// In the order they came; sections name them by that place until `finish` sorts them.
    fields: Vec<FieldMetadata>,
    sections: Vec<SectionEntry>,
    /// Of the section that is written in pieces.
    running_checksum: u32,
    pace: Pace<'c>,
}

impl<'c> SegmentWriter<'c> {
    pub fn create(path: &Path, id: SegmentId, format: Format) -> Result<Self> {
        Self::create_paced(path, id, format, None)
    }

    /// As `create`, at the pace of a merge; cancellation fails the next write.
    pub fn create_paced(path: &Path, id: SegmentId, format: Format, control: Option<&'c MergeControl>) -> Result<Self> {
        let beside = files::temporary(path);
        let file = File::create(&beside).map_err(|error| Error::io("cannot create", &beside, error))?;
        let file = BufWriter::with_capacity(CHUNK, file);
        Self::to(Destination::File { path: path.to_owned(), beside, file, is_finished: false }, id, format, control)
    }

    /// A segment that no file holds.
    pub fn in_memory(id: SegmentId, format: Format) -> Result<Self> {
        Self::to(Destination::Memory(Vec::new()), id, format, None)
    }

    fn to(destination: Destination, id: SegmentId, format: Format, control: Option<&'c MergeControl>) -> Result<Self> {
        let mut writer = SegmentWriter {
            destination,
            id,
            format,
            position: 0,
            fields: Vec::new(),
            sections: Vec::new(),
            running_checksum: 0,
            pace: Pace::new(control),
        };
        writer.write(&layout::header(&id, format))?;
        Ok(writer)
    }

    /// In any order, each name once.
    pub fn add_field(&mut self, field: FieldSections) -> Result<()> {
        let postings = field.postings.unwrap_or_default();
        let place = Some(self.fields.len());
        self.fields.push(FieldMetadata {
            name: field.name,
            kind: field.kind,
            options: field.options,
            term_count: postings.term_count,
            stats: FieldStats {
                doc_count: field.doc_count,
                sum_doc_freq: postings.sum_doc_freq,
                sum_total_term_freq: postings.sum_total_term_freq,
            },
        });
        if !postings.dictionary.is_empty() {
            self.section(SectionKind::Dictionary, place, &postings.dictionary)?;
            self.section(SectionKind::Postings, place, &postings.postings)?;
            self.section(SectionKind::Positions, place, &postings.positions)?;
            postings.pairs.map_or(Ok(()), |pairs| self.section(SectionKind::Pairs, place, &pairs))?;
        }
        if let Some(mut norms) = field.norms {
            norms.resize(norms.len().next_multiple_of(WINDOW), 0);
            self.section(SectionKind::Norms, place, &norms)?;
        }
        if let Some(numeric) = field.numeric {
            self.section(SectionKind::Numeric, place, &numeric.bytes)?;
        }
        if let Some(ordinals) = field.ordinals {
            self.section(SectionKind::Ordinals, place, &ordinals.bytes)?;
        }
        if let Some(presence) = field.presence {
            self.section(SectionKind::Presence, place, &presence.bytes)?;
        }
        if let Some(weights) = field.weights {
            self.section(SectionKind::Weights, place, &weights.bytes)?;
        }
        if let Some(ranges) = field.ranges {
            self.section(SectionKind::RangeBeginnings, place, &ranges.from.bytes)?;
            self.section(SectionKind::RangeEnds, place, &ranges.to.bytes)?;
            if let Some((from, to)) = ranges.lower {
                self.section(SectionKind::RangeBeginningsLower, place, &from.bytes)?;
                self.section(SectionKind::RangeEndsLower, place, &to.bytes)?;
            }
        }
        field.vectors.map_or(Ok(()), |vectors| self.vectors(place, &vectors))
    }

    /// Vectors are many bytes: they are written as they come.
    fn vectors(&mut self, field: Option<usize>, vectors: &VectorsData) -> Result<()> {
        self.section_in_pieces(SectionKind::Vectors, field, |take| vectors.for_each_piece(take))?;
        let Some(graph) = vectors.graph() else { return Ok(()) };
        self.section_in_pieces(SectionKind::VectorGraph, field, |take| for_each_piece(graph, take))
    }

    fn section_in_pieces(
        &mut self,
        kind: SectionKind,
        field: Option<usize>,
        pieces: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        self.start_section(kind, field)?;
        let mut checksum = 0;
        pieces(&mut |piece| {
            checksum = crc32c::crc32c_append(checksum, piece);
            self.write(piece)
        })?;
        self.end_section(checksum);
        Ok(())
    }

    /// Completes and renames the file; not fsynced (see [`sync_segment`]). Returns its length.
    pub fn finish(mut self, system: SystemSections) -> Result<u64> {
        self.complete(system)?;
        if let Destination::File { path, beside, file, is_finished } = &mut self.destination {
            file.flush().map_err(|error| Error::io("cannot write", beside, error))?;
            fs::rename(&*beside, &*path).map_err(|error| Error::io("cannot rename to", path, error))?;
            *is_finished = true;
        }
        Ok(self.position as u64)
    }

    /// As `finish`, of a segment in memory: its bytes.
    pub fn finish_in_memory(mut self, system: SystemSections) -> Result<Vec<u8>> {
        self.complete(system)?;
        match &mut self.destination {
            Destination::Memory(bytes) => Ok(std::mem::take(bytes)),
            Destination::File { .. } => Err(Error::internal("the segment is written to a file")),
        }
    }

    fn complete(&mut self, system: SystemSections) -> Result<()> {
        let max_doc = system.max_doc;
        if (system.ids.doc_count(), system.stored.doc_count()) != (max_doc, max_doc) {
            return Err(Error::new(ErrorCode::Internal, "ids or stored documents are not one for each document"));
        }
        let (min_seq_no, max_seq_no) = system.seq_nos.range().unwrap_or((-1, -1));
        let stored_codec = system.stored.codec;
        self.section(SectionKind::Ids, None, &system.ids.bytes)?;
        self.section(SectionKind::SeqNos, None, &system.seq_nos.bytes)?;
        self.section(SectionKind::Versions, None, &system.versions.bytes)?;
        self.section(SectionKind::PrimaryTerms, None, &system.primary_terms.bytes)?;
        self.section(SectionKind::StoredIndex, None, &system.stored.index)?;
        if !self.sections.iter().any(|section| section.kind == SectionKind::StoredBlocks) {
            self.section(SectionKind::StoredBlocks, None, &system.stored.blocks)?;
        }
        self.verify_norms(max_doc)?;
        self.sort_fields()?;
        let metadata = Metadata {
            id: self.id,
            max_doc,
            stored_codec,
            fields: std::mem::take(&mut self.fields),
            sections: std::mem::take(&mut self.sections),
            min_seq_no,
            max_seq_no,
            sort: system.sort,
        };
        self.write_end(&metadata.encode())
    }

    fn verify_norms(&self, max_doc: u32) -> Result<()> {
        let expected = window_count(max_doc) as usize * WINDOW;
        let mut norms = self.sections.iter().filter(|section| section.kind == SectionKind::Norms);
        if norms.any(|section| section.range.len() != expected) {
            return Err(Error::new(ErrorCode::Internal, "norms are not one for each document"));
        }
        Ok(())
    }

    /// Sorts the fields by name and makes the sections follow them.
    fn sort_fields(&mut self) -> Result<()> {
        let mut order: Vec<usize> = (0..self.fields.len()).collect();
        order.sort_by(|&a, &b| self.fields[a].name.cmp(&self.fields[b].name));
        let mut new_place = vec![0; order.len()];
        for (place, &old) in order.iter().enumerate() {
            new_place[old] = place;
        }
        for section in &mut self.sections {
            section.field = section.field.map(|field| new_place[field]);
        }
        self.fields.sort_by(|a, b| a.name.cmp(&b.name));
        match self.fields.windows(2).find(|pair| pair[0].name == pair[1].name) {
            Some(pair) => Err(Error::new(ErrorCode::Internal, format!("field [{}] was added twice", pair[0].name))),
            None => Ok(()),
        }
    }

    fn section(&mut self, kind: SectionKind, field: Option<usize>, bytes: &[u8]) -> Result<()> {
        self.start_section(kind, field)?;
        self.write(bytes)?;
        self.end_section(crc32c::crc32c(bytes));
        Ok(())
    }

    fn start_section(&mut self, kind: SectionKind, field: Option<usize>) -> Result<()> {
        self.align()?;
        self.sections.push(SectionEntry { kind, field, range: self.position..self.position, checksum: 0 });
        Ok(())
    }

    fn end_section(&mut self, checksum: u32) {
        if let Some(section) = self.sections.last_mut() {
            section.range.end = self.position;
            section.checksum = checksum;
        }
    }

    /// Opens the section of stored blocks, for writing it in pieces; between this and the end nothing else is written, and
    /// the blocks given to `finish` are ignored.
    pub(super) fn start_stored_blocks(&mut self) -> Result<()> {
        self.start_section(SectionKind::StoredBlocks, None)
    }

    pub(super) fn write_stored_blocks(&mut self, blocks: &[u8]) -> Result<()> {
        self.write(blocks)?;
        self.running_checksum = crc32c::crc32c_append(self.running_checksum, blocks);
        Ok(())
    }

    pub(super) fn end_stored_blocks(&mut self) {
        self.end_section(self.running_checksum);
    }

    fn write_end(&mut self, metadata: &[u8]) -> Result<()> {
        self.align()?;
        let start = self.position;
        self.write(metadata)?;
        let metadata_checksum = crc32c::crc32c(metadata);
        let footer = Footer { format: self.format, metadata: start..self.position, metadata_checksum };
        self.align()?;
        let length = (self.position + FOOTER_BYTES) as u64;
        let footer = footer.write(&self.id, length);
        self.write(&footer)
    }

    fn align(&mut self) -> Result<()> {
        let padding = self.position.next_multiple_of(ALIGNMENT) - self.position;
        self.write(&[0; ALIGNMENT][..padding])
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        for chunk in bytes.chunks(CHUNK) {
            match &mut self.destination {
                Destination::File { beside, file, .. } => {
                    file.write_all(chunk).map_err(|error| Error::io("cannot write", beside, error))?;
                }
                Destination::Memory(bytes) => bytes.extend_from_slice(chunk),
            }
            self.position += chunk.len();
            self.pace.wrote(chunk.len())?;
        }
        Ok(())
    }
}

impl Drop for SegmentWriter<'_> {
    fn drop(&mut self) {
        if let Destination::File { beside, is_finished: false, .. } = &self.destination {
            // Without a name of its own the file hurts nobody: start-up removes leftovers.
            let _ = fs::remove_file(beside);
        }
    }
}

/// Makes a finished segment durable, its name included: before a commit point names it.
pub fn sync_segment(path: &Path) -> Result<()> {
    files::sync(path)
}
