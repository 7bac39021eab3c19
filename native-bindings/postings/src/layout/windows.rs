//! Long lists: the documents as a portable roaring bitmap, with a directory of windows beside it.
//!
//! ```text
//! f32 tenth best factor
//! u32 bytes of the bitmap
//! the bitmap, as any roaring library reads it (no run containers), at a multiple of 8 in the section
//! directory: for each window of the segment
//!     u32 where its documents start, from the start of the list
//!     u32 where its frequencies start, from the end of the directory
//!     u16 (documents - 1) << 4 | frequency code
//!     u16 maximum, 0 for a window without documents
//! frequencies
//! ```
//! A window of an array container has the code of its frequencies. One of a bitset container has code [`DENSE`]: its
//! frequencies start with four headers, one for each 1,024 documents: `u16` maximum, `u16 offset << 4 | code`. A list of
//! exceptions follows where any code is `LARGE`, then what the offsets count from.

use crate::TermPostings;
use crate::frequencies::{self, LARGE};
use crate::impact::ImpactModel;
use quarry_base::error::{Error, Result};
use quarry_codec::window::{WINDOW, window_count};

pub(crate) const HEADER: usize = 8;
pub(crate) const ENTRY: usize = 12;
pub(crate) const DENSE: u32 = 15;
pub(crate) const QUARTERS: usize = 4;
pub(crate) const QUARTER_HEADERS: usize = 4 * QUARTERS;
/// Documents of a quarter window.
pub(crate) const QUARTER: usize = WINDOW / QUARTERS;
/// Bytes of a window's bits.
pub(crate) const WINDOW_BYTES: usize = WINDOW / 8;

const NO_RUNS_COOKIE: u32 = 12_346;
const CONTAINER_DOCUMENTS: u32 = 1 << 16;
const CONTAINER_BITSET_BYTES: usize = CONTAINER_DOCUMENTS as usize / 8;
/// Documents up to which a roaring container is an array.
const ARRAY_CONTAINER_MAX: usize = 4_096;

pub(crate) fn encode(
    model: &ImpactModel<'_>,
    max_doc: u32,
    postings: &TermPostings<'_>,
    scratch: &mut Vec<u32>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let start = out.len();
    let mut factors = Vec::new();
    out.extend(model.tenth_best(postings, &mut factors).to_le_bytes());
    out.extend([0; 4]);
    let containers: Vec<TermPostings<'_>> = postings.group_by(|doc| doc / CONTAINER_DOCUMENTS).collect();
    encode_container_headers(&containers, out);
    let mut directory = vec![0u8; window_count(max_doc) as usize * ENTRY];
    let mut freqs = Vec::new();
    for container in &containers {
        let container_start = out.len() - start;
        let dense = container.docs.len() > ARRAY_CONTAINER_MAX;
        encode_container(container.docs, dense, out);
        let mut written = 0;
        for window in container.group_by(|doc| doc / WINDOW as u32) {
            let number = window.docs[0] / WINDOW as u32;
            let in_container = number as usize % (CONTAINER_DOCUMENTS as usize / WINDOW);
            let docs_at = container_start + if dense { in_container * WINDOW_BYTES } else { written * 2 };
            let freqs_at = freqs.len();
            let code = encode_freqs(model, &window, dense, scratch, &mut freqs);
            let entry = &mut directory[number as usize * ENTRY..][..ENTRY];
            entry[0..4].copy_from_slice(&offset(docs_at)?.to_le_bytes());
            entry[4..8].copy_from_slice(&offset(freqs_at)?.to_le_bytes());
            entry[8..10].copy_from_slice(&(((window.docs.len() - 1) as u16) << 4 | code as u16).to_le_bytes());
            entry[10..12].copy_from_slice(&model.maximum_u16(&window).to_le_bytes());
            written += window.docs.len();
        }
    }
    let bitmap_bytes = offset(out.len() - start - HEADER)?;
    out[start + 4..start + HEADER].copy_from_slice(&bitmap_bytes.to_le_bytes());
    out.extend(directory);
    out.extend(freqs);
    Ok(())
}

fn offset(value: usize) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::illegal_argument("the postings of one term are larger than 4 GiB"))
}

fn encode_container_headers(containers: &[TermPostings<'_>], out: &mut Vec<u8>) {
    out.extend(NO_RUNS_COOKIE.to_le_bytes());
    out.extend((containers.len() as u32).to_le_bytes());
    for container in containers {
        out.extend(((container.docs[0] / CONTAINER_DOCUMENTS) as u16).to_le_bytes());
        out.extend(((container.docs.len() - 1) as u16).to_le_bytes());
    }
    let mut at = 8 + 8 * containers.len();
    for container in containers {
        out.extend((at as u32).to_le_bytes());
        let documents = container.docs.len();
        at += if documents > ARRAY_CONTAINER_MAX { CONTAINER_BITSET_BYTES } else { 2 * documents };
    }
}

fn encode_container(docs: &[u32], dense: bool, out: &mut Vec<u8>) {
    if !dense {
        out.extend(docs.iter().flat_map(|&doc| (doc as u16).to_le_bytes()));
        return;
    }
    let start = out.len();
    out.resize(start + CONTAINER_BITSET_BYTES, 0);
    for &doc in docs {
        let low = usize::from(doc as u16);
        out[start + low / 8] |= 1 << (low % 8);
    }
}

fn in_window(doc: u32) -> u16 {
    (doc % WINDOW as u32) as u16
}

fn encode_freqs(
    model: &ImpactModel<'_>,
    window: &TermPostings<'_>,
    dense: bool,
    scratch: &mut Vec<u32>,
    freqs: &mut Vec<u8>,
) -> u32 {
    if !dense {
        return frequencies::encode(window, |index| in_window(window.docs[index]), scratch, freqs);
    }
    let mut headers = [0u8; QUARTER_HEADERS];
    let mut packed = Vec::new();
    for quarter in window.group_by(|doc| doc / QUARTER as u32) {
        let code = frequencies::code_of(&quarter);
        let place = usize::from(in_window(quarter.docs[0])) / QUARTER;
        let header = &mut headers[place * 4..][..4];
        header[..2].copy_from_slice(&model.maximum_u16(&quarter).to_le_bytes());
        header[2..].copy_from_slice(&((packed.len() as u16) << 4 | code as u16).to_le_bytes());
        frequencies::encode_packed(&quarter, code, scratch, &mut packed);
    }
    freqs.extend(headers);
    if frequencies::code_of(window) == LARGE {
        frequencies::encode_exceptions(window, |index| in_window(window.docs[index]), freqs);
    }
    freqs.extend(packed);
    DENSE
}
