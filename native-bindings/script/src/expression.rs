//! The language `expression`: one arithmetic expression over doubles, compiled to the same tree.
//!
//! `doc['f'].value` and `doc['f'].min()` and the like, parameters by their names, `_score`, `_value`, the operators and
//! functions of JavaScript's `Math`.

use super::compile::NESTING_MAX;
use super::context::Context;
use super::fault::{Fault, Res};
use super::heap::Value;
use super::lexer::{Lexed, Token, tokens};
use super::tree::{Binary, Call, Expression, FunctionBody, Member, Operator, Program, Statement, StaticCall, Unary};
use super::types::{ClassName, Type};
use std::sync::Arc;

/// Functions: name, number of arguments, name in `Math`.
const FUNCTIONS: &[(&str, usize, &str)] = &[
    ("abs", 1, "abs"),
    ("acos", 1, "acos"),
    ("asin", 1, "asin"),
    ("atan", 1, "atan"),
    ("atan2", 2, "atan2"),
    ("ceil", 1, "ceil"),
    ("cos", 1, "cos"),
    ("cosh", 1, "cosh"),
    ("exp", 1, "exp"),
    ("floor", 1, "floor"),
    ("ln", 1, "log"),
    ("log10", 1, "log10"),
    ("max", 2, "max"),
    ("min", 2, "min"),
    ("pow", 2, "pow"),
    ("sin", 1, "sin"),
    ("sinh", 1, "sinh"),
    ("sqrt", 1, "sqrt"),
    ("tan", 1, "tan"),
    ("tanh", 1, "tanh"),
];
/// Methods of a field: name here, and whether it is about dates.
const FIELD_METHODS: &[&str] = &["min", "max", "avg", "median", "sum", "count", "empty"];
const DATE_METHODS: &[(&str, &str)] = &[
    ("getYear", "getYear"),
    ("getMonth", "getMonthValue"),
    ("getDayOfMonth", "getDayOfMonth"),
    ("getDayOfYear", "getDayOfYear"),
    ("getHourOfDay", "getHour"),
    ("getMinutes", "getMinute"),
    ("getSeconds", "getSecond"),
];

const LEVELS: [&[(&str, Operator)]; 3] = [
    &[("==", Operator::Equal), ("!=", Operator::NotEqual)],
    &[("<", Operator::Less), ("<=", Operator::LessOrEqual), (">", Operator::Greater), (">=", Operator::GreaterOrEqual)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
];
const PRODUCTS: &[(&str, Operator)] = &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];

struct Parser {
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

impl Parser {
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
        let Some(operators) = LEVELS.get(level).or((level == LEVELS.len()).then_some(&PRODUCTS)) else {
            return self.unary();
        };
        let mut left = self.level(level + 1)?;
        let mut steps = 0;
        while let Some(operator) = self.operator_of(operators) {
            steps += 1;
            if steps > NESTING_MAX {
                return Err(Fault::illegal("too many operators in a row").at(at));
            }
            self.deepest = self.deepest.max(self.nesting * 2 + steps);
            let right = as_double(self.level(level + 1)?);
            left = Expression::Binary(Box::new(Binary { operator, left: as_double(left), right, at }));
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
            return Ok(number_of(Expression::Local(place as u32), at));
        }
        // A parameter.
        let member = Member { object: Expression::Local(0), name: word.into(), null_safe: false, at };
        Ok(number_of(Expression::Member(Box::new(member)), at))
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

    /// `doc['f'].value`, `doc['f'].min()`, `doc['f'].empty`, `doc['f'].date.year`.
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
        if !self.accept(".") {
            return Ok(first_or_zero(field, at));
        }
        let Token::Word(member) = self.token().clone() else { return Err(self.unexpected()) };
        self.place += 1;
        let is_call = self.accept("(");
        if is_call {
            self.expect(")")?;
        }
        if &*member == "value" {
            return Ok(first_or_zero(field, at));
        }
        if FIELD_METHODS.contains(&&*member) {
            let call = Call {
                object: Expression::Field(field, at),
                name: format!("expression:{member}").into(),
                arguments: Vec::new(),
                null_safe: false,
                at,
            };
            return Ok(Expression::Call(Box::new(call)));
        }
        if let Some((_, getter)) = DATE_METHODS.iter().find(|(name, _)| *name == &*member) {
            let call = Call {
                object: Expression::FieldValue(field, at),
                name: (*getter).into(),
                arguments: Vec::new(),
                null_safe: false,
                at,
            };
            return Ok(number_of(Expression::Call(Box::new(call)), at));
        }
        Err(Fault::illegal(format!("Member variable [{member}] does not exist")).at(at))
    }
}

/// A field without values counts 0.
fn first_or_zero(field: u32, at: u32) -> Expression {
    let call = Call {
        object: Expression::Field(field, at),
        name: "expression:value".into(),
        arguments: Vec::new(),
        null_safe: false,
        at,
    };
    Expression::Call(Box::new(call))
}

fn number_of(value: Expression, at: u32) -> Expression {
    let conversion = super::tree::Conversion { value, to: Type::Double, explicit: true, at };
    Expression::Convert(Box::new(conversion))
}
