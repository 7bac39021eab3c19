//! Tokens to a [`Program`], in one pass: names are resolved and types worked out while the text is read.
//!
//! | file | what it reads |
//! | --- | --- |
//! | [`lexer`] | the text: tokens |
//! | [`statements`] | statements, declarations |
//! | [`expressions`] | operators by their precedence, assignments |
//! | [`chains`] | values, and what follows them: members, calls, indexes |
//! | [`lambdas`] | lambdas, references to methods, functions of the script |
//! | [`convert`] | conversions between static types |
//! | [`scope`] | variables that are in sight |
mod chains;
mod convert;
mod expressions;
mod lambdas;
pub(crate) mod lexer;
mod scope;
mod statements;

pub(crate) use chains::DOC_PLACE;
pub(crate) use convert::widens;
pub(crate) use lambdas::EMIT;

use super::context::{Context, Returns};
use super::fault::{Fault, Res};
use super::heap::regexes::CompiledPattern;
use super::library::extract::Extractor;
use super::tree::{Expression, FunctionBody, Program, Statement};
use super::types::Type;
use lexer::{Lexed, Token, tokens};
use scope::{Frame, Variable};
use std::sync::Arc;

/// Nesting of statements and expressions.
pub const NESTING_MAX: u32 = 100;

/// How regular expressions of scripts are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegexUse {
    Disabled,
    Limited(u32),
    Unlimited,
}

/// An expression with its static type and where it begins.
struct Typed {
    expression: Expression,
    of: Type,
    at: u32,
}

pub struct Compiler<'a> {
    source: &'a str,
    tokens: Vec<Lexed>,
    place: usize,
    context: &'static Context,
    regex: RegexUse,
    frames: Vec<Frame>,
    functions: Vec<Option<FunctionBody>>,
    /// Name, number of parameters, place in `functions`, and where it was first called.
    signatures: Vec<Signature>,
    texts: Vec<Arc<str>>,
    patterns: Vec<Arc<CompiledPattern>>,
    extractors: Vec<Arc<Extractor>>,
    fields: Vec<Box<str>>,
    /// Places where `doc` stands, and those of them that name a field.
    doc_uses: usize,
    doc_fields: usize,
    statements: Vec<u32>,
    uses_score: bool,
    nesting: u32,
    loops: u32,
}

struct Signature {
    name: Box<str>,
    arity: usize,
    function: u32,
    called_at: u32,
    returns: Option<Type>,
}

/// Compiles a painless script.
pub fn compile(source: &str, context: &'static Context, regex: RegexUse) -> Res<Program> {
    let compiler = Compiler {
        source,
        tokens: tokens(source)?,
        place: 0,
        context,
        regex,
        frames: Vec::new(),
        functions: Vec::new(),
        signatures: Vec::new(),
        texts: Vec::new(),
        patterns: Vec::new(),
        extractors: Vec::new(),
        fields: Vec::new(),
        doc_uses: 0,
        doc_fields: 0,
        statements: Vec::new(),
        uses_score: false,
        nesting: 0,
        loops: 0,
    };
    compiler.program()
}

impl<'a> Compiler<'a> {
    fn program(mut self) -> Res<Program> {
        while self.is_function_ahead() {
            self.function()?;
        }
        let mut frame = Frame::new(false, Type::Def);
        frame.is_main = true;
        for name in self.context.variables {
            frame.declare(name, Type::Def);
        }
        self.frames.push(frame);
        let mut body = self.statements_until_end()?;
        if self.context.returns != Returns::Nothing {
            statements::return_last(&mut body);
        }
        let main = self.functions.len();
        let frame = self.frames.pop().unwrap_or_else(|| Frame::new(false, Type::Def));
        self.functions.push(Some(FunctionBody {
            name: "execute".into(),
            parameters: Vec::new(),
            captured: Vec::new(),
            returns: Type::Def,
            locals: frame.locals,
            depth: frame.depth,
            body,
        }));
        if let Some(missing) = self.signatures.iter().find(|known| self.functions[known.function as usize].is_none()) {
            let reason = format!("Unknown call [{}] with [{}] arguments.", missing.name, missing.arity);
            return Err(Fault::illegal(reason).at(missing.called_at));
        }
        self.statements.sort_unstable();
        self.statements.dedup();
        Ok(Program {
            lang: "painless",
            source: self.source.into(),
            context: self.context,
            functions: self.functions.into_iter().flatten().collect(),
            main,
            texts: self.texts,
            patterns: self.patterns,
            extractors: self.extractors,
            fields: self.fields,
            reads_any_field: self.doc_uses > self.doc_fields,
            statements: self.statements,
            uses_score: self.uses_score,
            regex_limit_factor: match self.regex {
                RegexUse::Limited(factor) => Some(factor),
                RegexUse::Disabled | RegexUse::Unlimited => None,
            },
        })
    }

    fn frame(&mut self) -> &mut Frame {
        // A frame is pushed before anything is compiled and popped after it.
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn lexed(&self) -> &Lexed {
        &self.tokens[self.place.min(self.tokens.len() - 1)]
    }

    fn token(&self) -> &Token {
        &self.lexed().token
    }

    fn ahead(&self, by: usize) -> &Token {
        &self.tokens[(self.place + by).min(self.tokens.len() - 1)].token
    }

    fn at(&self) -> u32 {
        self.lexed().start
    }

    fn advance(&mut self) {
        self.place += 1;
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(found) if *found == sign)
    }

    fn is_sign_ahead(&self, by: usize, sign: &str) -> bool {
        matches!(self.ahead(by), Token::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(found) if &**found == word)
    }

    /// Takes the sign if it is next.
    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: &'static str) -> Res<()> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected(&[sign])) }
    }

    /// A name that is not a keyword.
    fn name(&mut self) -> Res<Box<str>> {
        match self.token() {
            Token::Word(word) if !is_keyword(word) => {
                let word = word.clone();
                self.advance();
                Ok(word)
            }
            _ => Err(self.unexpected(&["ID"])),
        }
    }

    fn unexpected(&self, wanted: &[&str]) -> Box<Fault> {
        let lexed = self.lexed();
        if lexed.token == Token::End {
            return Fault::illegal("unexpected end of script.").at(self.source.len() as u32);
        }
        let found = &self.source[lexed.start as usize..lexed.end as usize];
        let reason = match wanted {
            [] => format!("invalid sequence of tokens near ['{found}']."),
            wanted => {
                let wanted: Vec<String> = wanted
                    .iter()
                    .map(|sign| if *sign == "ID" { "ID".to_owned() } else { format!("'{sign}'") })
                    .collect();
                format!("unexpected token ['{found}'] was expecting one of [{}].", wanted.join(", "))
            }
        };
        Fault::illegal(reason).at(lexed.start)
    }

    /// Goes one level down, within the limit.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.nesting == NESTING_MAX {
            let reason = format!("the script is nested deeper than [{NESTING_MAX}] levels");
            return Err(Fault::illegal(reason).at(self.at()));
        }
        self.nesting += 1;
        let nesting = self.nesting;
        let frame = self.frame();
        frame.depth = frame.depth.max(nesting);
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// A variable in sight; lambdas capture those of the functions around them.
    fn variable(&mut self, name: &str) -> Option<Variable> {
        self.variable_in(self.frames.len() - 1, name)
    }

    fn variable_in(&mut self, frame: usize, name: &str) -> Option<Variable> {
        if let Some(found) = self.frames[frame].find(name) {
            return Some(found);
        }
        if !self.frames[frame].is_lambda || frame == 0 {
            return None;
        }
        let outer = self.variable_in(frame - 1, name)?;
        Some(self.frames[frame].capture(name, outer))
    }

    fn declare(&mut self, name: &str, of: Type, at: u32) -> Res<Variable> {
        if self.variable(name).is_some() || (name == "doc" && self.context.has_doc) {
            return Err(Fault::illegal(format!("variable [{name}] is already defined in the scope")).at(at));
        }
        Ok(self.frame().declare(name, of))
    }

    fn text_place(&mut self, text: &str) -> u32 {
        let known = self.texts.iter().position(|known| &**known == text);
        known.unwrap_or_else(|| {
            self.texts.push(text.into());
            self.texts.len() - 1
        }) as u32
    }

    fn field_place(&mut self, name: &str) -> u32 {
        self.doc_fields += 1;
        let known = self.fields.iter().position(|known| &**known == name);
        known.unwrap_or_else(|| {
            self.fields.push(name.into());
            self.fields.len() - 1
        }) as u32
    }

    /// A type name at the current place and how many tokens it takes, brackets of arrays included.
    fn type_ahead(&self, from: usize) -> Option<(Type, usize)> {
        let Token::Word(word) = self.ahead(from) else { return None };
        let mut name = word.to_string();
        let mut taken = 1;
        let mut found = Type::find(&name).map(|of| (of, 1));
        // The longest dotted name that is a type: `Map.Entry`, `java.util.List`.
        while self.is_sign_ahead(from + taken, ".") && taken < 12 {
            let Token::Word(next) = self.ahead(from + taken + 1) else { break };
            name.push('.');
            name.push_str(next);
            taken += 2;
            if let Some(of) = Type::find(&name) {
                found = Some((of, taken));
            }
        }
        let (mut of, mut taken) = found?;
        while self.is_sign_ahead(from + taken, "[") && self.is_sign_ahead(from + taken + 1, "]") {
            of = of.array(1);
            taken += 2;
        }
        Some((of, taken))
    }

    /// A list in parentheses.
    fn arguments(&mut self) -> Res<Vec<Expression>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.accept(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.argument()?);
        }
        Ok(arguments)
    }

    fn block_of(&mut self, read: impl FnOnce(&mut Self) -> Res<Vec<Statement>>) -> Res<Vec<Statement>> {
        self.frame().open();
        let body = read(self);
        self.frame().close();
        body
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "in"
            | "else"
            | "while"
            | "do"
            | "for"
            | "continue"
            | "break"
            | "return"
            | "new"
            | "try"
            | "catch"
            | "throw"
            | "this"
            | "instanceof"
            | "true"
            | "false"
            | "null"
    )
}
