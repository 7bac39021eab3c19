//! Regular expressions as the API's users write them (Java's syntax) for the `regex` crate.
//!
//! The engine runs in time linear in the text and within a memory bound, so that a pattern cannot stall a shard; in
//! exchange look-around, back-references, atomic groups and possessive quantifiers are refused.

use crate::error::{Error, Result};
use regex::{Regex, RegexBuilder};

/// Bytes that a compiled pattern, and the cache that it runs with, take at most.
const COMPILED_BYTES_MAX: usize = 1 << 20;
/// Nesting of groups in a pattern.
const NESTING_MAX: u32 = 100;

/// Compiles `pattern` with Java's flags joined by `|`, as `CASE_INSENSITIVE|DOTALL`.
pub fn compile(pattern: &str, flags: Option<&str>) -> Result<Regex> {
    compile_within(pattern, flags, COMPILED_BYTES_MAX)
}

/// As [`compile`]; the compiled pattern, and the cache that it runs with, may take so many bytes.
pub fn compile_within(pattern: &str, flags: Option<&str>, bytes_max: usize) -> Result<Regex> {
    let mut literal = false;
    let mut builder_flags = Flags::default();
    for flag in flags.unwrap_or("").split('|').map(str::trim).filter(|flag| !flag.is_empty()) {
        match flag {
            "CASE_INSENSITIVE" => builder_flags.case_insensitive = true,
            "MULTILINE" => builder_flags.multi_line = true,
            "DOTALL" => builder_flags.dot_all = true,
            "COMMENTS" => builder_flags.comments = true,
            "UNICODE_CASE" | "UNIX_LINES" | "CANON_EQ" => {}
            "UNICODE_CHAR_CLASS" | "UNICODE_CHARACTER_CLASS" => builder_flags.unicode_classes = true,
            "LITERAL" => literal = true,
            other => return Err(Error::illegal_argument(format!("Unknown regex flag [{other}]"))),
        }
    }
    let translated =
        if literal { regex::escape(pattern) } else { Translator::new(pattern, builder_flags.unicode_classes).run()? };
    RegexBuilder::new(&translated)
        .case_insensitive(builder_flags.case_insensitive)
        .multi_line(builder_flags.multi_line)
        .dot_matches_new_line(builder_flags.dot_all)
        .ignore_whitespace(builder_flags.comments)
        .size_limit(bytes_max)
        .dfa_size_limit(bytes_max)
        .nest_limit(NESTING_MAX)
        .build()
        .map_err(|error| refused(pattern, &error.to_string()))
}

#[derive(Default)]
struct Flags {
    case_insensitive: bool,
    multi_line: bool,
    dot_all: bool,
    comments: bool,
    unicode_classes: bool,
}

fn refused(pattern: &str, why: &str) -> Error {
    Error::illegal_argument(format!("regular expression [{pattern}] cannot be used: {}", why.trim()))
}

/// Rewrites what means something else, or nothing, in the `regex` crate.
struct Translator<'a> {
    pattern: &'a str,
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    out: String,
    class_depth: u32,
    unicode_classes: bool,
}

impl<'a> Translator<'a> {
    fn new(pattern: &'a str, unicode_classes: bool) -> Self {
        let rest = pattern.chars().peekable();
        Translator { pattern, rest, out: String::with_capacity(pattern.len()), class_depth: 0, unicode_classes }
    }

    fn run(mut self) -> Result<String> {
        while let Some(character) = self.rest.next() {
            match character {
                '\\' => self.escape()?,
                '[' => {
                    self.class_depth += 1;
                    self.out.push('[');
                    if self.rest.next_if_eq(&'^').is_some() {
                        self.out.push('^');
                    }
                }
                ']' if self.class_depth > 0 => {
                    self.class_depth -= 1;
                    self.out.push(']');
                }
                // `--` and `~~` are operators inside a class of the crate, plain characters in Java.
                '~' | '-' if self.class_depth > 0 && self.rest.peek() == Some(&character) => {
                    self.out.push('\\');
                    self.out.push(character);
                }
                '*' | '+' | '?' | '}' if self.class_depth == 0 && self.rest.peek() == Some(&'+') => {
                    return Err(refused(self.pattern, "possessive quantifiers are not supported"));
                }
                other => self.out.push(other),
            }
        }
        Ok(self.out)
    }

    fn escape(&mut self) -> Result<()> {
        let Some(letter) = self.rest.next() else {
            return Err(refused(self.pattern, "it ends in a backslash"));
        };
        match letter {
            'Q' => self.quoted(),
            'w' | 'W' | 'd' | 'D' | 's' | 'S' if !self.unicode_classes => self.ascii_class(letter),
            'b' | 'B' if !self.unicode_classes && self.class_depth == 0 => {
                // The negation may split a character where only ASCII counts; the crate offers it for Unicode alone.
                self.out.push_str(if letter == 'b' { r"(?-u:\b)" } else { r"\B" });
            }
            'h' => self.out.push_str(r"[ \t\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}]"),
            'R' => self.out.push_str(r"(?:\r\n|[\n\x0B\x0C\r\x{85}\x{2028}\x{2029}])"),
            'e' => self.out.push_str(r"\x1B"),
            'Z' => self.out.push_str(r"\n?\z"),
            'u' => self.code_unit()?,
            'p' | 'P' => self.property(letter)?,
            '1'..='9' | 'k' => return Err(refused(self.pattern, "back-references are not supported")),
            _ => {
                self.out.push('\\');
                self.out.push(letter);
            }
        }
        Ok(())
    }

    /// `\Q...\E`: everything literal.
    fn quoted(&mut self) {
        let mut literal = String::new();
        while let Some(character) = self.rest.next() {
            if character == '\\' && self.rest.peek() == Some(&'E') {
                self.rest.next();
                break;
            }
            literal.push(character);
        }
        self.out.push_str(&regex::escape(&literal));
    }

    /// Java's `\w`, `\d`, `\s` are ASCII.
    fn ascii_class(&mut self, letter: char) {
        let members = match letter.to_ascii_lowercase() {
            'w' => "a-zA-Z_0-9",
            'd' => "0-9",
            _ => r" \t\n\x0B\x0C\r",
        };
        let negation = if letter.is_ascii_uppercase() { "^" } else { "" };
        self.out.push_str(&format!("[{negation}{members}]"));
    }

    /// `\uXXXX`.
    fn code_unit(&mut self) -> Result<()> {
        let digits: String = (0..4).filter_map(|_| self.rest.next_if(char::is_ascii_hexdigit)).collect();
        if digits.len() != 4 {
            return Err(refused(self.pattern, "\\u wants four hexadecimal digits"));
        }
        self.out.push_str(&format!("\\x{{{digits}}}"));
        Ok(())
    }

    /// `\p{Name}`: POSIX names are ASCII classes, `Is` introduces scripts and binary properties.
    fn property(&mut self, letter: char) -> Result<()> {
        let mut name = String::new();
        if self.rest.next_if_eq(&'{').is_some() {
            name.extend(std::iter::from_fn(|| self.rest.next_if(|&character| character != '}')));
            self.rest.next();
        } else {
            name.extend(self.rest.next());
        }
        let negation = if letter == 'P' { "^" } else { "" };
        let posix = match name.as_str() {
            "Lower" | "Upper" | "Alpha" | "Digit" | "Alnum" | "Punct" | "Graph" | "Print" | "Blank" | "Cntrl"
            | "Space" => name.to_ascii_lowercase(),
            "ASCII" => "ascii".to_owned(),
            "XDigit" => "xdigit".to_owned(),
            _ => {
                let plain = name.strip_prefix("Is").unwrap_or(&name);
                self.out.push_str(&format!("\\{letter}{{{plain}}}"));
                return Ok(());
            }
        };
        self.out.push_str(&format!("[[:{negation}{posix}:]]"));
        Ok(())
    }
}

/// A replacement in Java's syntax (`$1`, `${name}`, `\$`) in the crate's.
pub fn replacement(java: &str) -> String {
    let mut out = String::with_capacity(java.len());
    let mut rest = java.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' => match rest.next() {
                Some('$') => out.push_str("$$"),
                Some(other) => out.push(other),
                None => {}
            },
            '$' if rest.peek().is_some_and(char::is_ascii_digit) => {
                // Java takes as many digits as name a group; patterns with ten groups are beyond what users write.
                out.push_str("${");
                out.extend(rest.next());
                out.push('}');
            }
            '$' if rest.peek() == Some(&'{') => out.push('$'),
            '$' => out.push_str("$$"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_classes_are_ascii() {
        let words = compile(r"\w+", None).unwrap();
        assert_eq!(words.find("é\u{660}ab_1é").unwrap().as_str(), "ab_1");
        assert!(compile(r"[\W&&[^ ]]", None).unwrap().is_match("-"));
        assert!(compile(r"\p{Punct}", None).unwrap().is_match("!"));
        assert!(compile(r"\p{IsAlphabetic}", None).unwrap().is_match("é"));
        assert!(compile(r"a", Some("CASE_INSENSITIVE|DOTALL")).unwrap().is_match("A"));
        assert!(compile(r"a.b\Q.\E", None).unwrap().is_match("a-b."));
    }

    #[test]
    fn what_cannot_be_linear_is_refused() {
        for pattern in [r"(a)\1", "a++", "(?=a)", "(?<!a)b", "(?>a)", "a{1000}{1000}", "[", "a\\"] {
            assert!(compile(pattern, None).is_err(), "{pattern}");
        }
        assert!(compile("a", Some("NOPE")).unwrap_err().reason.contains("[NOPE]"));
    }

    #[test]
    fn replacements_are_translated() {
        let pattern = compile(r"(\d+)-(?=)?(\d+)", None);
        assert!(pattern.is_err());
        let pattern = compile(r"(\d+)-(\d+)", None).unwrap();
        assert_eq!(pattern.replace_all("1-2", replacement(r"$2_$1\$").as_str()), "2_1$");
    }
}
