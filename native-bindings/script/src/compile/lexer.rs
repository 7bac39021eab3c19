//! Text of a script to tokens.

use crate::fault::{Fault, Res};

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// A name or a keyword.
    Word(Box<str>),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// Digits after a dot: the place in a list.
    Place(u32),
    Text(Box<str>),
    /// Pattern and flags.
    Regex(Box<str>, Box<str>),
    /// Operators and punctuation.
    Sign(&'static str),
    End,
}

#[derive(Debug, Clone)]
pub struct Lexed {
    pub token: Token,
    /// Bytes of the source.
    pub start: u32,
    pub end: u32,
}

/// Longest first.
const SIGNS: [&str; 56] = [
    ">>>=", "<<=", ">>=", ">>>", "===", "!==", "==~", "->", "=~", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=",
    "-=", "*=", "/=", "%=", "&=", "^=", "|=", "<<", ">>", "?.", "?:", "::", "{", "}", "[", "]", "(", ")", ".", ",",
    ";", "?", ":", "=", "<", ">", "!", "~", "+", "-", "*", "/", "%", "&", "^", "|", "@", "$",
];

pub fn tokens(source: &str) -> Res<Vec<Lexed>> {
    let mut lexer = Lexer { source, at: 0, tokens: Vec::new() };
    while lexer.next()? {}
    let end = source.len() as u32;
    lexer.tokens.push(Lexed { token: Token::End, start: end, end });
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    tokens: Vec<Lexed>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// `false` at the end.
    fn next(&mut self) -> Res<bool> {
        self.skip_blanks()?;
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok(false) };
        let token = match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                Token::Word(self.take_while(|c| c.is_ascii_alphanumeric() || c == '_').into())
            }
            '$' => Token::Word(self.take_first().into()),
            '0'..='9' => self.number()?,
            '"' | '\'' => self.text(first)?,
            '/' if self.is_regex_here() => self.regex()?,
            _ => match SIGNS.iter().find(|sign| self.rest().starts_with(**sign)) {
                Some(sign) => {
                    self.at += sign.len();
                    Token::Sign(sign)
                }
                None => {
                    let near: String = self.rest().chars().take(1).collect();
                    return Err(Fault::illegal(format!("unexpected character [{near}].")).at(start as u32));
                }
            },
        };
        self.tokens.push(Lexed { token, start: start as u32, end: self.at as u32 });
        Ok(true)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn take_first(&mut self) -> &'a str {
        let first = self.rest().chars().next().map_or(0, char::len_utf8);
        let rest = self.rest();
        self.at += first;
        &rest[..first]
    }

    fn skip_blanks(&mut self) -> Res<()> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n' && c != '\r');
            } else if self.rest().starts_with("/*") {
                let Some(end) = self.rest().find("*/") else {
                    return Err(Fault::illegal("unexpected end of script: a comment is not closed").at(self.at as u32));
                };
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn number(&mut self) -> Res<Token> {
        let start = self.at as u32;
        let bad = |text: &str| Fault::illegal(format!("Invalid int constant [{text}].")).at(start);
        if matches!(self.tokens.last().map(|last| &last.token), Some(Token::Sign("." | "?."))) {
            let digits = self.take_while(|c| c.is_ascii_digit());
            return digits.parse().map(Token::Place).map_err(|_| bad(digits));
        }
        let rest = self.rest();
        if rest.starts_with("0x") || rest.starts_with("0X") {
            self.at += 2;
            let digits = self.take_while(|c| c.is_ascii_hexdigit());
            return self.whole(digits, 16).ok_or_else(|| bad(digits));
        }
        let digits = self.take_while(|c| c.is_ascii_digit());
        let mut is_fractional = false;
        if self.rest().strip_prefix('.').is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit())) {
            is_fractional = true;
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
        }
        is_fractional |= self.exponent();
        let text = &self.source[start as usize..self.at];
        match self.rest().chars().next() {
            Some('f' | 'F') => {
                self.at += 1;
                text.parse().map(Token::Float).map_err(|_| bad(text))
            }
            Some('d' | 'D') => {
                self.at += 1;
                text.parse().map(Token::Double).map_err(|_| bad(text))
            }
            _ if is_fractional => text.parse().map(Token::Double).map_err(|_| bad(text)),
            _ if digits.len() > 1 && digits.starts_with('0') => self.whole(&digits[1..], 8).ok_or_else(|| bad(digits)),
            _ => self.whole(digits, 10).ok_or_else(|| bad(digits)),
        }
    }

    fn exponent(&mut self) -> bool {
        let Some(after) = self.rest().strip_prefix(['e', 'E']) else { return false };
        let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        self.at += 1 + after.len() - digits.len();
        self.take_while(|c| c.is_ascii_digit());
        true
    }

    /// An int or, with `L`, a long. The smallest values are written with their sign, which is an operator: one more fits.
    fn whole(&mut self, digits: &str, radix: u32) -> Option<Token> {
        let is_long = self.rest().starts_with(['l', 'L']);
        if is_long {
            self.at += 1;
        }
        let number = u64::from_str_radix(digits, radix).ok()?;
        let is_signed = radix == 10;
        match is_long {
            true if is_signed && number > i64::MAX as u64 + 1 => None,
            true => Some(Token::Long(number as i64)),
            false if is_signed && number > i32::MAX as u64 + 1 => None,
            false => u32::try_from(number).ok().map(|number| Token::Int(number as i32)),
        }
    }

    fn text(&mut self, quote: char) -> Res<Token> {
        let start = self.at as u32;
        self.at += 1;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((place, c)) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some((_, escaped)) if escaped == '\\' || escaped == quote => text.push(escaped),
                    _ => {
                        let reason = "The only valid escape sequences in strings starting with [";
                        return Err(Fault::illegal(format!("{reason}{quote}] are [\\\\] and [\\{quote}].")).at(start));
                    }
                },
                c if c == quote => {
                    self.at += place + 1;
                    return Ok(Token::Text(text.into()));
                }
                c => text.push(c),
            }
        }
        let near: String = self.source[start as usize..].chars().take(40).collect();
        Err(Fault::illegal(format!("unexpected character [{near}].")).at(start))
    }

    /// After a value a slash divides.
    fn is_regex_here(&self) -> bool {
        match self.tokens.last().map(|last| &last.token) {
            None => true,
            Some(Token::Word(word)) => {
                matches!(&**word, "return" | "in" | "else" | "do" | "throw" | "new" | "instanceof")
            }
            Some(Token::Sign(sign)) => !matches!(*sign, ")" | "]" | "}" | "++" | "--"),
            Some(_) => false,
        }
    }

    fn regex(&mut self) -> Res<Token> {
        let start = self.at as u32;
        let mut escaped = false;
        let rest = &self.rest()[1..];
        for (place, c) in rest.char_indices() {
            match c {
                '\n' | '\r' => break,
                '/' if !escaped => {
                    self.at += place + 2;
                    let flags = self.take_while(|c| "cilmsUux".contains(c));
                    return Ok(Token::Regex(rest[..place].into(), flags.into()));
                }
                _ => escaped = c == '\\' && !escaped,
            }
        }
        Err(Fault::illegal("unexpected character [/].").at(start))
    }
}
