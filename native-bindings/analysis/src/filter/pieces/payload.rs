//! `delimited_payload`: what stands behind a delimiter in a word is kept beside it as bytes.

use crate::filter::{StreamFilter, wrong};
use crate::params::Params;
use crate::token::TokenStream;
use quarry_base::error::Result;

#[derive(Debug, Clone, Copy)]
enum Encoding {
    Float,
    Int,
    Identity,
}

#[derive(Debug)]
pub struct DelimitedPayload {
    delimiter: char,
    encoding: Encoding,
}

impl DelimitedPayload {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let delimiter = params.text("delimiter")?.unwrap_or_else(|| "|".to_owned());
        let mut characters = delimiter.chars();
        let (Some(delimiter), None) = (characters.next(), characters.next()) else {
            return Err(params.wrong("delimiter", format!("[{delimiter}] is not one character")));
        };
        let encoding = match params.text("encoding")?.as_deref() {
            None | Some("float") => Encoding::Float,
            Some("int") => Encoding::Int,
            Some("identity") => Encoding::Identity,
            Some(other) => {
                return Err(params.wrong("encoding", format!("[{other}] is none of [float, int, identity]")));
            }
        };
        Ok(DelimitedPayload { delimiter, encoding })
    }

    fn encoded(&self, text: &str) -> Result<Vec<u8>> {
        let refuse = |kind: &str| wrong(format!("delimited_payload: [{text}] is not {kind}"));
        Ok(match self.encoding {
            Encoding::Float => text.trim().parse::<f32>().map_err(|_| refuse("a number"))?.to_be_bytes().to_vec(),
            Encoding::Int => text.parse::<i32>().map_err(|_| refuse("an integer"))?.to_be_bytes().to_vec(),
            Encoding::Identity => text.as_bytes().to_vec(),
        })
    }
}

impl StreamFilter for DelimitedPayload {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        for token in &mut stream.tokens {
            let parts = token.text().split_once(self.delimiter);
            let parts = parts.map(|(word, payload)| (word.len(), self.encoded(payload)));
            match parts {
                Some((length, payload)) => {
                    token.term.truncate(length);
                    token.payload = Some(payload?.into());
                }
                None => token.payload = None,
            }
        }
        Ok(())
    }

    fn knows_payloads(&self) -> bool {
        true
    }
}
