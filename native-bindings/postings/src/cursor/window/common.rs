//! What two long lists have in common in a window where both are arrays.

use super::WindowCursor;
use super::view::{Documents, Window};
use crate::cursor::{CommonDocs, Decoded};
use crate::frequencies::{Frequencies, LARGE};
use crate::simd;
use quarry_base::error::{Error, Result};
use quarry_codec::window::WINDOW;

/// A list that is more than this many times as long as the other in a window is probed rather than compared.
const COMPARED_MAX: usize = 8;

impl<'a> WindowCursor<'a> {
    /// Finds the documents that the window has in both lists and their places; gives the windows and the number of documents.
    /// `None` where one is not an array, or too long.
    #[inline]
    fn find_common<'o>(
        &self,
        other: &WindowCursor<'o>,
        window: u32,
        common: &mut CommonDocs,
    ) -> Result<Option<(Window<'a>, Window<'o>, usize)>> {
        let (Some(own), Some(other)) = (self.window(window)?, other.window(window)?) else { return Ok(None) };
        let (Documents::Array(own_lows), Documents::Array(other_lows)) = (own.documents, other.documents) else {
            return Ok(None);
        };
        if other.count > own.count * COMPARED_MAX {
            return Ok(None);
        }
        let CommonDocs { docs, places: [own_places, other_places], .. } = common;
        let count = simd::intersect(own_lows, other_lows, [own_places, other_places]);
        if count > own.count.min(other.count) {
            return Err(Error::corrupt("documents of a window do not ascend"));
        }
        for (doc, place) in docs.iter_mut().zip(&own_places[..count]) {
            let at = 2 * usize::from(*place);
            *doc = u16::from_le_bytes([own_lows[at], own_lows[at + 1]]) % WINDOW as u16;
        }
        Ok(Some((own, other, count)))
    }

    /// See [`crate::cursor::TermCursor::decode_common`].
    pub(in crate::cursor) fn decode_common(
        &self,
        other: &WindowCursor<'_>,
        window: u32,
        common: &mut CommonDocs,
    ) -> Result<Option<[Decoded; 2]>> {
        let Some((own, other, count)) = self.find_common(other, window, common)? else { return Ok(None) };
        let CommonDocs { places, freqs, .. } = common;
        for ((window, places), freqs) in [own, other].iter().zip(places).zip(freqs) {
            Frequencies::parse(window.freqs, window.code)?.pick(&places[..count], freqs)?;
        }
        Ok(Some([own, other].map(|window| Decoded { count, has_large: window.code == LARGE })))
    }

    /// See [`crate::cursor::TermCursor::decode_common_docs`].
    pub(in crate::cursor) fn decode_common_docs(
        &self,
        other: &WindowCursor<'_>,
        window: u32,
        common: &mut CommonDocs,
    ) -> Result<Option<usize>> {
        Ok(self.find_common(other, window, common)?.map(|(.., count)| count))
    }
}
