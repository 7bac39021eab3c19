//! Reads a segment file through a memory map.
mod field;

pub use field::FieldReader;

use super::closing::{Closing, MadeOfSegments};
use super::column::numeric::NumericColumn;
use super::column::packed::DIRECTORY_ENTRY_BYTES;
use super::files;
use super::id::{SegmentId, ShardFile};
use super::ids::Ids;
use super::index_sort::IndexSort;
use super::layout::{self, FOOTER_BYTES, Features, Footer, Format, HEADER_BYTES};
use super::metadata::{FieldMetadata, Metadata, SectionEntry, SectionKind};
use super::nested::{DocBits, NESTED_PATH_FIELD, Nested};
use super::stored::{Stored, StoredCodec};
use super::{FieldKind, SEQ_NO_FIELD};
use field::{FieldSource, Opened};
use memmap2::Mmap;
use quarry_base::error::{Error, Result};
use quarry_blocks::folder;
use quarry_blocks::reading::{in_turn, raise};
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::window_count;
use quarry_postings::{PAIRS_HEAD_MAX, index_bytes};
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Of the headers of columns, at most.
const COLUMN_HEADER_MAX: usize = 128;

/// How much of the file is read to prove that it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// Header, footer, metadata, bounds and inner directories of every section: at open.
    Metadata,
    /// The checksum of every byte as well: before a merge, at recovery, by `check`.
    All,
}

/// Statistics of a field in one segment, deleted documents included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldStats {
    pub doc_count: u32,
    pub sum_doc_freq: u64,
    pub sum_total_term_freq: u64,
}

/// An open segment. Immutable, usable from several threads; the map lives as long as anything that was taken from it.
#[derive(Debug)]
pub struct SegmentReader {
    path: PathBuf,
    file: SharedBytes,
    footer: Footer,
    metadata: Arc<Metadata>,
    /// In the order of `metadata.fields`: sorted by name.
    fields: Vec<FieldReader>,
    own: OwnParts,
    /// What does not lie in the file, as far as it was known when it was opened.
    table_bytes: usize,
    closing: Closing,
}

/// The parts that are the segment's own. Of a file that lies elsewhere each is opened when it is asked for; else all are from the beginning.
#[derive(Debug, Default)]
struct OwnParts {
    ids: OnceLock<Ids>,
    seq_nos: OnceLock<NumericColumn>,
    /// The same as a field, which is not one of the metadata's: no merge knows it.
    seq_no_field: OnceLock<FieldReader>,
    versions: OnceLock<NumericColumn>,
    primary_terms: OnceLock<NumericColumn>,
    stored: OnceLock<Stored>,
    nested: OnceLock<Option<Box<Nested>>>,
}

impl SegmentReader {
    /// Damage is [`quarry_base::error::ErrorCode::Corrupt`]; the reason names the file, the section and its place.
    #[inline]
    pub fn open(path: &Path, verify: Verify) -> Result<Arc<Self>> {
        match folder::find(path) {
            Some(remote) => {
                remote.note_opened();
                // Each part of it is verified when it is fetched. One who opens several holds nothing of the others.
                in_turn(|| Self::open_bytes(SharedBytes::remote(Arc::clone(&remote)), path, Verify::Metadata))
            }
            None => Self::open_here(path, verify),
        }
    }

    /// The file of this directory, also where one of its name lies elsewhere. Errors: as those of [`SegmentReader::open`].
    pub fn open_here(path: &Path, verify: Verify) -> Result<Arc<Self>> {
        Self::open_bytes(map(path)?, path, verify)
    }

    /// A segment that no file holds; what it is called in errors.
    #[inline]
    pub fn in_memory(bytes: Vec<u8>, name: &str) -> Result<Arc<Self>> {
        Self::open_bytes(bytes.into(), Path::new(name), Verify::Metadata)
    }

    fn open_bytes(file: SharedBytes, path: &Path, verify: Verify) -> Result<Arc<Self>> {
        let in_file = |error: Error| name_file(path, error);
        let id = read_id(&file).map_err(in_file)?;
        let footer = Footer::read(&file, &id).map_err(in_file)?;
        let bounds = HEADER_BYTES..footer.metadata.start;
        let mut metadata = Metadata::decode(&file[footer.metadata.clone()], &bounds).map_err(in_file)?;
        if metadata.id != id {
            return Err(in_file(Error::corrupt("metadata: belongs to another segment than the header")));
        }
        metadata.id.number = number_in_name(path).unwrap_or(metadata.id.number);
        if verify == Verify::All {
            verify_bytes(&file, &metadata, &footer).map_err(in_file)?;
        }
        let metadata = Arc::new(metadata);
        let fields = open_fields(path, &file, &metadata)?;
        let own = OwnParts::default();
        let (path, closing) = (path.to_owned(), Closing::of(id.uuid));
        let mut reader = SegmentReader { path, file, footer, metadata, fields, own, table_bytes: 0, closing };
        if !reader.file.is_remote() {
            reader.open_own()?;
            reader.table_bytes = reader.tables();
        }
        reader.check_format().map_err(in_file)?;
        Ok(Arc::new(reader))
    }

    fn open_own(&self) -> Result<()> {
        let sections = self.sections()?;
        // None of the cells is set yet.
        let _ = self.own.ids.set(self.open_ids(&sections)?);
        let _ = self.own.seq_nos.set(self.open_system(&sections, SectionKind::SeqNos)?);
        let _ = self.own.versions.set(self.open_system(&sections, SectionKind::Versions)?);
        let _ = self.own.primary_terms.set(self.open_system(&sections, SectionKind::PrimaryTerms)?);
        let _ = self.own.stored.set(self.open_stored(&sections)?);
        let _ = self.own.nested.set(self.open_nested()?);
        Ok(())
    }

    fn sections(&self) -> Result<Sections<'_>> {
        Sections::new(&self.path, &self.file, &self.metadata)
    }

    fn open_ids(&self, sections: &Sections<'_>) -> Result<Ids> {
        sections.open(SectionKind::Ids, |bytes| Ids::open(bytes, self.max_doc()))
    }

    fn open_system(&self, sections: &Sections<'_>, kind: SectionKind) -> Result<NumericColumn> {
        sections.open(kind, |bytes| open_system(bytes, self.max_doc()))
    }

    fn open_stored(&self, sections: &Sections<'_>) -> Result<Stored> {
        let blocks = sections.require(SectionKind::StoredBlocks)?;
        let place = sections.describe(None, SectionKind::StoredBlocks);
        let open = |index| Stored::open(blocks, index, self.max_doc(), place);
        let stored = sections.open(SectionKind::StoredIndex, open)?;
        if stored.codec() != self.metadata.stored_codec {
            let error = Error::corrupt("metadata: stored codec is not the one of the stored documents");
            return Err(self.name_damage(error));
        }
        Ok(stored)
    }

    fn open_nested(&self) -> Result<Option<Box<Nested>>> {
        let field = self.fields.iter().find(|field| field.name() == NESTED_PATH_FIELD);
        let opened = field.map(|field| Nested::open(field, self.max_doc()).map(Box::new)).transpose();
        opened.map_err(|error| self.name_damage(error))
    }

    /// A part that may not be open yet. Readers cannot fail: see [`quarry_blocks::reading`].
    #[inline]
    fn part<'s, T>(&'s self, cell: &'s OnceLock<T>, open: impl FnOnce(&Sections<'_>) -> Result<T>) -> &'s T {
        match cell.get() {
            Some(part) => part,
            None => self.open_part(cell, open),
        }
    }

    #[cold]
    #[inline(never)]
    fn open_part<'s, T>(&'s self, cell: &'s OnceLock<T>, open: impl FnOnce(&Sections<'_>) -> Result<T>) -> &'s T {
        let opened = self.sections().and_then(|sections| open(&sections)).unwrap_or_else(|error| raise(error));
        // Not in there: it may wait for a worker, which would wait here.
        cell.get_or_init(|| opened)
    }

    fn check_format(&self) -> Result<()> {
        let has = |kind| self.metadata.fields.iter().any(|field| field.kind == kind);
        let features = Features {
            nested: self.metadata.fields.iter().any(|field| field.name == NESTED_PATH_FIELD),
            ranges: has(FieldKind::Range),
            sorted: self.metadata.sort.is_some(),
            vectors: has(FieldKind::Vector),
            dictionaries: self.own.stored.get().is_some_and(Stored::has_dictionaries),
            pairs: self.metadata.sections.iter().any(|section| section.kind == SectionKind::Pairs),
        };
        check_format(self.footer.format, features)
    }

    /// Whether reading it may mean fetching it from elsewhere.
    #[inline]
    pub fn is_remote(&self) -> bool {
        self.file.is_remote()
    }

    /// Has a table forget the segment when this reader goes: it holds something that was made with the reader.
    pub fn tell_when_closed(&self, table: &'static dyn MadeOfSegments) {
        self.closing.tell(table);
    }

    /// Reads every byte and compares checksums.
    #[inline]
    pub fn verify_checksums(&self) -> Result<()> {
        let header = read_id(&self.file);
        let footer = header.and_then(|id| Footer::read(&self.file, &id));
        let all = footer.and_then(|_| verify_bytes(&self.file, &self.metadata, &self.footer));
        all.map_err(|error| name_file(&self.path, error))
    }

    /// What the file ends with: its metadata and its footer.
    pub(super) fn end_of_file(&self) -> &[u8] {
        &self.file[self.footer.metadata.start..]
    }

    /// Puts the file's name before the reason of damage that was met while reading from this segment.
    #[inline]
    pub fn name_damage(&self, error: Error) -> Error {
        name_file(&self.path, error)
    }

    #[inline]
    pub fn id(&self) -> SegmentId {
        self.metadata.id
    }

    #[inline]
    pub fn path(&self) -> &Path {
        &self.path
    }

    #[inline]
    pub fn max_doc(&self) -> u32 {
        self.metadata.max_doc
    }

    /// What each section takes: the field that it belongs to, or `None` for what is the segment's own.
    #[inline]
    pub fn section_sizes(&self) -> impl Iterator<Item = (Option<&str>, SectionKind, u64)> {
        self.metadata.sections.iter().map(|section| {
            let field = section.field.map(|place| self.metadata.fields[place].name.as_str());
            (field, section.kind, section.range.len() as u64)
        })
    }

    /// Every byte of the file.
    #[inline]
    pub fn file(&self) -> &SharedBytes {
        &self.file
    }

    /// Of the metadata, which holds the checksums of all sections: two files of one segment with this checksum are equal when
    /// both are whole.
    #[inline]
    pub fn checksum(&self) -> u32 {
        self.footer.metadata_checksum
    }

    /// Length of the file.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.file.len() as u64
    }

    /// What the reader takes outside of its file: tables of its fields, sections and columns, and nested documents.
    #[inline]
    pub fn heap_bytes(&self) -> u64 {
        // Of a file that lies elsewhere more and more is opened.
        let tables = if self.file.is_remote() { self.tables() } else { self.table_bytes };
        let nested = self.own.nested.get().and_then(Option::as_deref);
        (tables + nested.map_or(0, Nested::heap_bytes)) as u64
    }

    fn tables(&self) -> usize {
        let OwnParts { seq_nos, versions, primary_terms, stored, .. } = &self.own;
        let systems = [seq_nos, versions, primary_terms].into_iter().filter_map(OnceLock::get);
        let tables = [
            size_of::<Self>(),
            self.metadata.heap_bytes(),
            self.fields.iter().map(FieldReader::heap_bytes).sum(),
            systems.map(NumericColumn::heap_bytes).sum(),
            stored.get().map_or(0, Stored::heap_bytes),
        ];
        tables.into_iter().sum()
    }

    /// Smallest and largest sequence number, deleted documents included; `None` in an empty segment.
    #[inline]
    pub fn seq_no_range(&self) -> Option<(i64, i64)> {
        if self.file.is_remote() {
            return (self.max_doc() > 0).then_some((self.metadata.min_seq_no, self.metadata.max_seq_no));
        }
        self.seq_nos().range()
    }

    /// Of the mapping, or [`SEQ_NO_FIELD`].
    #[inline]
    pub fn field(&self, name: &str) -> Option<&FieldReader> {
        match self.fields.binary_search_by(|field| field.name().cmp(name)) {
            Ok(place) => Some(&self.fields[place]),
            Err(_) => (name == SEQ_NO_FIELD).then(|| self.seq_no_field()),
        }
    }

    fn seq_no_field(&self) -> &FieldReader {
        let column = self.seq_nos();
        self.own.seq_no_field.get_or_init(|| FieldReader::of_column(SEQ_NO_FIELD, column.clone()))
    }

    /// Sorted by name.
    #[inline]
    pub fn fields(&self) -> &[FieldReader] {
        &self.fields
    }

    /// What the documents are sorted by; `None`: they are as they came.
    #[inline]
    pub fn sort(&self) -> Option<&IndexSort> {
        self.metadata.sort.as_ref()
    }

    /// `None`: no document is part of another.
    #[inline]
    pub fn nested(&self) -> Option<&Nested> {
        self.part(&self.own.nested, |_| self.open_nested()).as_deref()
    }

    /// The documents at a nested path, the roots for an empty one; `None` where the segment has no such children.
    #[inline]
    pub fn nested_at(&self, path: &str) -> Result<Option<DocBits<'_>>> {
        let (Some(nested), Some(field)) = (self.nested(), self.field(NESTED_PATH_FIELD)) else { return Ok(None) };
        if path.is_empty() {
            return Ok(Some(nested.roots()));
        }
        nested.at(path, field).map_err(|error| self.name_damage(error))
    }

    /// The first document of the block that ends with a root; the root itself where it has no children.
    #[inline]
    pub fn block_start(&self, root: u32) -> u32 {
        self.nested().map_or(root, |nested| nested.roots().block_start(root))
    }

    #[inline]
    pub fn ids(&self) -> &Ids {
        self.part(&self.own.ids, |sections| self.open_ids(sections))
    }

    #[inline]
    pub fn stored(&self) -> &Stored {
        self.part(&self.own.stored, |sections| self.open_stored(sections))
    }

    #[inline]
    pub fn stored_codec(&self) -> StoredCodec {
        self.metadata.stored_codec
    }

    /// One value for every document, as are versions and primary terms.
    #[inline]
    pub fn seq_nos(&self) -> &NumericColumn {
        self.part(&self.own.seq_nos, |sections| self.open_system(sections, SectionKind::SeqNos))
    }

    #[inline]
    pub fn versions(&self) -> &NumericColumn {
        self.part(&self.own.versions, |sections| self.open_system(sections, SectionKind::Versions))
    }

    #[inline]
    pub fn primary_terms(&self) -> &NumericColumn {
        self.part(&self.own.primary_terms, |sections| self.open_system(sections, SectionKind::PrimaryTerms))
    }
}

/// What the sections of a field are opened by: where the blocks of its terms are, and the directories of its columns.
fn heads(metadata: &Metadata, place: usize) -> Vec<Range<usize>> {
    let field = &metadata.fields[place];
    let directory = COLUMN_HEADER_MAX + window_count(metadata.max_doc) as usize * DIRECTORY_ENTRY_BYTES;
    let sections = metadata.sections.iter().filter(|section| section.field == Some(place));
    let heads = sections.filter_map(|section| {
        let bytes = match section.kind {
            SectionKind::Dictionary => index_bytes(field.term_count),
            SectionKind::Pairs => PAIRS_HEAD_MAX,
            SectionKind::Postings | SectionKind::Positions | SectionKind::VectorGraph => return None,
            _ => directory,
        };
        Some(section.range.start..section.range.start.saturating_add(bytes).min(section.range.end))
    });
    heads.collect()
}

fn check_format(format: Format, features: Features) -> Result<()> {
    // Files that may have dictionaries or pairs need not have any.
    let claimed = Features {
        dictionaries: features.dictionaries || format == Format::Dictionaries,
        pairs: features.pairs || format == Format::Pairs,
        ..features
    };
    if Format::of(claimed) != format {
        let reason = "metadata: format version does not go with nested documents, ranges, vectors, dictionaries, pairs and the sort";
        return Err(Error::corrupt(reason));
    }
    // What is sorted would tear blocks apart.
    if features.nested && features.sorted {
        return Err(Error::corrupt("metadata: the segment is sorted and has nested documents"));
    }
    Ok(())
}

fn read_id(file: &SharedBytes) -> Result<SegmentId> {
    layout::read_header(&file[..file.len().min(HEADER_BYTES)])
}

/// Fields of a file that lies elsewhere are opened when they are asked for.
fn open_fields(path: &Path, file: &SharedBytes, metadata: &Arc<Metadata>) -> Result<Vec<FieldReader>> {
    let sections = Sections::new(path, file, metadata)?;
    let max_doc = metadata.max_doc;
    let open = |(place, field): (usize, &FieldMetadata)| {
        let source = OneField { sections: &sections, place };
        if !file.is_remote() {
            return FieldReader::open(field.clone(), &source, max_doc);
        }
        let (path, file, metadata) = (path.to_owned(), file.clone(), Arc::clone(metadata));
        Ok(FieldReader::later(field.clone(), &source, move |field| {
            file.fetch_ahead(&heads(&metadata, place));
            let sections = Sections::new(&path, &file, &metadata)?;
            Opened::open(field, &OneField { sections: &sections, place }, max_doc)
        }))
    };
    metadata.fields.iter().enumerate().map(open).collect()
}

/// A file that several shards share has in each the number of its name there; the uuid tells segments apart.
fn number_in_name(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    match ShardFile::parse(name.strip_suffix(files::TEMPORARY).unwrap_or(name))? {
        ShardFile::Segment { number } => Some(number),
        _ => None,
    }
}

fn map(path: &Path) -> Result<SharedBytes> {
    let file = File::open(path).map_err(|error| Error::io("cannot open", path, error))?;
    let length = file.metadata().map_err(|error| Error::io("cannot read", path, error))?.len();
    if length == 0 {
        return Err(name_file(path, Error::corrupt("header: file of 0 bytes is cut off")));
    }
    // SAFETY: a segment file gets its name only when it is complete and is never written again, so the mapped bytes do not
    // change; the shard's lock keeps other processes out.
    let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io("cannot map", path, error))?;
    let length = map.len();
    SharedBytes::from_map(Arc::new(map), 0..length)
}

fn name_file(path: &Path, error: Error) -> Error {
    Error { reason: format!("[{}]: {}", path.display(), error.reason), ..error }
}

/// Every section's checksum, and zeros in between.
fn verify_bytes(file: &[u8], metadata: &Metadata, footer: &Footer) -> Result<()> {
    let mut end = HEADER_BYTES;
    for section in &metadata.sections {
        verify_padding(file, end..section.range.start)?;
        if crc32c::crc32c(&file[section.range.clone()]) != section.checksum {
            return Err(Error::corrupt(format!("{}: checksum does not match", metadata.describe(section))));
        }
        end = section.range.end;
    }
    verify_padding(file, end..footer.metadata.start)?;
    verify_padding(file, footer.metadata.end..file.len() - FOOTER_BYTES)
}

fn verify_padding(file: &[u8], range: std::ops::Range<usize>) -> Result<()> {
    match file[range.clone()].iter().position(|&byte| byte != 0) {
        None => Ok(()),
        Some(at) => Err(Error::corrupt(format!("padding at byte {}: is not zero", range.start + at))),
    }
}

fn open_system(bytes: SharedBytes, max_doc: u32) -> Result<NumericColumn> {
    let column = NumericColumn::open(bytes, max_doc)?;
    if column.doc_count() != max_doc || !column.is_single_valued() {
        return Err(Error::corrupt("does not have one value for each document"));
    }
    Ok(column)
}

/// The sections of a file by what they are.
struct Sections<'a> {
    path: &'a Path,
    file: &'a SharedBytes,
    metadata: &'a Metadata,
    by_kind: HashMap<(Option<usize>, u8), &'a SectionEntry>,
}

impl<'a> Sections<'a> {
    fn new(path: &'a Path, file: &'a SharedBytes, metadata: &'a Metadata) -> Result<Self> {
        let mut by_kind = HashMap::with_capacity(metadata.sections.len());
        for section in &metadata.sections {
            if by_kind.insert((section.field, section.kind as u8), section).is_some() {
                let reason = format!("metadata: {} comes twice", metadata.describe(section));
                return Err(name_file(path, Error::corrupt(reason)));
            }
        }
        Ok(Sections { path, file, metadata, by_kind })
    }

    fn get(&self, field: Option<usize>, kind: SectionKind) -> Option<SharedBytes> {
        // The metadata's reader has compared the range with the file.
        self.by_kind.get(&(field, kind as u8)).and_then(|section| self.file.slice(section.range.clone()).ok())
    }

    fn require(&self, kind: SectionKind) -> Result<SharedBytes> {
        self.get(None, kind).ok_or_else(|| self.damage(None, kind, Error::corrupt("is missing")))
    }

    fn open<T>(&self, kind: SectionKind, open: impl FnOnce(SharedBytes) -> Result<T>) -> Result<T> {
        open(self.require(kind)?).map_err(|error| self.damage(None, kind, error))
    }

    /// `[path]: section of field [name] at byte n`
    fn describe(&self, field: Option<usize>, kind: SectionKind) -> String {
        let place = match (self.by_kind.get(&(field, kind as u8)), field) {
            (Some(section), _) => self.metadata.describe(section),
            (None, Some(field)) => format!("{kind} of field [{}]", self.metadata.fields[field].name),
            (None, None) => kind.to_string(),
        };
        format!("[{}]: {place}", self.path.display())
    }

    fn damage(&self, field: Option<usize>, kind: SectionKind, error: Error) -> Error {
        Error::corrupt(format!("{}: {}", self.describe(field, kind), error.reason))
    }
}

struct OneField<'a> {
    sections: &'a Sections<'a>,
    place: usize,
}

impl FieldSource for OneField<'_> {
    fn bytes(&self, kind: SectionKind) -> Option<SharedBytes> {
        self.sections.get(Some(self.place), kind)
    }

    fn damage(&self, kind: SectionKind, error: Error) -> Error {
        self.sections.damage(Some(self.place), kind, error)
    }
}
