//! Synonyms as they are written in settings, in the two formats that the API knows.

use crate::filter::wrong;
use quarry_base::error::Result;

/// A rule as it is written: sequences, and what they become.
#[derive(Debug, Clone)]
pub struct Rule {
    pub text: String,
    pub from: Vec<String>,
    pub to: Vec<String>,
}

impl Rule {
    /// Sequences that stand for each other: each becomes all of them, or without `expand` the first.
    fn of_equals(text: String, all: Vec<String>, expand: bool) -> Rule {
        let to = if expand { all.clone() } else { all.iter().take(1).cloned().collect() };
        Rule { text, from: all, to }
    }
}

/// Lines `a b, c => d` (`a b` and `c` become `d`) and `a, b c` (equals), with remarks after `#`. `lenient` passes over lines that
/// cannot be read.
pub fn solr(lines: &[String], expand: bool, lenient: bool) -> Result<Vec<Rule>> {
    let mut rules = Vec::with_capacity(lines.len());
    for line in lines {
        match solr_rule(line.trim(), expand) {
            Err(_) if lenient => {}
            read => rules.extend(read?),
        }
    }
    Ok(rules)
}

fn solr_rule(line: &str, expand: bool) -> Result<Option<Rule>> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    Ok(Some(match line.split_once("=>") {
        Some((from, to)) => Rule { text: line.to_owned(), from: sequences(line, from)?, to: sequences(line, to)? },
        None => Rule::of_equals(line.to_owned(), sequences(line, line)?, expand),
    }))
}

fn sequences(line: &str, side: &str) -> Result<Vec<String>> {
    let sequences: Vec<String> = side.split(',').map(|sequence| sequence.trim().to_owned()).collect();
    if sequences.iter().any(String::is_empty) || side.contains("=>") {
        return Err(invalid(line));
    }
    Ok(sequences)
}

fn invalid(line: &str) -> quarry_base::error::Error {
    wrong(format!("Invalid synonym rule: [{line}]"))
}

/// Lines of WordNet's Prolog database, `s(100000001,1,'abstain',v,1,0).`: what follows each other under one number are equals.
/// `lenient` passes over lines that cannot be read.
pub fn wordnet(lines: &[String], expand: bool, lenient: bool) -> Result<Vec<Rule>> {
    let mut sets: Vec<(&str, Vec<String>)> = Vec::new();
    for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
        let Some((set, words)) = wordnet_word(line) else {
            if lenient {
                continue;
            }
            return Err(invalid(line));
        };
        match sets.last_mut() {
            Some((last, all)) if *last == set => all.push(words),
            _ => sets.push((set, vec![words])),
        }
    }
    let equals = |(set, all): (&str, Vec<String>)| Rule::of_equals(format!("s({set})"), all, expand);
    Ok(sets.into_iter().filter(|(_, all)| all.len() > 1).map(equals).collect())
}

/// The number of the set and the sequence that a line adds to it; an apostrophe inside is written twice.
fn wordnet_word(line: &str) -> Option<(&str, String)> {
    let (set, rest) = line.strip_prefix("s(")?.split_once(',')?;
    let (start, end) = (rest.find('\'')? + 1, rest.rfind('\'')?);
    let words = rest.get(start..end)?.replace("''", "'");
    let is_read = set.bytes().all(|digit| digit.is_ascii_digit()) && !words.trim().is_empty();
    is_read.then_some((set, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    const ABSTAIN: &str = "s(100000001,1,'abstain',v,1,0).
s(100000001,2,'refrain',v,1,0).
s(100000001,3,'desist',v,1,0).
s(100000002,1,'alone',r,1,0).
s(100000003,1,'cat''s eye',n,1,0).
s(100000003,2,'gem',n,1,0).";

    fn sides(rules: &[Rule]) -> Vec<(String, String)> {
        rules.iter().map(|rule| (rule.from.join("|"), rule.to.join("|"))).collect()
    }

    #[test]
    fn sets_of_wordnet_are_equals() {
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(
            sides(&wordnet(&lines(ABSTAIN), true, false).unwrap()),
            [pair("abstain|refrain|desist", "abstain|refrain|desist"), pair("cat's eye|gem", "cat's eye|gem")]
        );
        assert_eq!(
            sides(&wordnet(&lines(ABSTAIN), false, false).unwrap()),
            [pair("abstain|refrain|desist", "abstain"), pair("cat's eye|gem", "cat's eye")]
        );
    }

    #[test]
    fn lines_that_are_none_of_wordnet_are_refused_by_name() {
        for line in ["a, b", "s(1", "s(1,1,abstain,v,1,0).", "s(1,1,'", "s(x,1,'a',v,1,0).", "s(1,1,'',v,1,0)."] {
            let refused = wordnet(&lines(line), true, false).unwrap_err();
            assert_eq!(refused.reason, format!("Invalid synonym rule: [{line}]"));
            assert!(wordnet(&lines(line), true, true).unwrap().is_empty());
        }
    }
}
