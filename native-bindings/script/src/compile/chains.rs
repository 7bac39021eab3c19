//! Values, and what follows them: members, calls, indexes.

use super::lexer::Token;
use super::{Compiler, RegexUse, Typed};
use crate::fault::{Exception, Fault, NOWHERE, Res};
use crate::heap::Value;
use crate::heap::object::Element;
use crate::heap::regexes::CompiledPattern;
use crate::library::methods;
use crate::tree::{Call, Expression, Index, Member, NewArray, NewObject, StaticCall};
use crate::types::{ClassName, Type};
use quarry_base::java_regex;
use std::sync::Arc;

/// Members and calls in a row.
const CHAIN_MAX: u32 = 100;

impl Compiler<'_> {
    pub(super) fn chain(&mut self) -> Res<Typed> {
        let mut value = self.primary()?;
        let mut links = 0;
        loop {
            let is_null_safe = self.is_sign("?.");
            let next = if is_null_safe || self.is_sign(".") {
                self.member(value, is_null_safe)?
            } else if self.is_sign("[") {
                self.index(value)?
            } else {
                return Ok(value);
            };
            links += 1;
            if links > CHAIN_MAX {
                return Err(Fault::illegal(format!("more than [{CHAIN_MAX}] members and calls in a row")).at(next.at));
            }
            let depth = self.nesting + links;
            let frame = self.frame();
            frame.depth = frame.depth.max(depth);
            value = next;
        }
    }

    fn member(&mut self, object: Typed, null_safe: bool) -> Res<Typed> {
        let at = self.at();
        if null_safe && object.of.is_primitive() {
            return Err(Fault::illegal("Result of null safe operator must be nullable").at(at));
        }
        self.advance();
        let start = object.at;
        if let Token::Place(place) = *self.token() {
            self.advance();
            let index = Expression::Literal(Value::Int(place.min(i32::MAX as u32) as i32));
            let expression = Expression::Index(Box::new(Index { object: object.expression, index, at }));
            return Ok(Typed { expression, of: object.of.item(), at: start });
        }
        let Token::Word(name) = self.token().clone() else { return Err(self.unexpected(&["ID"])) };
        self.advance();
        let name: Arc<str> = Arc::from(&*name);
        if self.is_sign("(") {
            let arguments = self.arguments()?;
            let of = methods::result_type(object.of, &name);
            if methods::is_known_missing(object.of, &name) {
                let reason = format!("member method [{}, {name}/{}] not found", object.of.name(), arguments.len());
                return Err(Fault::illegal(reason).at(at));
            }
            let call = Call { object: object.expression, name, arguments, null_safe, at };
            let of = if null_safe && of.is_primitive() { Type::Def } else { of };
            return Ok(Typed { expression: Expression::Call(Box::new(call)), of, at: start });
        }
        if !null_safe {
            if let Expression::Field(field, field_at) = object.expression {
                if &*name == "value" {
                    return Ok(Typed { expression: Expression::FieldValue(field, field_at), of: Type::Def, at: start });
                }
                let member = Member { object: Expression::Field(field, field_at), name, null_safe, at };
                return Ok(Typed { expression: Expression::Member(Box::new(member)), of: Type::Def, at: start });
            }
            if self.is_doc(&object.expression) {
                let field = self.field_place(&name);
                return Ok(Typed { expression: Expression::Field(field, at), of: Type::Def, at: start });
            }
        }
        let of = if &*name == "length" && matches!(object.of, Type::Array(..)) { Type::Int } else { Type::Def };
        let member = Member { object: object.expression, name, null_safe, at };
        Ok(Typed { expression: Expression::Member(Box::new(member)), of, at: start })
    }

    fn is_doc(&self, expression: &Expression) -> bool {
        matches!(expression, Expression::Local(place) if *place == DOC_PLACE)
    }

    fn index(&mut self, object: Typed) -> Res<Typed> {
        self.advance();
        let at = self.at();
        let index = self.expression()?;
        self.expect("]")?;
        if self.is_doc(&object.expression)
            && let Expression::Text(text) = index.expression
        {
            let name = Arc::clone(&self.texts[text as usize]);
            let field = self.field_place(&name);
            return Ok(Typed { expression: Expression::Field(field, at), of: Type::Def, at: object.at });
        }
        let of = object.of.item();
        let index = match object.of {
            Type::Array(..) => self.assigned(index, Type::Int)?,
            _ => index.expression,
        };
        let expression = Expression::Index(Box::new(Index { object: object.expression, index, at }));
        Ok(Typed { expression, of, at: object.at })
    }

    fn primary(&mut self) -> Res<Typed> {
        let at = self.at();
        let token = self.token().clone();
        let literal = |value, of| Ok(Typed { expression: Expression::Literal(value), of, at });
        match token {
            Token::Int(number) => {
                self.advance();
                let is_decimal = self.source.as_bytes().get(at as usize).is_some_and(|&digit| digit != b'0');
                if number == i32::MIN && is_decimal {
                    return Err(Fault::illegal("Invalid int constant [2147483648].").at(at));
                }
                literal(Value::Int(number), Type::Int)
            }
            Token::Long(number) => {
                self.advance();
                literal(Value::Long(number), Type::Long)
            }
            Token::Float(number) => {
                self.advance();
                literal(Value::Float(number), Type::Float)
            }
            Token::Double(number) => {
                self.advance();
                literal(Value::Double(number), Type::Double)
            }
            Token::Text(text) => {
                self.advance();
                let expression = Expression::Text(self.text_place(&text));
                Ok(Typed { expression, of: Type::Text, at })
            }
            Token::Regex(pattern, flags) => {
                self.advance();
                self.pattern(&pattern, &flags, at)
            }
            Token::Sign("(") => {
                if self.is_lambda_ahead() {
                    return Err(Fault::illegal("a lambda stands only where it is an argument").at(at));
                }
                self.advance();
                let value = self.expression()?;
                self.expect(")")?;
                Ok(value)
            }
            Token::Sign("[") => self.list_or_map(at),
            Token::Word(word) => self.word(&word, at),
            _ => Err(self.unexpected(&[])),
        }
    }

    fn word(&mut self, word: &str, at: u32) -> Res<Typed> {
        let literal = |value, of| Ok(Typed { expression: Expression::Literal(value), of, at });
        match word {
            "true" | "false" => {
                self.advance();
                return literal(Value::Bool(word == "true"), Type::Bool);
            }
            "null" => {
                self.advance();
                return literal(Value::Null, Type::Def);
            }
            "new" => {
                self.advance();
                return self.new_object(at);
            }
            _ if super::is_keyword(word) => return Err(self.unexpected(&[])),
            _ => {}
        }
        if self.is_sign_ahead(1, "(") && !self.has_variable(word) {
            self.advance();
            return self.call_of_user(word, at);
        }
        if let Some(variable) = self.variable(word) {
            self.advance();
            return Ok(Typed { expression: Expression::Local(variable.place), of: variable.of, at });
        }
        if word == "doc" && self.context.has_doc && self.is_main() {
            self.advance();
            self.doc_uses += 1;
            return Ok(Typed { expression: Expression::Local(DOC_PLACE), of: Type::Def, at });
        }
        if word == "_score" && self.context.has_score && self.is_main() {
            self.advance();
            self.uses_score = true;
            return Ok(Typed { expression: Expression::Score, of: Type::Double, at });
        }
        let named = self.type_ahead(0).filter(|(of, _)| matches!(of, Type::Class(_)));
        if let Some((Type::Class(class), taken)) = named.or_else(|| text_class(word)) {
            self.place += taken;
            return self.class_member(class, at);
        }
        Err(Fault::illegal(format!("cannot resolve symbol [{word}]")).at(at))
    }

    fn has_variable(&mut self, word: &str) -> bool {
        self.variable(word).is_some()
    }

    /// The script itself or a lambda in it; functions see their parameters only.
    pub(super) fn is_main(&self) -> bool {
        self.frames.first().is_some_and(|frame| frame.is_main)
    }

    /// `Class.method(..)` and `Class.CONSTANT`.
    fn class_member(&mut self, class: ClassName, start: u32) -> Res<Typed> {
        let at = self.at();
        if !self.accept(".") {
            return Err(self.unexpected(&["."]));
        }
        let Token::Word(name) = self.token().clone() else { return Err(self.unexpected(&["ID"])) };
        self.advance();
        if !self.is_sign("(") {
            return match methods::constant(class, &name) {
                Some((value, of)) => Ok(Typed { expression: Expression::Literal(value), of, at: start }),
                None if methods::is_enumeration(class) => {
                    // A constant such as `ChronoUnit.DAYS` is made when it is asked for.
                    let call = StaticCall { class, name: Arc::from(&*name), arguments: Vec::new(), at };
                    let expression = Expression::CallStatic(Box::new(call));
                    Ok(Typed { expression, of: Type::Class(class), at: start })
                }
                None => Err(Fault::illegal(format!("field [{}, {name}] not found", class.full())).at(at)),
            };
        }
        let arguments = self.arguments()?;
        if !methods::has_static(class, &name) {
            let reason = format!("static method [{}, {name}/{}] not found", class.full(), arguments.len());
            return Err(Fault::illegal(reason).at(at));
        }
        let of = methods::static_result_type(class, &name);
        let call = StaticCall { class, name: Arc::from(&*name), arguments, at };
        Ok(Typed { expression: Expression::CallStatic(Box::new(call)), of, at: start })
    }

    fn new_object(&mut self, at: u32) -> Res<Typed> {
        let Some((of, taken)) = self.type_ahead(0) else { return Err(self.unresolved_type()) };
        self.place += taken;
        if matches!(of, Type::Array(..)) && self.is_sign("{") {
            self.advance();
            let items = self.items_until("}")?;
            let item = of.item();
            let items = items.into_iter().map(|value| self.assigned(value, item)).collect::<Res<_>>()?;
            return Ok(Typed { expression: Expression::ArrayOf(Element::of(item), items), of, at });
        }
        if self.is_sign("[") {
            return self.new_array(of, at);
        }
        let arguments = self.arguments()?;
        let class = match of {
            Type::Class(class) => class,
            Type::Text | Type::Def => {
                let name = if of == Type::Text { "String" } else { "Object" };
                ClassName::find(name).ok_or_else(|| self.unresolved_type())?
            }
            _ => return Err(self.unexpected(&["["])),
        };
        if !methods::has_constructor(class) {
            let reason = format!("constructor [{}, <init>/{}] not found", class.full(), arguments.len());
            return Err(Fault::illegal(reason).at(at));
        }
        let new = NewObject { class, arguments, at };
        Ok(Typed { expression: Expression::New(Box::new(new)), of, at })
    }

    fn unresolved_type(&self) -> Box<Fault> {
        match self.token() {
            Token::Word(word) => Fault::illegal(format!("cannot resolve type [{word}]")).at(self.at()),
            _ => self.unexpected(&[]),
        }
    }

    fn new_array(&mut self, of: Type, at: u32) -> Res<Typed> {
        let mut sizes = Vec::new();
        while self.accept("[") {
            let size = self.expression()?;
            sizes.push(self.assigned(size, Type::Int)?);
            self.expect("]")?;
        }
        if sizes.len() > 8 {
            return Err(Fault::illegal("an array has at most [8] dimensions").at(at));
        }
        let array = of.array(sizes.len() as u8);
        let new = NewArray { element: of, sizes, at };
        Ok(Typed { expression: Expression::NewArray(Box::new(new)), of: array, at })
    }

    fn items_until(&mut self, end: &'static str) -> Res<Vec<Typed>> {
        let mut items = Vec::new();
        while !self.accept(end) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.expression()?);
        }
        Ok(items)
    }

    /// `[1, 2]`, `['a': 1]`, `[]`, `[:]`.
    fn list_or_map(&mut self, at: u32) -> Res<Typed> {
        self.advance();
        if self.is_sign(":") && self.is_sign_ahead(1, "]") {
            self.place += 2;
            return Ok(Typed { expression: Expression::Map(Vec::new()), of: map_type(), at });
        }
        let mut items = Vec::new();
        let mut pairs = Vec::new();
        while !self.accept("]") {
            if !items.is_empty() || !pairs.is_empty() {
                self.expect(",")?;
            }
            let first = self.untyped()?;
            if items.is_empty() && self.accept(":") {
                pairs.push((first, self.untyped()?));
            } else if pairs.is_empty() {
                items.push(first);
            } else {
                return Err(self.unexpected(&[":"]));
            }
        }
        if pairs.is_empty() {
            let of = ClassName::find("List").map_or(Type::Def, Type::Class);
            return Ok(Typed { expression: Expression::List(items), of, at });
        }
        Ok(Typed { expression: Expression::Map(pairs), of: map_type(), at })
    }

    fn pattern(&mut self, pattern: &str, flags: &str, at: u32) -> Res<Typed> {
        if self.regex == RegexUse::Disabled {
            let reason = "Regexes are disabled. Set [script.painless.regex.enabled] to [true] in elasticsearch.yml to \
                          allow them. Be careful though, regexes break out of Painless's protection against deep \
                          recursion and long loops.";
            return Err(Fault::new(Exception::IllegalState, reason).at(at));
        }
        let names = flags.chars().map(|flag| match flag {
            'i' => "CASE_INSENSITIVE",
            'm' => "MULTILINE",
            's' => "DOTALL",
            'x' => "COMMENTS",
            'l' => "LITERAL",
            'u' => "UNICODE_CASE",
            'U' => "UNICODE_CHARACTER_CLASS",
            _ => "CANON_EQ",
        });
        let names: Vec<&str> = names.collect();
        let regex = java_regex::compile(pattern, Some(&names.join("|")))
            .map_err(|error| Fault::new(Exception::PatternSyntax, error.reason).at(at))?;
        self.patterns.push(CompiledPattern::new(regex));
        let expression = Expression::Pattern((self.patterns.len() - 1) as u32);
        Ok(Typed { expression, of: ClassName::find("Pattern").map_or(Type::Def, Type::Class), at })
    }
}

/// The place that stands for `doc`: no function has so many locals.
pub(crate) const DOC_PLACE: u32 = NOWHERE;

fn map_type() -> Type {
    ClassName::find("Map").map_or(Type::Def, Type::Class)
}

/// `String` is a type of its own and has static methods too.
fn text_class(word: &str) -> Option<(Type, usize)> {
    matches!(word, "String" | "Object").then(|| ClassName::find(word)).flatten().map(|class| (Type::Class(class), 1))
}
