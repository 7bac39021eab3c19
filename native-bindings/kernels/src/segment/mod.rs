//! The segment file: header, checksummed sections, FlatBuffers metadata (`src/segment/schema/*.fbs`), footer.
//!
//! Contract for the other rooms (the implementation lives in sibling files):
//!
//! Writing: `SegmentWriter::create(path, id)`, then for each field `add_field(FieldSections)`, then `finish(SegmentInfo)`.
//! `FieldSections { name, kind, postings: Option<FieldPostings>, norms: Option<Vec<u8>>, numeric: Option<NumericColumnData>,
//! ordinals: Option<OrdinalColumnData>, presence: Option<roaring> }`. System columns: `_id` (bytes and a hash index),
//! `_seq_no`, `_version`, `_primary_term` (numeric), `_routing` and `_ignored` (ordinals), stored documents (LZ4 blocks).
//!
//! Reading: `SegmentReader::open(path, Verify::Metadata | Verify::All) -> Result<Arc<SegmentReader>>`:
//! - `max_doc()`, `id()`, `path()`, `bytes()`, `field(name) -> Option<&FieldReader>`, `fields()`;
//! - `FieldReader`: `kind()`, `stats() -> FieldStats { doc_count, sum_doc_freq, sum_total_term_freq }`,
//!   `postings() -> Option<&FieldPostingsReader>`, `norms() -> Option<&[u8]>` (padded to whole windows),
//!   `numeric() -> Option<&NumericColumn>`, `ordinals() -> Option<&OrdinalColumn>`, `has_value(window, &mut WindowBits)`;
//! - `NumericColumn`: sorted multi-values per document, `is_single_valued()`, `window_range(w) -> Option<(min, max)>`,
//!   `decode_window(w, &mut NumericWindow)`, `get(doc, &mut Vec<i64>)`;
//! - `OrdinalColumn`: same shape with `u32` ordinals into the field's own dictionary (term order = ordinal order),
//!   `ordinal_count()`, `term(ordinal)`;
//! - `ids()`: `get(doc) -> &[u8]`, `find(id) -> Option<doc>`; `stored().get(doc, &mut buffer)`;
//!   `seq_nos()`, `versions()`, `primary_terms()`.
//!
//! `LiveDocs`: roaring sidecar file with generations, `is_live(doc)`, `window(w, &mut WindowBits)`, `deleted_count()`.
//! `merge(&[(Arc<SegmentReader>, Option<LiveDocs>)], out path, &MergeControl) -> MergeResult { doc id maps }`.
//! `check(dir) -> Vec<Finding>`.

/// Which kind of value a field holds; decides which sections it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Analysed text: postings, norms.
    Text,
    /// Terms as they are: postings, ordinals. Keyword and ip.
    Term,
    /// Sortable 64-bit numbers: a numeric column.
    Number,
}
