//! `apostrophe` and `elision`: what stands behind, or before, an apostrophe goes.

use crate::filter::TermFilter;
use crate::filter::selected::stop::WordSet;
use crate::params::Params;
use crate::token::Token;
use quarry_base::error::Result;

const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];
/// French articles and conjunctions that lose their vowel.
const FRENCH_ARTICLES: [&str; 13] =
    ["l", "m", "t", "qu", "n", "s", "j", "d", "c", "jusqu", "quoiqu", "lorsqu", "puisqu"];

/// Cuts a token at its first apostrophe.
#[derive(Debug)]
pub struct Apostrophe;

impl TermFilter for Apostrophe {
    fn apply(&self, token: &mut Token) -> bool {
        if let Some(at) = token.text().find(APOSTROPHES) {
            token.term.truncate(at);
        }
        true
    }
}

/// Removes a listed article with its apostrophe from the front (`l'avion` becomes `avion`).
#[derive(Debug)]
pub struct Elision {
    articles: WordSet,
}

impl Elision {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        params.refuse_path("articles_path")?;
        let ignore_case = params.flag("articles_case", false)?;
        let listed = params.list("articles")?;
        let is_default = listed.is_none();
        let articles = listed.unwrap_or_else(|| FRENCH_ARTICLES.map(str::to_owned).to_vec());
        Ok(Elision { articles: WordSet::new(articles, ignore_case || is_default)? })
    }
}

impl TermFilter for Elision {
    fn apply(&self, token: &mut Token) -> bool {
        let text = token.text();
        if let Some((article, rest)) = text.split_once(APOSTROPHES)
            && self.articles.contains(article)
        {
            let rest = rest.to_owned();
            token.set_text(&rest);
        }
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}
