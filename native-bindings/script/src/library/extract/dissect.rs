//! Dissect: what stands between fixed texts, `%{field}`.

use super::{Captured, Fields};
use quarry_base::error::{Error, Result};
use std::sync::Arc;

/// Keys of a pattern.
const KEYS_MAX: usize = 1_000;

#[derive(Debug)]
pub struct Dissect {
    /// What the text begins with.
    lead: Box<str>,
    keys: Vec<Key>,
    /// Between values that are joined.
    separator: Box<str>,
}

#[derive(Debug)]
struct Key {
    name: Arc<str>,
    kind: Kind,
    order: u32,
    /// `->`: what stands behind may be there more than once.
    is_padded: bool,
    /// What stands behind; empty for the last.
    delimiter: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// `+`, and what it joins: values of one name are put together.
    Joined,
    /// `*`: its value names a field, which [`Kind::Value`] of the same name fills.
    Name,
    /// `&`
    Value,
    /// `?` or no name: nothing is kept.
    Skipped,
}

impl Dissect {
    /// Errors: patterns without keys, keys that nothing parts, names without values.
    pub fn new(pattern: &str, separator: &str) -> Result<Self> {
        let invalid = |why: &str| Error::illegal_argument(format!("Unable to parse pattern: {pattern} Reason: {why}"));
        let Some((lead, mut rest)) = pattern.split_once("%{") else {
            return Err(invalid("Unable to find any keys or delimiters."));
        };
        let mut keys: Vec<Key> = Vec::new();
        loop {
            let Some((key, behind)) = rest.split_once('}') else {
                return Err(invalid("Unable to find any keys or delimiters."));
            };
            let (delimiter, more) = match behind.split_once("%{") {
                Some((delimiter, more)) => (delimiter, Some(more)),
                None => (behind, None),
            };
            keys.push(Key::new(key, delimiter).ok_or_else(|| invalid(&format!("the key '{key}' has no name")))?);
            if keys.len() > KEYS_MAX {
                return Err(invalid(&format!("it has more than [{KEYS_MAX}] keys")));
            }
            let Some(more) = more else { break };
            if delimiter.is_empty() {
                return Err(invalid("a key must be separated from the next one by a delimiter"));
            }
            rest = more;
        }
        for key in &keys {
            let of_pair = |other: &Key| other.name == key.name && matches!(other.kind, Kind::Name | Kind::Value);
            if of_pair(key) && keys.iter().filter(|other| of_pair(other)).count() != 2 {
                return Err(invalid(&format!("Found invalid key/reference associations: '{}'", key.name)));
            }
        }
        let joined: Vec<Arc<str>> =
            keys.iter().filter(|key| key.kind == Kind::Joined).map(|key| Arc::clone(&key.name)).collect();
        for key in keys.iter_mut().filter(|key| key.kind == Kind::Plain && joined.contains(&key.name)) {
            key.kind = Kind::Joined;
        }
        Ok(Dissect { lead: lead.into(), keys, separator: separator.into() })
    }

    /// `None`: the text does not match.
    pub fn fields(&self, text: &str) -> Option<Fields> {
        let values = self.values(text)?;
        let mut fields: Vec<(Arc<str>, String)> = Vec::new();
        let mut joined: Vec<(&Key, &str)> = Vec::new();
        for (key, value) in self.keys.iter().zip(&values) {
            match key.kind {
                Kind::Plain => put(&mut fields, Arc::clone(&key.name), (*value).to_owned()),
                Kind::Joined => joined.push((key, value)),
                Kind::Name => {
                    let partner =
                        self.keys.iter().position(|other| other.kind == Kind::Value && other.name == key.name);
                    let own = partner.and_then(|place| values.get(place)).copied().unwrap_or_default();
                    put(&mut fields, (*value).into(), own.to_owned());
                }
                Kind::Value | Kind::Skipped => {}
            }
        }
        joined.sort_by_key(|(key, _)| key.order);
        for (key, value) in joined {
            match fields.iter_mut().find(|(name, _)| *name == key.name) {
                Some((_, whole)) => whole.extend([&*self.separator, value]),
                None => fields.push((Arc::clone(&key.name), value.to_owned())),
            }
        }
        Some(fields.into_iter().map(|(name, value)| (name, Captured::Text(value))).collect())
    }

    /// The text of each key.
    fn values<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let mut rest = text.strip_prefix(&*self.lead)?;
        let mut values = Vec::with_capacity(self.keys.len());
        for Key { delimiter, is_padded, .. } in &self.keys {
            if delimiter.is_empty() {
                values.push(rest);
                return Some(values);
            }
            let (value, behind) = rest.split_once(&**delimiter)?;
            values.push(value);
            rest = behind;
            while *is_padded && let Some(behind) = rest.strip_prefix(&**delimiter) {
                rest = behind;
            }
        }
        rest.is_empty().then_some(values)
    }
}

impl Key {
    /// `None`: it has a sign that needs a name, and none.
    fn new(text: &str, delimiter: &str) -> Option<Self> {
        let (text, is_padded) = text.strip_suffix("->").map_or((text, false), |text| (text, true));
        let (kind, named) = match text.chars().next() {
            Some('+') => (Kind::Joined, &text[1..]),
            Some('*') => (Kind::Name, &text[1..]),
            Some('&') => (Kind::Value, &text[1..]),
            Some('?') => (Kind::Skipped, &text[1..]),
            _ => (Kind::Plain, text),
        };
        let ordered = named.rsplit_once('/').and_then(|(name, order)| Some((name, order.parse().ok()?)));
        let (name, order) = ordered.unwrap_or((named, 0));
        let kind = match kind {
            Kind::Plain if name.is_empty() => Kind::Skipped,
            Kind::Skipped => kind,
            _ if name.is_empty() => return None,
            kind => kind,
        };
        Some(Key { name: name.into(), kind, order, is_padded, delimiter: delimiter.into() })
    }
}

fn put(fields: &mut Vec<(Arc<str>, String)>, name: Arc<str>, value: String) {
    match fields.iter_mut().find(|(known, _)| *known == name) {
        Some((_, old)) => *old = value,
        None => fields.push((name, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pattern: &str, text: &str) -> Option<Vec<(String, String)>> {
        let fields = Dissect::new(pattern, " ").unwrap().fields(text)?;
        let text = |captured| match captured {
            Captured::Text(text) => text,
            other => panic!("{other:?}"),
        };
        Some(fields.into_iter().map(|(name, value)| (name.to_string(), text(value))).collect())
    }

    fn pairs(expected: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
        Some(expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn keys_take_what_stands_between() {
        assert_eq!(
            fields("%{a} - [%{@t}] \"%{verb} %{}\" %{rest}", "1.2.3.4 - [now] \"GET /x\" 200 5"),
            pairs(&[("a", "1.2.3.4"), ("@t", "now"), ("verb", "GET"), ("rest", "200 5")])
        );
        assert_eq!(fields("%{a}, %{b};", "1, 2;"), pairs(&[("a", "1"), ("b", "2")]));
        assert_eq!(fields("%{a}, %{b};", "1, 2; more"), None);
        assert_eq!(fields("x %{a}", "y 1"), None);
    }

    #[test]
    fn keys_are_joined_named_padded_and_skipped() {
        assert_eq!(fields("%{+n/2} %{+n/1} %{b}", "doe john x"), pairs(&[("b", "x"), ("n", "john doe")]));
        assert_eq!(fields("%{n} %{+n} %{b}", "a b x"), pairs(&[("b", "x"), ("n", "a b")]));
        assert_eq!(fields("%{*k}=%{&k} %{?s} %{x}", "id=7 no y"), pairs(&[("id", "7"), ("x", "y")]));
        assert_eq!(fields("%{a->} %{b}", "1    2"), pairs(&[("a", "1"), ("b", "2")]));
    }

    #[test]
    fn patterns_that_are_none_are_refused() {
        let refused = |pattern: &str| Dissect::new(pattern, "").unwrap_err().reason;
        assert!(refused("plain").ends_with("Unable to find any keys or delimiters."));
        assert!(refused("%{a}%{b}").ends_with("by a delimiter"));
        assert!(refused("%{*a} %{b}").ends_with("associations: 'a'"));
        assert!(refused("%{+} %{b}").ends_with("the key '+' has no name"));
    }
}
