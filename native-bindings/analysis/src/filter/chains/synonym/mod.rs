//! `synonym` and `synonym_graph`: words that stand for each other, from rules in the settings.
//!
//! The rules are analysed by the part of the chain that stands before the filter, so that they are compared as the text is. The
//! longest sequence that a rule names wins.

mod rules;

use crate::chain::Analyzer;
use crate::filter::{StreamFilter, TokenFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream, check_made};
use quarry_base::error::{Error, Result};
use rules::Rule;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Words that one side of a rule may have.
const WORDS_MAX: usize = 32;
const KIND: &str = "SYNONYM";

/// One or more words.
type Phrase = Vec<String>;

#[derive(Debug)]
pub struct Synonym {
    is_graph: bool,
    lenient: bool,
    rules: Vec<Rule>,
    /// What a sequence becomes, itself included if it stays: a set for each rule that names it. All sequences of a rule share its set.
    replacements: HashMap<Phrase, Vec<Arc<[Phrase]>>>,
    /// The length of the longest sequence that begins with a word.
    longest: HashMap<String, usize>,
}

impl Synonym {
    pub fn new(params: &Params<'_>, is_graph: bool) -> Result<Self> {
        params.refuse_path("synonyms_path")?;
        params.refuse_path("synonyms_set")?;
        let read = match params.text("format")?.as_deref() {
            None | Some("solr") => rules::solr,
            Some("wordnet") => rules::wordnet,
            Some(other) => return Err(params.wrong("format", format!("[{other}] is not supported"))),
        };
        let expand = params.flag("expand", true)?;
        let lenient = params.flag("lenient", false)?;
        let lines = params
            .list_of_rules("synonyms")?
            .ok_or_else(|| wrong("synonym requires either `synonyms` or `synonyms_path` to be configured"))?;
        let rules = read(&lines, expand, lenient)?;
        let split = |phrase: &str| Ok(phrase.split_whitespace().map(str::to_owned).collect());
        Self::from_rules(rules, is_graph, lenient, split)
    }

    fn from_rules(
        rules: Vec<Rule>,
        is_graph: bool,
        lenient: bool,
        analyze: impl Fn(&str) -> Result<Phrase>,
    ) -> Result<Self> {
        let mut synonym =
            Synonym { is_graph, lenient, rules: Vec::new(), replacements: HashMap::new(), longest: HashMap::new() };
        for rule in &rules {
            match synonym.add(rule, &analyze) {
                Err(_) if lenient => {}
                outcome => outcome?,
            }
        }
        synonym.rules = rules;
        Ok(synonym)
    }

    fn add(&mut self, rule: &Rule, analyze: impl Fn(&str) -> Result<Phrase>) -> Result<()> {
        let phrases = |side: &[String]| side.iter().map(|phrase| analyze(phrase)).collect::<Result<Vec<Phrase>>>();
        let (from, mut to) = (phrases(&rule.from)?, phrases(&rule.to)?);
        if from.iter().chain(&to).any(|phrase| phrase.len() > WORDS_MAX) {
            return Err(wrong(format!("synonym rule [{}] has more than [{WORDS_MAX}] words on one side", rule.text)));
        }
        let mut known = HashSet::new();
        to.retain(|phrase| known.insert(phrase.clone()));
        let to: Arc<[Phrase]> = to.into();
        let mut done = HashSet::new();
        for phrase in from.into_iter().filter(|phrase| done.insert(phrase.clone())) {
            let Some(word) = phrase.first() else { continue };
            let longest = self.longest.entry(word.clone()).or_default();
            *longest = phrase.len().max(*longest);
            self.replacements.entry(phrase).or_default().push(Arc::clone(&to));
        }
        Ok(())
    }

    /// The longest sequence at the front of `tokens` that a rule names.
    fn longest_match(&self, tokens: &[Token]) -> Option<(usize, &[Arc<[Phrase]>])> {
        let longest = *self.longest.get(tokens.first()?.text())?;
        let follow = |pair: &&[Token]| pair[1].position == pair[0].position + 1;
        let together = 1 + tokens.windows(2).take(longest - 1).take_while(follow).count();
        let mut words: Phrase = tokens.iter().take(together).map(|token| token.text().to_owned()).collect();
        while !words.is_empty() {
            if let Some(found) = self.replacements.get(&words) {
                return Some((words.len(), found));
            }
            words.pop();
        }
        None
    }

    /// Side by side, each with positions of its own between the first and the last; returns the positions taken.
    fn graph(matched: &[Token], replacements: &[&Phrase], is_kept: bool, position: u32, out: &mut Vec<Token>) -> u32 {
        let inner: usize = replacements.iter().map(|phrase| phrase.len() - 1).sum();
        let kept = if is_kept { matched.len() - 1 } else { 0 };
        let end = (1 + inner + kept) as u32;
        let (start_offset, end_offset) = (matched[0].start_offset, matched[matched.len() - 1].end_offset);
        let mut next = 1;
        let mut made = Vec::new();
        let mut place = |length: usize, number: usize, from: &mut u32| {
            let to = if number + 1 == length { end } else { next };
            if to == next && number + 1 != length {
                next += 1;
            }
            let placed = (position + *from, to - *from);
            *from = to;
            placed
        };
        for &phrase in replacements {
            let mut from = 0;
            for (number, word) in phrase.iter().enumerate() {
                let (position, position_length) = place(phrase.len(), number, &mut from);
                let term = word.clone().into_bytes();
                let model = matched[0].clone();
                made.push(Token { term, position, position_length, start_offset, end_offset, kind: KIND, ..model });
            }
        }
        if is_kept {
            let mut from = 0;
            for (number, token) in matched.iter().enumerate() {
                let (position, position_length) = place(matched.len(), number, &mut from);
                made.push(Token { position, position_length, ..token.clone() });
            }
        }
        made.sort_by_key(|token| token.position);
        out.extend(made);
        end
    }

    /// One over the other from the first position on; returns the positions taken.
    fn flat(matched: &[Token], replacements: &[&Phrase], is_kept: bool, position: u32, out: &mut Vec<Token>) -> u32 {
        let mut made = Vec::new();
        let last = matched.len() - 1;
        if is_kept {
            made.extend(matched.iter().zip(position..).map(|(token, position)| Token { position, ..token.clone() }));
        }
        for &phrase in replacements {
            for (number, word) in phrase.iter().enumerate() {
                let is_end = number + 1 == phrase.len();
                let model = &matched[number.min(last)];
                made.push(Token {
                    term: word.clone().into_bytes(),
                    position: position + number as u32,
                    position_length: if phrase.len() == 1 { matched.len() as u32 } else { 1 },
                    end_offset: if is_end { matched[last].end_offset } else { model.end_offset },
                    kind: KIND,
                    ..model.clone()
                });
            }
        }
        let longest = replacements.iter().map(|phrase| phrase.len()).max().unwrap_or(1);
        let taken = if is_kept { matched.len() } else { longest.min(matched.len()) };
        made.sort_by_key(|token| token.position);
        out.extend(made);
        taken as u32
    }
}

/// The words of one side of a rule as the chain makes them.
fn analyzed(phrase: &str, before: &Analyzer) -> Result<Phrase> {
    let mut tokens = Vec::new();
    before.analyze(phrase, &mut tokens)?;
    if tokens.is_empty() {
        return Err(Error::illegal_argument(format!("term: {phrase} was completely eliminated by analyzer")));
    }
    for (token, next) in tokens.iter().zip(0..) {
        if token.position != next {
            return Err(Error::illegal_argument(format!(
                "term: {phrase} analyzed to a token ({}) with position increment != 1 (got: {})",
                token.text(),
                i64::from(token.position) + 1 - i64::from(next)
            )));
        }
    }
    Ok(tokens.iter().map(|token| token.text().to_owned()).collect())
}

impl StreamFilter for Synonym {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let tokens = std::mem::take(&mut stream.tokens);
        let mut out = Vec::with_capacity(tokens.len());
        let mut shift: i64 = 0;
        let mut at = 0;
        while at < tokens.len() {
            let position = (i64::from(tokens[at].position) + shift) as u32;
            let Some((length, sets)) = self.longest_match(&tokens[at..]) else {
                out.push(Token { position, ..tokens[at].clone() });
                at += 1;
                continue;
            };
            let matched = &tokens[at..at + length];
            let is_itself = |phrase: &&Phrase| phrase.iter().map(String::as_str).eq(matched.iter().map(Token::text));
            let mut others: Vec<&Phrase> = sets.iter().flat_map(|set| set.iter()).collect();
            if sets.len() > 1 {
                let mut known = HashSet::new();
                others.retain(|phrase| known.insert(*phrase));
            }
            let all = others.len();
            others.retain(|phrase| !is_itself(phrase));
            let is_kept = others.len() < all;
            let place = if self.is_graph { Self::graph } else { Self::flat };
            shift += i64::from(place(matched, &others, is_kept, position, &mut out)) - length as i64;
            at += length;
            check_made(&out)?;
        }
        // A synonym of more words than it stands for lies over what follows.
        out.sort_by_key(|token| token.position);
        stream.positions = (i64::from(stream.positions) + shift).max(0) as u32;
        stream.tokens = out;
        Ok(())
    }

    fn behind(&self, before: &Analyzer) -> Result<Option<TokenFilter>> {
        let analyze = |phrase: &str| analyzed(phrase, before);
        let rules = self.rules.clone();
        Ok(Some(TokenFilter::stream(Synonym::from_rules(rules, self.is_graph, self.lenient, analyze)?)))
    }
}
