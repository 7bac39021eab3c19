//! `Base64`: its encoders and decoders.

use super::{bytes_of, new_bytes};
use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::library::base64::{self, Alphabet};
use crate::run::Machine;

/// Bytes of one line in the MIME form, behind each of which stands the end of a line.
const MIME_LINE: usize = 76;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coder {
    encodes: bool,
    alphabet: Alphabet,
    /// Lines end, and what is no letter is left out.
    is_mime: bool,
    pads: bool,
}

impl Coder {
    pub fn class(self) -> &'static str {
        if self.encodes { "java.util.Base64.Encoder" } else { "java.util.Base64.Decoder" }
    }

    fn encode(self, bytes: &[u8]) -> String {
        let mut text = base64::encode(bytes, self.alphabet);
        if !self.pads {
            text.truncate(text.trim_end_matches('=').len());
        }
        if !self.is_mime {
            return text;
        }
        // Letters of base 64 are bytes.
        let lines: Vec<&str> =
            (0..text.len()).step_by(MIME_LINE).map(|at| &text[at..(at + MIME_LINE).min(text.len())]).collect();
        lines.join("\r\n")
    }

    fn decode(self, text: &str) -> Option<Vec<u8>> {
        if !self.is_mime {
            return base64::decode_strictly(text, self.alphabet);
        }
        let letters: String = text.chars().filter(|&letter| letter == '=' || self.alphabet.has(letter)).collect();
        base64::decode_strictly(&letters, self.alphabet)
    }
}

pub fn call_static(name: &str, arguments: &[Value]) -> Option<Coder> {
    if !arguments.is_empty() {
        return None;
    }
    let (encodes, form) = match name.strip_prefix("get")?.strip_suffix("Encoder") {
        Some(form) => (true, form),
        None => (false, name.strip_prefix("get")?.strip_suffix("Decoder")?),
    };
    let alphabet = if form == "Url" { Alphabet::Url } else { Alphabet::Basic };
    matches!(form, "" | "Url" | "Mime").then_some(Coder { encodes, alphabet, is_mime: form == "Mime", pads: true })
}

pub fn call(machine: &mut Machine<'_>, own: Coder, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (own.encodes, name, arguments) {
        (true, "encodeToString", [bytes]) => {
            let bytes = bytes_of(machine, *bytes)?;
            machine.new_text(own.encode(&bytes))
        }
        (true, "withoutPadding", []) => {
            super::alloc(machine, super::Library::Coder(Coder { pads: false, ..own })).map(Some)
        }
        (false, "decode", [text]) => {
            let text = machine.chars_of(*text)?;
            machine.work(text.len() / 16)?;
            let bytes = own.decode(&text).ok_or_else(|| Fault::illegal("Illegal base64 text"))?;
            new_bytes(machine, &bytes).map(Some)
        }
        _ => Ok(None),
    }
}
