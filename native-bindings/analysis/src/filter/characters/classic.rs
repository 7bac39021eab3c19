//! `classic`: what the tokenizer of that name leaves in its words, the possessive of some and the dots of acronyms.

use crate::filter::TermFilter;
use crate::token::Token;
use crate::tokenizer::{ACRONYM, APOSTROPHE};

#[derive(Debug)]
pub struct Classic;

impl TermFilter for Classic {
    fn apply(&self, token: &mut Token) -> bool {
        match token.kind {
            APOSTROPHE if token.term.ends_with(b"'s") || token.term.ends_with(b"'S") => {
                token.term.truncate(token.term.len() - 2);
            }
            ACRONYM => token.term.retain(|&byte| byte != b'.'),
            _ => {}
        }
        true
    }
}
