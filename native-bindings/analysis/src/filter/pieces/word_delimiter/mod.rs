//! `word_delimiter_graph` and `word_delimiter`: the parts of words like `PowerShot500` and `wi-fi`, one by one and joined again.
//!
//! Each part that is given takes a position. Joined parts stand where their first one does; the graph says how far they reach.
mod parts;

use crate::filter::selected::stop::WordSet;
use crate::filter::{StreamFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream};
use parts::{Cutter, Kind, Part};
use quarry_base::error::Result;
use std::collections::HashMap;

#[derive(Debug)]
pub struct WordDelimiter {
    cutter: Cutter,
    is_graph: bool,
    generate_word_parts: bool,
    generate_number_parts: bool,
    catenate_words: bool,
    catenate_numbers: bool,
    catenate_all: bool,
    preserve_original: bool,
    adjust_offsets: bool,
    ignore_keywords: bool,
    protected: WordSet,
}

/// A token to be: its text, characters from and to, positions from and to within the word.
#[derive(Debug, Clone)]
struct Piece {
    text: String,
    start: usize,
    end: usize,
    from: u32,
    to: u32,
}

/// Parts of one kind that follow each other.
#[derive(Default)]
struct Joined {
    text: String,
    start: usize,
    end: usize,
    from: u32,
    count: usize,
}

impl Joined {
    fn add(&mut self, text: &[char], part: Part, position: u32) {
        if self.count == 0 {
            (self.start, self.from) = (part.start, position);
        }
        self.text.extend(&text[part.start..part.end]);
        self.end = part.end;
        self.count += 1;
    }

    fn piece(&mut self, to: u32) -> Piece {
        let joined = std::mem::take(self);
        Piece {
            text: joined.text,
            start: joined.start,
            end: joined.end,
            from: joined.from,
            to: to.max(joined.from + 1),
        }
    }
}

impl WordDelimiter {
    pub fn new(params: &Params<'_>, is_graph: bool) -> Result<Self> {
        params.refuse_path("protected_words_path")?;
        params.refuse_path("type_table_path")?;
        Ok(WordDelimiter {
            cutter: Cutter {
                split_on_case_change: params.flag("split_on_case_change", true)?,
                split_on_numerics: params.flag("split_on_numerics", true)?,
                stem_english_possessive: params.flag("stem_english_possessive", true)?,
                kinds: type_table(&params.list_of_rules("type_table")?.unwrap_or_default())?,
            },
            is_graph,
            generate_word_parts: params.flag("generate_word_parts", true)?,
            generate_number_parts: params.flag("generate_number_parts", true)?,
            catenate_words: params.flag("catenate_words", false)?,
            catenate_numbers: params.flag("catenate_numbers", false)?,
            catenate_all: params.flag("catenate_all", false)?,
            preserve_original: params.flag("preserve_original", false)?,
            adjust_offsets: params.flag("adjust_offsets", true)?,
            ignore_keywords: params.flag("ignore_keywords", false)?,
            protected: WordSet::new(params.list("protected_words")?.unwrap_or_default(), false)?,
        })
    }

    fn is_given(&self, kind: Kind) -> bool {
        (self.generate_word_parts && kind.is_alpha()) || (self.generate_number_parts && kind.is_digit())
    }

    fn is_joined(&self, kind: Kind) -> bool {
        (self.catenate_words && kind.is_alpha()) || (self.catenate_numbers && kind.is_digit())
    }

    /// The pieces of a word in the order of their positions, longest first.
    fn pieces(&self, text: &[char], parts: &[Part]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let (mut run, mut all) = (Joined::default(), Joined::default());
        let mut run_kind = None;
        let mut position = 0;
        for &part in parts {
            if run.count > 0 && run_kind != Some(part.kind.is_alpha()) {
                self.end_run(&mut run, &mut pieces, &mut position, run_kind == Some(true));
            }
            if self.is_joined(part.kind) {
                run_kind = Some(part.kind.is_alpha());
                run.add(text, part, position);
            }
            if self.catenate_all {
                all.add(text, part, position);
            }
            if self.is_given(part.kind) {
                let text = text[part.start..part.end].iter().collect();
                pieces.push(Piece { text, start: part.start, end: part.end, from: position, to: position + 1 });
                position += 1;
            }
        }
        let joined_count = run.count;
        if run.count > 0 {
            self.end_run(&mut run, &mut pieces, &mut position, run_kind == Some(true));
        }
        if all.count > joined_count.max(1) || (all.count > 0 && pieces.is_empty()) {
            all.from = 0;
            position = position.max(1);
            pieces.push(all.piece(position));
        }
        if self.preserve_original {
            let piece = Piece { text: text.iter().collect(), start: 0, end: text.len(), from: 0, to: position.max(1) };
            pieces.insert(0, piece);
        }
        pieces.sort_by_key(|piece| (piece.from, std::cmp::Reverse(piece.to)));
        pieces
    }

    /// Gives the joined parts, unless it is one that was given by itself.
    fn end_run(&self, run: &mut Joined, pieces: &mut Vec<Piece>, position: &mut u32, is_word: bool) {
        let are_given = if is_word { self.generate_word_parts } else { self.generate_number_parts };
        if are_given && run.count == 1 {
            *run = Joined::default();
            return;
        }
        if !are_given {
            *position += 1;
        }
        pieces.push(run.piece(*position));
    }

    /// The tokens of one word; their positions count from `position`. Returns how many it takes, 0 where nothing is left.
    fn split(&self, token: &Token, position: u32, out: &mut Vec<Token>) -> u32 {
        let text: Vec<char> = token.text().chars().collect();
        let parts = self.cutter.parts(&text);
        let is_protected = (self.ignore_keywords && token.keyword) || self.protected.contains(token.text());
        let is_whole = matches!(parts[..], [part] if part.start == 0 && part.end == text.len());
        if is_protected || (is_whole && (self.preserve_original || self.is_given(parts[0].kind))) {
            out.push(Token { position, ..token.clone() });
            return 1;
        }
        let units = units_before(&text);
        let has_places = self.adjust_offsets && units[text.len()] == token.end_offset - token.start_offset;
        let mut taken = 0;
        for piece in self.pieces(&text, &parts) {
            let (start, end) = if has_places {
                (token.start_offset + units[piece.start], token.start_offset + units[piece.end])
            } else {
                (token.start_offset, token.end_offset)
            };
            taken = taken.max(piece.to);
            out.push(Token {
                term: piece.text.into_bytes(),
                position: position + piece.from,
                position_length: if self.is_graph { piece.to - piece.from } else { 1 },
                start_offset: start,
                end_offset: end,
                ..token.clone()
            });
        }
        taken
    }

    /// Positions that a word takes of which nothing is left, behind a token at `before`: it stays empty, but for one right
    /// behind another word where parts make no graph.
    fn left_empty(&self, token: &Token, before: Option<u32>) -> u32 {
        let is_behind = before.is_some_and(|before| before + 1 == token.position);
        u32::from(self.is_graph || !is_behind)
    }
}

/// UTF-16 code units before each character, and all of them last.
fn units_before(text: &[char]) -> Vec<u32> {
    let ends = text.iter().scan(0, |sum, character| {
        *sum += character.len_utf16() as u32;
        Some(*sum)
    });
    std::iter::once(0).chain(ends).collect()
}

impl StreamFilter for WordDelimiter {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut out = Vec::with_capacity(stream.tokens.len() * 2);
        let trailing = stream.trailing();
        let mut before = None;
        // How far what follows has moved.
        let mut added = 0i64;
        for token in std::mem::take(&mut stream.tokens) {
            let position = (i64::from(token.position) + added).max(0) as u32;
            let taken = match self.split(&token, position, &mut out) {
                0 => self.left_empty(&token, before.filter(|_| !out.is_empty())),
                taken => taken,
            };
            added += i64::from(taken) - 1;
            before = Some(token.position);
        }
        stream.tokens = out;
        // Words at the end of which nothing is left have no positions.
        stream.positions = stream.end_of_last() + trailing;
        Ok(())
    }
}

/// Rules like `$ => DIGIT` or `\u002C => ALPHA`.
fn type_table(rules: &[String]) -> Result<HashMap<char, Kind>> {
    let mut kinds = HashMap::new();
    for rule in rules {
        let invalid = || wrong(format!("Invalid Mapping Rule : [{rule}]"));
        let (left, right) = rule.rsplit_once("=>").ok_or_else(invalid)?;
        let kind = match right.trim() {
            "LOWER" => Kind::LOWER,
            "UPPER" => Kind::UPPER,
            "ALPHA" => Kind::ALPHA,
            "DIGIT" => Kind::DIGIT,
            "ALPHANUM" => Kind::ALPHANUM,
            "SUBWORD_DELIM" => Kind::DELIMITER,
            _ => return Err(invalid()),
        };
        kinds.insert(one_character(left.trim()).ok_or_else(invalid)?, kind);
    }
    Ok(kinds)
}

fn one_character(text: &str) -> Option<char> {
    if let Some(code) = text.strip_prefix("\\u") {
        return char::from_u32(u32::from_str_radix(code, 16).ok()?);
    }
    let text = text.strip_prefix('\\').filter(|rest| !rest.is_empty()).unwrap_or(text);
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}
