//! A long list: roaring containers read in place, window by window; see [`crate::layout::windows`] for its shape.
mod common;
mod locator;
mod probe;
mod view;

use super::{Decoded, Located, WindowDocs, WindowFreqs, WindowList};
use crate::frequencies::{Frequencies, LARGE};
use crate::impact::bound_of_u16;
use crate::layout::windows::{ENTRY, HEADER};
use crate::packing::{self, part};
use crate::positions::PositionsReader;
use crate::simd;
use locator::WindowLocator;
use quarry_base::error::{Error, Result};
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WindowBits, window_count};
use view::{Bits, Documents, Quarters, Window};

#[derive(Debug)]
pub(crate) struct WindowCursor<'a> {
    /// The list, and what follows it in the section.
    bytes: &'a [u8],
    directory: &'a [[u8; ENTRY]],
    freqs: &'a [u8],
    /// Made when positions are first asked for.
    locator: Option<Box<WindowLocator<'a>>>,
}

impl<'a> WindowCursor<'a> {
    /// `bytes` start with the list and may run on to the end of the section.
    pub(crate) fn open(bytes: &'a [u8], max_doc: u32) -> Result<Self> {
        let bitmap = packing::u32_at(bytes, 4)? as usize;
        let directory_length = window_count(max_doc) as usize * ENTRY;
        let directory = part(bytes, HEADER + bitmap, directory_length)?;
        Ok(WindowCursor {
            bytes,
            directory: directory.as_chunks().0,
            freqs: &bytes[HEADER + bitmap + directory_length..],
            locator: None,
        })
    }

    #[inline]
    fn maximum(&self, window: u32) -> u16 {
        self.directory.get(window as usize).map_or(0, |entry| u16::from_le_bytes([entry[10], entry[11]]))
    }

    #[inline]
    fn window(&self, window: u32) -> Result<Option<Window<'a>>> {
        match self.directory.get(window as usize) {
            Some(entry) => Window::parse(entry, self.bytes, self.freqs),
            None => Ok(None),
        }
    }

    /// The locator, turned to the window so that it can be asked for the document.
    #[inline]
    fn locator(&mut self, window: u32, doc: u16, positions: &PositionsReader<'_>) -> Result<&mut WindowLocator<'a>> {
        if !self.locator.as_deref().is_some_and(|locator| locator.serves(window, doc)) {
            let base = positions.base(window as usize).ok_or_else(packing::ends_early)?;
            let found = self.window(window)?.ok_or_else(|| Error::internal("positions asked of an empty window"))?;
            self.locator.get_or_insert_with(|| Box::new(WindowLocator::new())).start(window, &found, base)?;
        }
        self.locator.as_deref_mut().ok_or_else(|| Error::internal("positions asked without a locator"))
    }

    #[inline]
    pub(crate) fn dense_bits(&self, window: u32) -> Result<Option<&'a Bits>> {
        match self.window(window)? {
            Some(Window { documents: Documents::Bits(bits), .. }) => Ok(Some(bits)),
            _ => Ok(None),
        }
    }
}

/// The part of a roaring low half that says which window of its container a document is in.
#[inline]
pub(crate) fn container_bits(window: u32) -> u16 {
    ((window % 16) * WINDOW as u32) as u16
}

impl WindowList for WindowCursor<'_> {
    #[inline]
    fn next_window(&mut self, window: u32) -> u32 {
        let rest = self.directory.get(window as usize..).unwrap_or(&[]);
        let found = rest.iter().position(|entry| entry[10] | entry[11] != 0);
        found.map_or(NO_MORE_WINDOWS, |ahead| window + ahead as u32)
    }

    #[inline]
    fn window_bound(&mut self, window: u32) -> f32 {
        match self.maximum(window) {
            0 => 0.0,
            maximum => bound_of_u16(maximum),
        }
    }

    #[inline]
    fn decode(&mut self, window: u32, above: f32, docs: &mut WindowDocs, freqs: &mut WindowFreqs) -> Result<Decoded> {
        match self.window(window)? {
            Some(window) if window.bound > above => window.decode(above, docs, freqs),
            _ => Ok(Decoded::default()),
        }
    }

    #[inline]
    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize> {
        let Some(window) = self.window(window)? else { return Ok(0) };
        match window.documents {
            Documents::Array(lows) => {
                simd::mask_lows(lows, docs);
                Ok(window.count)
            }
            Documents::Bits(bits) => Ok(simd::expand_bits(bits, 0, docs)),
        }
    }

    #[inline]
    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let Some(window) = self.window(window)? else { return Ok(()) };
        match window.documents {
            Documents::Array(lows) => {
                for low in lows.as_chunks().0 {
                    let doc = u16::from_le_bytes(*low) % WINDOW as u16;
                    bits[usize::from(doc / 64)] |= 1 << (doc % 64);
                }
            }
            Documents::Bits(own) => {
                for (word, mine) in bits.iter_mut().zip(own.as_chunks().0) {
                    *word |= u64::from_le_bytes(*mine);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<bool> {
        let container_bits = container_bits(window);
        let Some(window) = self.window(window)? else {
            freqs[..docs.len()].fill(0);
            return Ok(false);
        };
        match window.documents {
            Documents::Array(lows) => {
                let packed = Frequencies::parse(window.freqs, window.code)?;
                probe::array(lows, &packed, container_bits, docs, freqs)?;
                Ok(window.code == LARGE)
            }
            Documents::Bits(bits) => {
                let quarters = Quarters::parse(window.freqs)?;
                probe::bits(bits, window.count, &quarters, docs, freqs)?;
                Ok(!quarters.exceptions.is_empty())
            }
        }
    }

    fn exact_freq(&mut self, window: u32, doc: u16) -> Result<u32> {
        let found = self.window(window)?;
        found
            .ok_or_else(|| Error::internal("frequency asked of a document that lacks the term"))?
            .exceptions()?
            .exact(doc)
    }

    #[inline]
    fn locate(&mut self, window: u32, doc: u16, positions: &PositionsReader<'_>) -> Result<Located> {
        self.locator(window, doc, positions)?.locate(doc)
    }

    #[inline]
    fn locate_all(
        &mut self,
        window: u32,
        docs: &[u16],
        positions: &PositionsReader<'_>,
        located: &mut [Located],
    ) -> Result<()> {
        let Some(&first) = docs.first() else { return Ok(()) };
        self.locator(window, first, positions)?.locate_all(docs, located)
    }
}
