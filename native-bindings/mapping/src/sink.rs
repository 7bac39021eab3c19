//! Where the document parser puts the values it finds; the indexing buffer implements it.

use super::spec::FieldId;
use quarry_base::error::Result;
use quarry_segment::column::range::Range;
use quarry_segment::vectors::elements::VectorValues;

/// Receives the values of one document at a time, in document order.
///
/// The caller brackets each document with the implementor's own begin, commit and roll-back calls: a value taken here
/// counts only once the document is committed. A field may receive several values (arrays, `copy_to`).
pub trait DocumentSink {
    /// A text value: analysed, inverted, its length added to the norm.
    fn text(&mut self, field: FieldId, value: &str) -> Result<()>;
    /// A term as it is: keyword (normalized already) or ip (16 bytes, IPv4 mapped into IPv6). At most `TERM_BYTES_MAX`.
    fn term(&mut self, field: FieldId, value: &[u8]) -> Result<()>;
    /// A number in sortable form (see [`quarry_codec::sortable`]): order of `i64` is the order of the type.
    fn number(&mut self, field: FieldId, value: i64) -> Result<()>;
    /// A range: ends as [`quarry_segment::column::range`] has them, the first not above the second.
    fn range(&mut self, field: FieldId, range: Range) -> Result<()>;
    /// A vector of a field that knows its number of dimensions, as the document has it: one for a document.
    fn vector(&mut self, field: FieldId, vector: VectorValues<'_>) -> Result<()>;
    /// The value as JSON bytes for a field with `store: true`.
    fn stored(&mut self, field: FieldId, json: &[u8]) -> Result<()>;
    /// The field's value was left out (`ignore_above`, `ignore_malformed`): recorded in `_ignored`.
    fn ignored(&mut self, field: FieldId) -> Result<()>;
    /// From here to `end_child` values are those of a nested object: a document of its own, before the one it is part of.
    fn begin_child(&mut self);
    fn end_child(&mut self, path: &str);
    /// From here to the next call with the same number values are those of the object that many levels around the open one.
    fn exchange_with_outer(&mut self, levels: usize);
}
