//! `Locale`: language, country and variant. What methods that take one do does not depend on it.

use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::run::Machine;

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locale {
    language: String,
    country: String,
    variant: String,
}

impl Locale {
    pub fn new(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<Locale> {
        if !(1..=3).contains(&arguments.len()) {
            return Err(Fault::illegal("a Locale is made of a language, a country and a variant"));
        }
        let mut parts = [String::new(), String::new(), String::new()];
        for (part, argument) in parts.iter_mut().zip(arguments) {
            *part = machine.chars_of(*argument)?.to_string();
        }
        let [language, country, variant] = parts;
        Ok(Locale { language: language.to_lowercase(), country: country.to_uppercase(), variant })
    }

    fn of_tag(tag: &str) -> Locale {
        let mut parts = tag.split(['-', '_']);
        let language = parts.next().filter(|language| *language != "und").unwrap_or_default().to_lowercase();
        let mut parts = parts.skip_while(|part| part.len() == 4);
        let country = parts.next().unwrap_or_default().to_uppercase();
        Locale { language, country, variant: parts.next().unwrap_or_default().to_owned() }
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
            Ok(Some(Locale::of_tag(&tag)))
        }
        ("getDefault", []) => Ok(Some(Locale::of_tag("en"))),
        (name, []) => {
            let known = CONSTANTS.iter().find(|(known, ..)| *known == name);
            Ok(known.map(|(_, language, country)| Locale {
                language: (*language).into(),
                country: (*country).into(),
                variant: String::new(),
            }))
        }
        _ => Ok(None),
    }
}

pub fn call(machine: &mut Machine<'_>, own: &Locale, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("getLanguage", []) => machine.new_text(own.language.as_str()),
        ("getCountry", []) => machine.new_text(own.country.as_str()),
        ("getVariant", []) => machine.new_text(own.variant.as_str()),
        ("toLanguageTag", []) => machine.new_text(own.tag()),
        _ => Ok(None),
    }
}
