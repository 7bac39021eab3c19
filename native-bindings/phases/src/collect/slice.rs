//! `slice`: one of several disjoint parts of a shard's documents, the same for every view where it goes by id or value.

use quarry_base::error::{Error, Result};
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_mapping::spec::FieldType;
use quarry_plan::request::{Slice, SliceBy};
use quarry_query::scorers::bits;
use quarry_query::view::{SegmentView, ShardView};
use rapidhash::v3::rapidhash_v3;

/// Errors: a field whose values are no numbers.
pub fn check(view: &ShardView, slice: &Slice) -> Result<()> {
    let SliceBy::Field(field) = &slice.by else {
        return Ok(());
    };
    let mapped = view.mapping.field_by_name(field);
    let fits = mapped.is_some_and(|mapped| {
        mapped.is_number() && mapped.spec.doc_values && mapped.spec.field_type != FieldType::Boolean
    });
    if fits { Ok(()) } else { Err(Error::illegal_argument(format!("cannot load numeric doc values on {field}"))) }
}

/// Clears the bits of documents of other slices.
pub fn retain(slice: &Slice, segment: &SegmentView, window: u32, matched: &mut WindowBits) {
    let mut docs = Vec::new();
    bits::list(matched, &mut docs);
    for in_window in docs {
        let doc = window * WINDOW as u32 + u32::from(in_window);
        if part(slice, segment, doc) % u64::from(slice.max) != u64::from(slice.id) {
            matched[usize::from(in_window) / 64] &= !(1 << (in_window % 64));
        }
    }
}

fn part(slice: &Slice, segment: &SegmentView, doc: u32) -> u64 {
    match &slice.by {
        SliceBy::Id => rapidhash_v3(segment.reader.ids().get(doc)),
        SliceBy::Doc => rapidhash_v3(&(segment.doc_base + doc).to_le_bytes()),
        SliceBy::Field(field) => {
            let column = segment.field(field).and_then(|reader| reader.numeric());
            column.and_then(|column| column.first(doc)).map_or(0, |value| rapidhash_v3(&value.to_le_bytes()))
        }
    }
}
