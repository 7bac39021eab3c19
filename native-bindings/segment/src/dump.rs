//! A segment as text, for tests that compare segments.

use crate::column::range::RangeWindow;
use crate::reader::{FieldReader, SegmentReader};
use crate::stored::StoredScratch;
use quarry_codec::window::{WINDOW, WINDOW_WORDS};
use quarry_postings::DecodedTerm;

/// Everything a reader can be asked, as text: equal segments give equal dumps.
///
/// Panics where the segment is damaged.
pub fn dump(segment: &SegmentReader) -> String {
    let mut out = Vec::new();
    let max_doc = segment.max_doc();
    for field in segment.fields() {
        out.push(format!("{} {:?} {:?} {:?}", field.name(), field.kind(), field.options(), field.stats()));
        dump_terms(field, &mut out);
        for doc in 0..max_doc {
            out.push(format!("  {doc}: {}", dump_values(field, doc)));
        }
    }
    let mut scratch = StoredScratch::default();
    for doc in 0..max_doc {
        let id = segment.ids().get(doc);
        assert_eq!(segment.ids().find(id), Some(doc));
        let numbers = (segment.seq_nos().first(doc), segment.versions().first(doc), segment.primary_terms().first(doc));
        out.push(format!("{doc}: {id:?} {numbers:?} {:?}", segment.stored().get(doc, &mut scratch).unwrap()));
    }
    out.join("\n")
}

fn dump_terms(field: &FieldReader, out: &mut Vec<String>) {
    let Some(postings) = field.postings() else { return };
    let mut terms = postings.terms_from(b"").unwrap();
    let mut decoded = DecodedTerm::default();
    while let Some((term, entry)) = terms.next().unwrap() {
        let term = String::from_utf8_lossy(term).into_owned();
        postings.read_term(&entry, &mut decoded).unwrap();
        out.push(format!("  {} {term} {decoded:?}", entry.ordinal));
    }
}

fn dump_values(field: &FieldReader, doc: u32) -> String {
    let (mut numbers, mut ordinals) = (Vec::new(), Vec::new());
    if let Some(column) = field.numeric() {
        column.get(doc, &mut numbers);
    }
    if let Some(column) = field.ordinals() {
        column.get(doc, &mut ordinals);
    }
    let mut ranges = RangeWindow::default();
    if let Some(columns) = field.ranges() {
        columns.decode_window(doc / WINDOW as u32, &mut ranges);
    }
    let ranges: Vec<_> = ranges.ranges_of((doc % WINDOW as u32) as u16).collect();
    let mut bits = [0; WINDOW_WORDS];
    field.has_value(doc / WINDOW as u32, &mut bits);
    let in_window = doc as usize % WINDOW;
    let present = bits[in_window / 64] >> (in_window % 64) & 1 == 1;
    let norm = field.norms().map(|norms| norms[doc as usize]);
    format!("{numbers:?} {ordinals:?} {ranges:?} {norm:?} {present}")
}
