//! `phonetic`: words by how they sound.

use crate::filter::{StreamFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;
use rphonetic::{
    Caverphone1, Caverphone2, Cologne, DoubleMetaphone, Encoder, Metaphone, Nysiis, RefinedSoundex, Soundex,
};

/// Longer tokens keep their spelling: no word sounds like them.
const TERM_BYTES_MAX: usize = 1_024;

enum Code {
    One(Box<dyn Encoder + Send + Sync>),
    /// Two for words that may be spoken in two ways.
    Two(DoubleMetaphone),
}

pub struct Phonetic {
    code: Code,
    replace: bool,
}

impl std::fmt::Debug for Phonetic {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Phonetic").field("replace", &self.replace).finish_non_exhaustive()
    }
}

impl Phonetic {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let encoder = params.text("encoder")?.unwrap_or_else(|| "metaphone".to_owned());
        let length = match params.number("max_code_len", 4)? {
            length @ 1..=64 => length as usize,
            other => return Err(params.wrong("max_code_len", format!("[{other}] must be between [1] and [64]"))),
        };
        let code = match encoder.to_lowercase().as_str() {
            "metaphone" => Code::One(Box::new(Metaphone::default())),
            "soundex" => Code::One(Box::new(Soundex::default())),
            "caverphone1" => Code::One(Box::new(Caverphone1)),
            "caverphone2" | "caverphone" => Code::One(Box::new(Caverphone2)),
            "refined_soundex" | "refinedsoundex" => Code::One(Box::new(RefinedSoundex::default())),
            "cologne" => Code::One(Box::new(Cologne)),
            "nysiis" => Code::One(Box::new(Nysiis::default())),
            "double_metaphone" | "doublemetaphone" => Code::Two(DoubleMetaphone::new(Some(length))),
            "beider_morse" | "beidermorse" | "daitch_mokotoff" | "koelnerphonetik" | "haasephonetik" => {
                return Err(wrong(format!(
                    "filter [{}]: the phonetic encoder [{encoder}] is not supported",
                    params.name
                )));
            }
            _ => return Err(wrong(format!("unknown encoder [{encoder}] for phonetic token filter"))),
        };
        Ok(Phonetic { code, replace: params.flag("replace", true)? })
    }

    fn codes(&self, text: &str) -> Vec<String> {
        if text.len() > TERM_BYTES_MAX {
            return Vec::new();
        }
        match &self.code {
            Code::One(encoder) => vec![encoder.encode(text)],
            Code::Two(encoder) => {
                let both = encoder.double_metaphone(text);
                let (primary, alternate) = (both.primary(), both.alternate());
                if primary == alternate { vec![primary] } else { vec![primary, alternate] }
            }
        }
    }
}

impl StreamFilter for Phonetic {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut out = Vec::with_capacity(stream.tokens.len() * 2);
        for token in std::mem::take(&mut stream.tokens) {
            let codes: Vec<String> = self.codes(token.text()).into_iter().filter(|code| !code.is_empty()).collect();
            let is_kept = !self.replace || codes.is_empty();
            let sounds: Vec<Token> = codes
                .into_iter()
                .filter(|code| !is_kept || code.as_bytes() != token.term)
                .map(|code| Token { term: code.into_bytes(), ..token.clone() })
                .collect();
            // Of an encoder with one code the code comes first, as the API has it.
            if matches!(self.code, Code::One(_)) {
                out.extend(sounds);
                out.extend(is_kept.then_some(token));
            } else {
                out.extend(is_kept.then_some(token));
                out.extend(sounds);
            }
        }
        stream.tokens = out;
        Ok(())
    }
}
