//! The documents that are percolated, as a segment that no file holds.

use super::few::FewDocuments;
use super::keys;
use quarry_base::deep_json::of_value;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::interrupt;
use quarry_base::random::random_16;
use quarry_buffer::{DocumentMeta, IndexBuffer};
use quarry_mapping::Mapping;
use quarry_mapping::document::{DocumentHead, ParseScratch, collect_unmapped, parse_document};
use quarry_mapping::dynamic::DynamicKind;
use quarry_mapping::spec::FieldSpec;
use quarry_query::view::ShardView;
use quarry_segment::id::SegmentId;
use quarry_segment::reader::{FieldReader, SegmentReader};
use quarry_segment::stored::StoredCodec;
use serde_json::json;
use std::sync::Arc;

/// Documents of one query.
const DOCUMENTS_MAX: usize = 10_000;
/// Bytes of the documents of one query, and of the buffer that they are put into.
const DOCUMENTS_BYTES_MAX: usize = 64 << 20;
/// Keys of all documents; those of more are not worth making.
const KEYS_MAX: usize = 1 << 20;
/// What a document is called that has no id.
const TEMPORARY_ID: &str = "_temp_id";
const NAME: &str = "the documents of a percolate query";

pub struct Percolated {
    /// Of one segment.
    pub view: ShardView,
    /// What queries are found by, ascending; `None`: they are too many.
    pub keys: Option<Vec<u64>>,
    /// What the documents have; `None`: they are not few.
    pub(super) few: Option<FewDocuments>,
    /// Numbers of the documents in the segment, in the order of the request.
    roots: Vec<u32>,
}

impl Percolated {
    /// Parses the documents by the mapping of the view, which they leave as it is.
    ///
    /// Errors: documents that the mapping does not take, or that are too many or too large; `TaskCancelled`.
    pub fn new(view: &ShardView, documents: &[String]) -> Result<Self> {
        check_size(documents)?;
        let mapping = mapping_for(view, documents)?;
        let mut buffer = IndexBuffer::new(&mapping, StoredCodec::Lz4, DOCUMENTS_BYTES_MAX)?;
        let mut scratch = ParseScratch::new();
        let mut roots = Vec::with_capacity(documents.len());
        for (slot, document) in documents.iter().enumerate() {
            interrupt::check()?;
            roots.push(add(&mapping, &mut buffer, &mut scratch, slot, document)?);
        }
        let id = SegmentId { number: 0, uuid: random_16()? };
        let bytes = buffer.into_memory(id)?;
        let reader = bytes.map(|bytes| SegmentReader::in_memory(bytes, NAME)).transpose()?;
        let keys = reader.as_deref().map_or(Ok(Some(Vec::new())), keys_of)?;
        let few = reader.as_ref().map_or(Ok(None), FewDocuments::new)?;
        let segments = reader.into_iter().map(|reader| (reader, None));
        let analysis = Arc::clone(&view.analysis);
        let view = ShardView::new(Arc::clone(&view.index), view.shard, segments, mapping, analysis)?;
        Ok(Percolated { view, keys, few, roots })
    }

    /// The place in the request of a document of the segment.
    pub fn slot_of(&self, root: u32) -> Option<usize> {
        self.roots.binary_search(&root).ok()
    }
}

fn check_size(documents: &[String]) -> Result<()> {
    let bytes: usize = documents.iter().map(String::len).sum();
    if documents.len() > DOCUMENTS_MAX {
        let count = documents.len();
        return Err(Error::illegal_argument(format!(
            "[percolate] takes [{DOCUMENTS_MAX}] documents at most, but has [{count}]"
        )));
    }
    if bytes > DOCUMENTS_BYTES_MAX {
        return Err(too_large(bytes));
    }
    Ok(())
}

fn too_large(bytes: usize) -> Error {
    let reason =
        format!("[percolate] Data too large: its documents take [{bytes}] bytes, but may take [{DOCUMENTS_BYTES_MAX}]");
    Error::new(ErrorCode::CircuitBreaking, reason)
}

fn add(
    mapping: &Mapping,
    buffer: &mut IndexBuffer,
    scratch: &mut ParseScratch,
    slot: usize,
    document: &str,
) -> Result<u32> {
    let id = if slot == 0 { TEMPORARY_ID.to_owned() } else { format!("{TEMPORARY_ID}_{slot}") };
    buffer.begin_document();
    // Fields that the mapping lacks cannot be asked for: it does not matter whether there are some.
    parse_document(mapping, DocumentHead { id: &id, has_routing: true }, document.as_bytes(), buffer, scratch)?;
    let root = buffer.commit_document(DocumentMeta {
        id: id.as_bytes(),
        routing: None,
        seq_no: slot as u64,
        version: 1,
        primary_term: 1,
        source: Some(document.as_bytes()),
    })?;
    if buffer.is_full() {
        return Err(too_large(buffer.memory_bytes()));
    }
    Ok(root)
}

/// The mapping, with a text field for each text that it lacks, where queries may ask for those.
fn mapping_for(view: &ShardView, documents: &[String]) -> Result<Arc<Mapping>> {
    let mapping = &view.mapping;
    if !mapping.spec().unmapped_queries_as_text {
        return Ok(Arc::clone(mapping));
    }
    let mut scratch = ParseScratch::new();
    documents.iter().for_each(|document| collect_unmapped(mapping, document.as_bytes(), &mut scratch));
    let mut spec = mapping.spec().clone();
    for field in scratch.report.fields().iter().filter(|field| field.kind == DynamicKind::String) {
        spec.fields.push(text_field(&field.path)?);
    }
    if spec.fields.len() == mapping.spec().fields.len() {
        return Ok(Arc::clone(mapping));
    }
    mapping.update(spec, &view.analysis).map(Arc::new)
}

fn text_field(path: &str) -> Result<FieldSpec> {
    let spec = json!({
        "name": path, "type": "text", "index": true, "doc_values": false, "store": false, "norms": true,
        "index_options": "positions", "analyzer": null, "search_analyzer": null, "search_quote_analyzer": null,
        "position_increment_gap": 100, "normalizer": null, "ignore_above": null, "null_value": null, "format": null,
        "scaling_factor": null, "coerce": false, "ignore_malformed": false, "copy_to": [], "parent": null,
    });
    of_value(&spec).map_err(|error| Error::internal(format!("a text field cannot be made: {error}")))
}

/// `None`: they are too many.
fn keys_of(reader: &SegmentReader) -> Result<Option<Vec<u64>>> {
    let mut keys = Vec::new();
    for field in reader.fields() {
        interrupt::check()?;
        keys.push(keys::presence(field.name()));
        if !add_terms(field, &mut keys)? || !add_numbers(field, reader.max_doc(), &mut keys) {
            return Ok(None);
        }
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(Some(keys))
}

/// `false`: there are too many.
fn add_terms(field: &FieldReader, keys: &mut Vec<u64>) -> Result<bool> {
    let Some(postings) = field.postings() else { return Ok(true) };
    let mut terms = postings.terms_from(b"")?;
    while let Some((term, _)) = terms.next()? {
        if keys.len() >= KEYS_MAX {
            return Ok(false);
        }
        keys.push(keys::term(field.name(), term));
    }
    Ok(true)
}

fn add_numbers(field: &FieldReader, max_doc: u32, keys: &mut Vec<u64>) -> bool {
    let Some(column) = field.numeric() else { return true };
    let (mut numbers, mut values) = (Vec::new(), Vec::new());
    for doc in 0..max_doc {
        column.get(doc, &mut values);
        numbers.append(&mut values);
    }
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        if keys.len() >= KEYS_MAX {
            return false;
        }
        keys::of_number(field.name(), number, keys);
    }
    true
}

/// `keys` ascend.
pub fn has_key(keys: &[u64], key: u64) -> bool {
    keys.binary_search(&key).is_ok()
}

/// The key that a term of a percolator field is; `None`: it is none.
pub fn key_in(term: &[u8]) -> Option<u64> {
    term.try_into().ok().map(u64::from_be_bytes)
}

/// The key as the percolator field has it.
pub fn term_of(key: u64) -> [u8; 8] {
    keys::to_term(key)
}
