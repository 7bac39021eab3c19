//! `Locale`: language, country and variant. What methods that take one do does not depend on it.

use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::run::Machine;
use std::sync::Arc;

const CONSTANTS: &[(&str, &str, &str)] = &[
    ("CANADA", "en", "CA"),
    ("CANADA_FRENCH", "fr", "CA"),
    ("CHINA", "zh", "CN"),
    ("CHINESE", "zh", ""),
    ("ENGLISH", "en", ""),
    ("FRANCE", "fr", "FR"),
    ("FRENCH", "fr", ""),
    ("GERMAN", "de", ""),
    ("GERMANY", "de", "DE"),
    ("ITALIAN", "it", ""),
    ("ITALY", "it", "IT"),
    ("JAPAN", "ja", "JP"),
    ("JAPANESE", "ja", ""),
    ("KOREA", "ko", "KR"),
    ("KOREAN", "ko", ""),
    ("PRC", "zh", "CN"),
    ("ROOT", "", ""),
    ("SIMPLIFIED_CHINESE", "zh", "CN"),
    ("TAIWAN", "zh", "TW"),
    ("TRADITIONAL_CHINESE", "zh", "TW"),
    ("UK", "en", "GB"),
    ("US", "en", "US"),
];

/// Bytes of texts that are looked at for one operation.
const BYTES_PER_OPERATION: usize = 256;

/// Copies share the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locale {
    language: Arc<str>,
    country: Arc<str>,
    variant: Arc<str>,
}

impl Locale {
    pub fn new(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<Locale> {
        if !(1..=3).contains(&arguments.len()) {
            return Err(Fault::illegal("a Locale is made of a language, a country and a variant"));
        }
        let mut parts: [Arc<str>; 3] = ["".into(), "".into(), "".into()];
        for (part, argument) in parts.iter_mut().zip(arguments) {
            *part = machine.chars_of(*argument)?;
            machine.work(part.len() / BYTES_PER_OPERATION)?;
        }
        let [language, country, variant] = parts;
        Ok(Locale { language: language.to_lowercase().into(), country: country.to_uppercase().into(), variant })
    }

    fn of_tag(tag: &str) -> Locale {
        let mut parts = tag.split(['-', '_']);
        let language = parts.next().filter(|language| *language != "und").unwrap_or_default();
        let mut parts = parts.skip_while(|part| part.len() == 4);
        let (country, variant) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        Locale {
            language: language.to_lowercase().into(),
            country: country.to_uppercase().into(),
            variant: variant.into(),
        }
    }

    pub fn bytes(&self) -> usize {
        self.language.len() + self.country.len() + self.variant.len()
    }

    fn parts(&self) -> impl Iterator<Item = &str> {
        [&*self.language, &*self.country, &*self.variant].into_iter().filter(|part| !part.is_empty())
    }

    /// `de_DE`.
    pub fn text(&self) -> String {
        self.parts().collect::<Vec<_>>().join("_")
    }

    /// `de-DE`.
    fn tag(&self) -> String {
        if self.language.is_empty() && self.country.is_empty() {
            return "und".into();
        }
        self.parts().collect::<Vec<_>>().join("-")
    }
}

pub fn call_static(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Locale>> {
    match (name, arguments) {
        ("forLanguageTag", [tag]) => {
            let tag = machine.chars_of(*tag)?;
            machine.work(tag.len() / BYTES_PER_OPERATION)?;
            Ok(Some(Locale::of_tag(&tag)))
        }
        ("getDefault", []) => Ok(Some(Locale::of_tag("en"))),
        (name, []) => {
            let known = CONSTANTS.iter().find(|(known, ..)| *known == name);
            Ok(known.map(|(_, language, country)| Locale {
                language: (*language).into(),
                country: (*country).into(),
                variant: "".into(),
            }))
        }
        _ => Ok(None),
    }
}

pub fn call(machine: &mut Machine<'_>, own: &Locale, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("getLanguage", []) => machine.new_text(Arc::clone(&own.language)),
        ("getCountry", []) => machine.new_text(Arc::clone(&own.country)),
        ("getVariant", []) => machine.new_text(Arc::clone(&own.variant)),
        ("toLanguageTag", []) => {
            machine.work(own.bytes() / BYTES_PER_OPERATION)?;
            machine.new_text(own.tag())
        }
        _ => Ok(None),
    }
}
