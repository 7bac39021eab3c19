//! A regular expression with the form of it that has to match a whole text.

use regex::{Regex, RegexBuilder};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

#[derive(Debug)]
pub struct CompiledPattern {
    find: Regex,
    whole: OnceLock<Option<Regex>>,
}

impl CompiledPattern {
    pub fn new(find: Regex) -> Arc<Self> {
        Arc::new(CompiledPattern { find, whole: OnceLock::new() })
    }

    /// Matches only whole texts; `None` when that form is too large.
    pub fn whole(&self) -> Option<&Regex> {
        let whole = self.whole.get_or_init(|| {
            let pattern = format!("\\A(?:{})\\z", self.find.as_str());
            RegexBuilder::new(&pattern).size_limit(1 << 20).dfa_size_limit(1 << 20).build().ok()
        });
        whole.as_ref()
    }

    /// Whether it matches the text from its beginning to its end.
    pub fn spans(&self, text: &str) -> bool {
        self.whole().is_some_and(|whole| whole.is_match(text))
    }
}

impl Deref for CompiledPattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        &self.find
    }
}
