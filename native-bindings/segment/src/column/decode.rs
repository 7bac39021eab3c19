//! From packed runs to values by document, for numbers and ordinals alike.

use super::packed::WindowData;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits};

/// What a window's consumer sees, and the memory that is reused from window to window.
pub(super) struct Target<'a, T> {
    pub present: &'a mut WindowBits,
    pub values: &'a mut Vec<T>,
    pub starts: &'a mut Vec<u32>,
    pub scratch: &'a mut Scratch<T>,
}

#[derive(Debug, Default)]
pub(super) struct Scratch<T> {
    ranked: Vec<T>,
    rank_starts: Vec<u32>,
}

/// Fills `target` from a window. `decode_ranked` writes the values in stored order to the front of a slice.
pub(super) fn decode_window<T: Copy + Default>(
    data: Option<WindowData<'_>>,
    target: Target<'_, T>,
    decode_ranked: impl Fn(&WindowData<'_>, &mut [T]),
) {
    *target.present = [0; WINDOW_WORDS];
    target.starts.clear();
    let Some(data) = data else {
        target.values.clear();
        target.values.resize(WINDOW, T::default());
        return;
    };
    data.set.set_bits(target.present);
    if !data.entry.is_single_valued() {
        target.values.resize(data.entry.value_count as usize, T::default());
        decode_ranked(&data, target.values);
        data.read_starts_of_documents(&mut target.scratch.rank_starts, target.starts);
        return;
    }
    let docs = usize::from(data.entry.doc_count);
    let values = target.values;
    values.resize(WINDOW, T::default());
    if data.set.is_prefix() {
        decode_ranked(&data, values);
        values[docs..].fill(T::default());
        return;
    }
    let ranked = &mut target.scratch.ranked;
    ranked.resize(docs, T::default());
    decode_ranked(&data, ranked);
    values.fill(T::default());
    if let Some(values) = values.first_chunk_mut() {
        data.set.spread(ranked, values);
    }
}
