//! Automata that find the longest match from a place on.

use quarry_base::error::{Error, Result};
use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Anchored, MatchKind};

/// Bytes of an automaton, and those that making it may take.
const BYTES_MAX: usize = 8 << 20;
/// Bytes of what it is made from, where repetitions of repetitions stand as often as they say.
const STATES_BYTES_MAX: usize = 4 << 20;
/// Bytes of one text that may be looked at, each as often as it is: a pattern may be tried from each place to the end.
const LOOKED_AT_MAX: usize = 1 << 30;

/// Finds which of its patterns matches the longest text; of those that match the same the first.
#[derive(Debug)]
pub struct Longest {
    automaton: dense::DFA<Vec<u32>>,
    start: StateID,
}

impl Longest {
    /// `None` where the patterns are no expressions, look around, or take more than the bound on automata.
    pub fn new(patterns: &[impl AsRef<str>]) -> Option<Self> {
        let config = dense::Config::new()
            .match_kind(MatchKind::All)
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(BYTES_MAX))
            .determinize_size_limit(Some(BYTES_MAX));
        let syntax = syntax::Config::new().dot_matches_new_line(true);
        let states = thompson::Config::new().nfa_size_limit(Some(STATES_BYTES_MAX));
        let mut builder = dense::Builder::new();
        let automaton = builder.configure(config).syntax(syntax).thompson(states).build_many(patterns).ok()?;
        let start = automaton.universal_start_state(Anchored::Yes)?;
        Some(Longest { automaton, start })
    }

    /// Goes through one text.
    pub fn over<'a>(&'a self, text: &'a [u8]) -> Search<'a> {
        Search { patterns: self, text, looked_at: 0 }
    }

    /// The first of the patterns that match where this state is reached.
    fn matched(&self, state: StateID) -> Option<usize> {
        self.automaton.is_match_state(state).then(|| self.automaton.match_pattern(state, 0).as_usize())
    }
}

/// The longest match from one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Number of the pattern.
    pub pattern: usize,
    pub end: usize,
}

pub struct Search<'a> {
    patterns: &'a Longest,
    text: &'a [u8],
    looked_at: usize,
}

impl Search<'_> {
    /// An error when all searches of this text together have looked at too much of it.
    pub fn at(&mut self, start: usize) -> Result<Option<Found>> {
        let automaton = &self.patterns.automaton;
        let mut state = self.patterns.start;
        let mut found = None;
        let mut at = start;
        while at < self.text.len() && !automaton.is_dead_state(state) {
            // A state tells of the text before the byte that led to it.
            state = automaton.next_state(state, self.text[at]);
            found = self.patterns.matched(state).map(|pattern| Found { pattern, end: at }).or(found);
            at += 1;
        }
        if !automaton.is_dead_state(state) {
            let matched = self.patterns.matched(automaton.next_eoi_state(state));
            found = matched.map(|pattern| Found { pattern, end: at }).or(found);
        }
        self.looked_at += at - start;
        if self.looked_at > LOOKED_AT_MAX {
            return Err(Error::illegal_argument("the pattern of a tokenizer takes too long for this text"));
        }
        Ok(found)
    }
}
