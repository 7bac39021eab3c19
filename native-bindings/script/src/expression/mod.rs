//! The language `expression`: one arithmetic expression over doubles, compiled to the same tree.
//!
//! `doc['f'].value` and `doc['f'].min()` and the like ([`link`]), parameters by their names, `_score`, `_value`, the operators and
//! functions of JavaScript's `Math`. Bits are those of whole numbers.
pub mod link;

use super::compile::NESTING_MAX;
use super::compile::lexer::{Lexed, Token, tokens};
use super::context::Context;
use super::fault::{Fault, Res};
use super::heap::Value;
use super::tree::{Binary, Expression, FunctionBody, Operator, Program, Statement, StaticCall, Unary};
use super::types::{ClassName, Type};
use link::{Member, Names, Variable};
use std::sync::Arc;

/// Functions: name, number of arguments, name in `Math`.
const FUNCTIONS: &[(&str, usize, &str)] = &[
    ("abs", 1, "abs"),
    ("acos", 1, "acos"),
    ("acosh", 1, "acosh"),
    ("asin", 1, "asin"),
    ("asinh", 1, "asinh"),
    ("atan", 1, "atan"),
    ("atan2", 2, "atan2"),
    ("atanh", 1, "atanh"),
    ("ceil", 1, "ceil"),
    ("cos", 1, "cos"),
    ("cosh", 1, "cosh"),
    ("exp", 1, "exp"),
    ("floor", 1, "floor"),
    ("haversin", 4, "haversin"),
    ("ln", 1, "log"),
    ("log10", 1, "log10"),
    ("logn", 2, "logn"),
    ("max", 2, "max"),
    ("min", 2, "min"),
    ("pow", 2, "pow"),
    ("sin", 1, "sin"),
    ("sinh", 1, "sinh"),
    ("sqrt", 1, "sqrt"),
    ("tan", 1, "tan"),
    ("tanh", 1, "tanh"),
];
/// From those that bind least.
const LEVELS: [&[(&str, Operator)]; 8] = [
    &[("|", Operator::BitOr)],
    &[("^", Operator::BitXor)],
    &[("&", Operator::BitAnd)],
    &[("==", Operator::Equal), ("!=", Operator::NotEqual)],
    &[("<", Operator::Less), ("<=", Operator::LessOrEqual), (">", Operator::Greater), (">=", Operator::GreaterOrEqual)],
    &[("<<", Operator::ShiftLeft), (">>", Operator::ShiftRight), (">>>", Operator::ShiftRightUnsigned)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)],
];

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Lexed>,
    place: usize,
    fields: Vec<Box<str>>,
    texts: Vec<Arc<str>>,
    context: &'static Context,
    uses_score: bool,
    nesting: u32,
    deepest: u32,
}

pub fn compile(source: &str, context: &'static Context) -> Res<Program> {
    if !context.takes_expressions {
        return Err(Fault::illegal(format!(
            "expression engine does not know how to handle script context [{}]",
            context.name
        )));
    }
    let mut parser = Parser {
        source,
        tokens: tokens(source)?,
        place: 0,
        fields: Vec::new(),
        texts: Vec::new(),
        context,
        uses_score: false,
        nesting: 0,
        deepest: 0,
    };
    let value = parser.choice()?;
    if *parser.token() != Token::End {
        return Err(parser.unexpected());
    }
    let main = FunctionBody {
        name: "execute".into(),
        parameters: Vec::new(),
        captured: Vec::new(),
        returns: Type::Def,
        locals: context.variables.len() as u32,
        depth: parser.deepest + 1,
        body: vec![Statement::Return(Some(as_double(value)))],
    };
    Ok(Program {
        lang: "expression",
        source: source.into(),
        context,
        functions: vec![main],
        main: 0,
        texts: parser.texts,
        patterns: Vec::new(),
        extractors: Vec::new(),
        fields: parser.fields,
        reads_any_field: false,
        statements: vec![0],
        uses_score: parser.uses_score,
        regex_limit_factor: None,
    })
}

/// A comparison counts 1 or 0; every other value is a double.
fn as_double(value: Expression) -> Expression {
    match value {
        Expression::Binary(binary) if is_comparison(binary.operator) => {
            let one = |number| Expression::Literal(Value::Double(number));
            Expression::Choice(Box::new((Expression::Binary(binary), one(1.0), one(0.0))))
        }
        Expression::And(_) | Expression::Or(_) | Expression::Unary(Unary::Not, ..) => {
            let one = |number| Expression::Literal(Value::Double(number));
            Expression::Choice(Box::new((value, one(1.0), one(0.0))))
        }
        other => other,
    }
}

fn is_comparison(operator: Operator) -> bool {
    matches!(
        operator,
        Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual
    )
}

/// A number is true when it is not 0.
fn as_condition(value: Expression, at: u32) -> Expression {
    match value {
        Expression::Binary(binary) if is_comparison(binary.operator) => Expression::Binary(binary),
        Expression::And(_) | Expression::Or(_) | Expression::Unary(Unary::Not, ..) => value,
        other => Expression::Binary(Box::new(Binary {
            operator: Operator::NotEqual,
            left: other,
            right: Expression::Literal(Value::Double(0.0)),
            at,
        })),
    }
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.place.min(self.tokens.len() - 1)].token
    }

    fn at(&self) -> u32 {
        self.tokens[self.place.min(self.tokens.len() - 1)].start
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.token(), Token::Sign(known) if *known == sign);
        self.place += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Res<()> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> Box<Fault> {
        Fault::illegal("Invalid expression: unexpected symbol").at(self.at())
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Res<Expression>) -> Res<Expression> {
        if self.nesting >= NESTING_MAX {
            let reason = format!("the expression is nested deeper than [{}] levels", NESTING_MAX);
            return Err(Fault::illegal(reason).at(self.at()));
        }
        self.nesting += 1;
        self.deepest = self.deepest.max(self.nesting * 2);
        let result = read(self);
        self.nesting -= 1;
        result
    }

    fn choice(&mut self) -> Res<Expression> {
        self.deeper(|parser| {
            let at = parser.at();
            let condition = parser.either()?;
            if !parser.accept("?") {
                return Ok(condition);
            }
            let then = parser.choice()?;
            parser.expect(":")?;
            let other = parser.choice()?;
            Ok(Expression::Choice(Box::new((as_condition(condition, at), as_double(then), as_double(other)))))
        })
    }

    fn either(&mut self) -> Res<Expression> {
        let at = self.at();
        let mut left = self.both()?;
        while self.accept("||") {
            let right = self.both()?;
            left = Expression::Or(Box::new((as_condition(left, at), as_condition(right, at))));
        }
        Ok(left)
    }

    fn both(&mut self) -> Res<Expression> {
        let at = self.at();
        let mut left = self.level(0)?;
        while self.accept("&&") {
            let right = self.level(0)?;
            left = Expression::And(Box::new((as_condition(left, at), as_condition(right, at))));
        }
        Ok(left)
    }

    fn level(&mut self, level: usize) -> Res<Expression> {
        let at = self.at();
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        let mut steps = 0;
        while let Some(operator) = self.operator_of(operators) {
            steps += 1;
            if steps > NESTING_MAX {
                return Err(Fault::illegal("too many operators in a row").at(at));
            }
            self.deepest = self.deepest.max(self.nesting * 2 + steps);
            let (own, right) = (as_double(left), as_double(self.level(level + 1)?));
            left = if is_of_bits(operator) {
                let binary = Binary {
                    operator,
                    left: converted(own, Type::Long, at),
                    right: converted(right, Type::Long, at),
                    at,
                };
                converted(Expression::Binary(Box::new(binary)), Type::Double, at)
            } else {
                Expression::Binary(Box::new(Binary { operator, left: own, right, at }))
            };
        }
        Ok(left)
    }

    fn operator_of(&mut self, operators: &[(&str, Operator)]) -> Option<Operator> {
        let Token::Sign(sign) = self.token() else { return None };
        let (_, operator) = operators.iter().find(|(known, _)| known == sign)?;
        let operator = *operator;
        self.place += 1;
        Some(operator)
    }

    fn unary(&mut self) -> Res<Expression> {
        let at = self.at();
        if self.accept("-") {
            let value = self.deeper(Self::unary)?;
            return Ok(Expression::Unary(Unary::Minus, Box::new(as_double(value)), at));
        }
        if self.accept("+") {
            return self.deeper(Self::unary);
        }
        if self.accept("~") {
            let value = converted(as_double(self.deeper(Self::unary)?), Type::Long, at);
            return Ok(converted(Expression::Unary(Unary::Complement, Box::new(value), at), Type::Double, at));
        }
        if self.accept("!") {
            let value = self.deeper(Self::unary)?;
            return Ok(Expression::Unary(Unary::Not, Box::new(as_condition(value, at)), at));
        }
        self.primary(at)
    }

    fn primary(&mut self, at: u32) -> Res<Expression> {
        let literal = |number: f64| Ok(Expression::Literal(Value::Double(number)));
        let token = self.token().clone();
        match token {
            Token::Int(number) => {
                self.place += 1;
                literal(number.into())
            }
            Token::Long(number) => {
                self.place += 1;
                literal(number as f64)
            }
            Token::Float(number) => {
                self.place += 1;
                literal(number.into())
            }
            Token::Double(number) => {
                self.place += 1;
                literal(number)
            }
            Token::Sign("(") => {
                self.place += 1;
                let value = self.choice()?;
                self.expect(")")?;
                Ok(value)
            }
            Token::Word(word) => {
                self.place += 1;
                self.name(&word, at)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn name(&mut self, word: &str, at: u32) -> Res<Expression> {
        match word {
            "_score" if self.context.has_score => {
                self.uses_score = true;
                return Ok(Expression::Score);
            }
            "doc" if self.context.has_doc => return self.field(at),
            _ => {}
        }
        if self.accept("(") {
            return self.function(word, at);
        }
        if let Some(place) = self.context.variables.iter().position(|name| *name == word && *name != "params") {
            return Ok(converted(Expression::Local(place as u32), Type::Double, at));
        }
        let names = Names::Parameter(word.into());
        Ok(Expression::Variable(Box::new(Variable { text: word.into(), names, at })))
    }

    fn function(&mut self, word: &str, at: u32) -> Res<Expression> {
        let mut arguments = Vec::new();
        while !self.accept(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(as_double(self.choice()?));
        }
        let known = FUNCTIONS.iter().find(|(name, count, _)| *name == word && *count == arguments.len());
        let (Some((_, _, name)), Some(class)) = (known, ClassName::find("Math")) else {
            return Err(Fault::illegal(format!("Unrecognized function call ({word}).")).at(at));
        };
        Ok(Expression::CallStatic(Box::new(StaticCall { class, name: (*name).into(), arguments, at })))
    }

    /// `doc['f']`, `doc['f'].value`, `doc['f'].min()`, `doc['f'].date.year`.
    fn field(&mut self, at: u32) -> Res<Expression> {
        self.expect("[")?;
        let Token::Text(name) = self.token().clone() else { return Err(self.unexpected()) };
        self.place += 1;
        self.expect("]")?;
        let known = self.fields.iter().position(|known| *known == name);
        let field = known.unwrap_or_else(|| {
            self.fields.push(name);
            self.fields.len() - 1
        }) as u32;
        let mut member = ("value".into(), false);
        let mut is_of_date = false;
        if self.accept(".") {
            member = self.member()?;
            if matches!((&*member.0, member.1), ("date", false) | ("getDate", true)) && self.accept(".") {
                is_of_date = true;
                member = self.member()?;
            }
        }
        let end = self.tokens[self.place.saturating_sub(1).min(self.tokens.len() - 1)].end;
        let text = self.source.get(at as usize..end as usize).unwrap_or_default().into();
        let names = Names::Field(field, Member::new(&member.0, member.1, is_of_date));
        Ok(Expression::Variable(Box::new(Variable { text, names, at })))
    }

    /// A name, and whether it is called.
    fn member(&mut self) -> Res<(Box<str>, bool)> {
        let Token::Word(member) = self.token().clone() else { return Err(self.unexpected()) };
        self.place += 1;
        let is_call = self.accept("(");
        if is_call {
            self.expect(")")?;
        }
        Ok((member, is_call))
    }
}

fn is_of_bits(operator: Operator) -> bool {
    matches!(
        operator,
        Operator::BitAnd
            | Operator::BitOr
            | Operator::BitXor
            | Operator::ShiftLeft
            | Operator::ShiftRight
            | Operator::ShiftRightUnsigned
    )
}

fn converted(value: Expression, to: Type, at: u32) -> Expression {
    let conversion = super::tree::Conversion { value, to, explicit: true, at };
    Expression::Convert(Box::new(conversion))
}
