//! Filters that let only some tokens through, by their words, their types, their places or their lengths.

pub mod length;
pub mod select;
pub mod stop;
pub mod stop_lists;
pub mod unique;
