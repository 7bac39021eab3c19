//! `cjk_bigram`: pairs of neighbouring characters of scripts that leave no space between words.

use crate::filter::StreamFilter;
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;

/// The scripts by the names of the setting, and the types of their tokens.
const SCRIPTS: [(&str, &str); 4] =
    [("han", "<IDEOGRAPHIC>"), ("hiragana", "<HIRAGANA>"), ("katakana", "<KATAKANA>"), ("hangul", "<HANGUL>")];

#[derive(Debug)]
pub struct CjkBigram {
    kinds: Vec<&'static str>,
    output_unigrams: bool,
}

impl CjkBigram {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let ignored = params.list("ignored_scripts")?.unwrap_or_default();
        if let Some(unknown) = ignored.iter().find(|name| SCRIPTS.iter().all(|(script, _)| script != name)) {
            return Err(params.wrong("ignored_scripts", format!("[{unknown}] is no script")));
        }
        let kinds = SCRIPTS.iter().filter(|(script, _)| !ignored.iter().any(|name| name == script));
        Ok(CjkBigram {
            kinds: kinds.map(|(_, kind)| *kind).collect(),
            output_unigrams: params.flag("output_unigrams", false)?,
        })
    }

    fn pair(&self, run: &[Single], out: &mut Vec<Token>, position: &mut u32) {
        let mut push = |parts: &[Single], kind, position| {
            out.push(Token {
                term: parts.iter().map(|part| part.character).collect::<String>().into_bytes(),
                position,
                position_length: 1,
                start_offset: parts[0].start,
                end_offset: parts[parts.len() - 1].end,
                kind,
                keyword: false,
                payload: None,
            });
        };
        if let [only] = run {
            push(std::slice::from_ref(only), "<SINGLE>", *position);
            *position += 1;
            return;
        }
        for at in 0..run.len() {
            if self.output_unigrams {
                push(&run[at..=at], "<SINGLE>", *position);
            }
            if at + 1 < run.len() {
                push(&run[at..at + 2], "<DOUBLE>", *position);
            }
            *position += u32::from(self.output_unigrams || at + 1 < run.len());
        }
    }
}

/// One character and where it stands.
struct Single {
    character: char,
    start: u32,
    end: u32,
}

fn singles(token: &Token) -> Vec<Single> {
    let units: usize = token.text().chars().map(char::len_utf16).sum();
    // Where something changed the text's length the characters have no places of their own.
    let is_exact = units as u32 == token.end_offset - token.start_offset;
    let mut start = token.start_offset;
    let place = |character: char| {
        let single = Single { character, start, end: start + character.len_utf16() as u32 };
        start = single.end;
        if is_exact { single } else { Single { start: token.start_offset, end: token.end_offset, ..single } }
    };
    token.text().chars().map(place).collect()
}

impl StreamFilter for CjkBigram {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let tokens = std::mem::take(&mut stream.tokens);
        let mut out = Vec::with_capacity(tokens.len());
        let (mut run, mut position, mut expected) = (Vec::new(), 0, 0);
        for token in tokens {
            let is_paired = self.kinds.contains(&token.kind);
            let goes_on = is_paired && run.last().is_some_and(|last: &Single| last.end == token.start_offset);
            if !goes_on && !run.is_empty() {
                self.pair(&std::mem::take(&mut run), &mut out, &mut position);
            }
            // Places of removed words stay empty.
            position += token.position.saturating_sub(expected);
            expected = token.position + 1;
            if is_paired {
                run.extend(singles(&token));
            } else {
                out.push(Token { position, ..token });
                position += 1;
            }
        }
        if !run.is_empty() {
            self.pair(&run, &mut out, &mut position);
        }
        let trailing = stream.positions.saturating_sub(expected);
        stream.positions = position + trailing;
        stream.tokens = out;
        Ok(())
    }
}
