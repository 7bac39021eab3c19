//! `uax_url_email`: the standard tokenizer's words, with URLs and e-mail addresses kept whole.
//!
//! URLs with a scheme (http, https, ftp, file), host names followed by a port, path, query or fragment, bare host names
//! and addresses `local@host` are recognised. A host name without a scheme must end in a top-level domain: two letters
//! (a country) or one of the generic names below.

use super::super::params::Params;
use super::super::token::TokenStream;
use super::super::words::rules::{KINDS, WordRules};
use super::{MAX_TOKEN_LENGTH_LIMIT, Tokenizer};
use quarry_base::error::Result;
use quarry_base::limits::TOKEN_CHARS_MAX;
use regex::Regex;
use std::sync::OnceLock;

const SCHEME_URL: &str = r"(?:https?|ftp)://(?:[^\s@/?#]+@)?(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\d{1,5})?(?:/[\w.~!$&'()*+,;=:@%/-]*)?(?:\?[\w.~!$&'()*+,;=:@%/?-]*)?(?:\#[\w.~!$&'()*+,;=:@%/?-]*)?|file://[\w.~!$&'()*+,;=:@%/-]*";
const TOP_LEVEL: &str = r"(?:(?:[A-Za-z]{2}|(?i:com|org|net|edu|gov|mil|int|arpa|info|biz|name|pro|aero|coop|museum|jobs|mobi|travel|tel|cat|asia|post|xxx|app|dev|page|blog|shop|store|online|site|website|cloud|tech|xyz|club|live|news|wiki|work|world|today|email|agency|company|academy|design|digital|global|group|guru|life|media|network|one|photos|rocks|services|social|software|solutions|space|studio|systems|team|technology|tools|top|video|vip|zone))(?-u:\b))";
const IP_V4: &str = r"(?:(?:25[0-5]|2[0-4]\d|1\d\d|0?[1-9]?\d|00?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|0?[1-9]?\d|00?\d)";

struct Recognizers {
    email: Regex,
    url: Regex,
    host: Regex,
}

fn recognizers() -> &'static Recognizers {
    static RECOGNIZERS: OnceLock<Recognizers> = OnceLock::new();
    RECOGNIZERS.get_or_init(|| {
        let host = format!(r"(?:(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+{TOP_LEVEL}|{IP_V4})");
        let rest = r"(?::\d{1,5}|/[\w.~!$&'()*+,;=:@%/-]*|\?[\w.~!$&'()*+,;=:@%/?-]*|\#[\w.~!$&'()*+,;=:@%/?-]*)*";
        let compile = |pattern: String| Regex::new(&pattern).expect("the pattern is a valid constant");
        Recognizers {
            email: compile(format!(
                r"^[A-Za-z0-9!\#$%&'*+/=?^_`{{|}}~-]+(?:\.[A-Za-z0-9!\#$%&'*+/=?^_`{{|}}~-]+)*@(?:{host}|\[[0-9A-Fa-f:.]+\])"
            )),
            url: compile(format!(r"^(?i:{SCHEME_URL})")),
            host: compile(format!(r"^{host}{rest}")),
        }
    })
}

#[derive(Debug)]
pub struct UrlEmail {
    max_token_length: usize,
}

impl UrlEmail {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let max_token_length = params.bounded("max_token_length", TOKEN_CHARS_MAX, 1, MAX_TOKEN_LENGTH_LIMIT)?;
        Ok(UrlEmail { max_token_length })
    }

    /// Length and kind of the URL or address at the start of `text`.
    fn special(&self, text: &str) -> Option<(usize, &'static str)> {
        let known = recognizers();
        let length = |pattern: &Regex| pattern.find(text).map(|found| found.end());
        let found = if let Some(end) = length(&known.email) {
            (end, "<EMAIL>")
        } else if let Some(end) = length(&known.url) {
            (end, "<URL>")
        } else {
            (length(&known.host)?, "<URL>")
        };
        let goes_on = text[found.0..].starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
        (!goes_on && found.0 <= self.max_token_length).then_some(found)
    }
}

impl Tokenizer for UrlEmail {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        // Specials hold one of these; without them the words are the standard tokenizer's.
        let mut plain_from = 0;
        let mut at = 0;
        while at < text.len() {
            let end = text[at..].find(char::is_whitespace).map_or(text.len(), |length| at + length);
            if text[at..end].contains(['@', '.', ':']) {
                let (found, next) = self.first_special(text, at, end);
                if let Some((start, length, kind)) = found {
                    self.words(text, plain_from, start, out);
                    out.push(&text[start..start + length], start, start + length, kind);
                    plain_from = start + length;
                }
                at = next;
            } else {
                at = end;
            }
            at += text[at..].chars().next().filter(|c| c.is_whitespace()).map_or(0, char::len_utf8);
        }
        self.words(text, plain_from, text.len(), out);
        Ok(())
    }
}

impl UrlEmail {
    /// The first URL or address that starts in `at..end`, where a word may start; and where to look on.
    fn first_special(&self, text: &str, at: usize, end: usize) -> (Option<(usize, usize, &'static str)>, usize) {
        let mut previous_is_word = false;
        for (offset, character) in text[at..end].char_indices() {
            let is_word = character.is_ascii_alphanumeric();
            if is_word && !previous_is_word {
                let start = at + offset;
                if let Some((length, kind)) = self.special(&text[start..]) {
                    return (Some((start, length, kind)), start + length);
                }
            }
            previous_is_word = is_word;
        }
        (None, end)
    }

    fn words(&self, text: &str, from: usize, to: usize, out: &mut TokenStream) {
        WordRules::get().words(&text[from..to], self.max_token_length, |word| {
            let (start, end) = (from + word.start, from + word.end);
            out.push(&text[start..end], start, end, KINDS[word.kind as usize]);
        });
    }
}
