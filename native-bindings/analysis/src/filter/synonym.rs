//! `synonym`: words that stand for each other, from rules in the settings.
//!
//! Rules are `a, b => c` (a and b become c) and `a, b, c` (each becomes all of them, with `expand: false` the first).
//! Only single words are supported on both sides: several words at one position cannot be told apart in an index
//! without position lengths.

use super::super::params::Params;
use super::super::token::{Token, TokenStream};
use super::{StreamFilter, wrong};
use quarry_base::error::Result;
use std::collections::HashMap;

#[derive(Debug)]
pub struct Synonym {
    /// What a word becomes, itself included if it stays.
    replacements: HashMap<String, Vec<String>>,
}

impl Synonym {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        params.refuse_path("synonyms_path")?;
        params.refuse_path("synonyms_set")?;
        match params.text("format")?.as_deref() {
            None | Some("solr") => {}
            Some(other) => return Err(params.wrong("format", format!("[{other}] is not supported"))),
        }
        let expand = params.flag("expand", true)?;
        let lenient = params.flag("lenient", false)?;
        let rules = params
            .list_of_rules("synonyms")?
            .ok_or_else(|| wrong("synonym requires either `synonyms` or `synonyms_path` to be configured"))?;
        let mut synonym = Synonym { replacements: HashMap::new() };
        for rule in &rules {
            match synonym.add(rule, expand) {
                Err(_) if lenient => {}
                outcome => outcome?,
            }
        }
        Ok(synonym)
    }

    fn add(&mut self, rule: &str, expand: bool) -> Result<()> {
        let rule = rule.trim();
        if rule.is_empty() || rule.starts_with('#') {
            return Ok(());
        }
        let (from, to) = match rule.split_once("=>") {
            Some((from, to)) => (words(rule, from)?, words(rule, to)?),
            None => {
                let all = words(rule, rule)?;
                let to = if expand { all.clone() } else { vec![all[0].clone()] };
                (all, to)
            }
        };
        for word in from {
            let known = self.replacements.entry(word).or_default();
            for replacement in &to {
                if !known.contains(replacement) {
                    known.push(replacement.clone());
                }
            }
        }
        Ok(())
    }
}

fn words(rule: &str, side: &str) -> Result<Vec<String>> {
    let words: Vec<String> = side.split(',').map(|word| word.trim().to_owned()).collect();
    match words.iter().find(|word| word.is_empty() || word.contains(char::is_whitespace)) {
        None => Ok(words),
        Some(wrong_word) => {
            Err(wrong(format!("synonym rule [{rule}]: [{wrong_word}] is not a single word, only those are supported")))
        }
    }
}

impl StreamFilter for Synonym {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut out = Vec::with_capacity(stream.tokens.len());
        for token in std::mem::take(&mut stream.tokens) {
            let Some(replacements) = self.replacements.get(token.text()) else {
                out.push(token);
                continue;
            };
            let original = token.text().to_owned();
            // The word itself comes first and keeps its type.
            if replacements.contains(&original) {
                out.push(token.clone());
            }
            for replacement in replacements.iter().filter(|&replacement| *replacement != original) {
                out.push(Token { term: replacement.clone().into_bytes(), kind: "SYNONYM", ..token.clone() });
            }
        }
        stream.tokens = out;
        Ok(())
    }
}
