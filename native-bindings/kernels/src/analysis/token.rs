//! What analysis produces.

/// One token. Offsets are UTF-16 code units of the original text (what the API reports); `position` counts from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub term: Vec<u8>,
    pub position: u32,
    pub position_length: u32,
    pub start_offset: u32,
    pub end_offset: u32,
    /// `<ALPHANUM>`, `<NUM>`, `word`, ... as the API prints it.
    pub kind: &'static str,
    /// Set by `keyword_marker`: stemmers leave the term alone.
    pub keyword: bool,
}
