//! Operators by their precedence, and assignments.

use super::convert::promoted;
use super::lexer::Token;
use super::{Compiler, Typed};
use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::tree::{Assign, Binary, Expression, Operator, Target, Unary};
use crate::types::Type;

/// Operators of each level, weakest first; `||`, `&&` and the like have their own functions.
const LEVELS: [&[(&str, Operator)]; 7] = [
    &[("|", Operator::BitOr)],
    &[("^", Operator::BitXor)],
    &[("&", Operator::BitAnd)],
    &[("==", Operator::Equal), ("===", Operator::Same), ("!=", Operator::NotEqual), ("!==", Operator::NotSame)],
    &[("<", Operator::Less), ("<=", Operator::LessOrEqual), (">", Operator::Greater), (">=", Operator::GreaterOrEqual)],
    &[("<<", Operator::ShiftLeft), (">>", Operator::ShiftRight), (">>>", Operator::ShiftRightUnsigned)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
];
const PRODUCTS: &[(&str, Operator)] = &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
/// Where `instanceof` and the regular expressions stand among the levels.
const COMPARISON: usize = 4;
const SUM: usize = 6;

const ASSIGNMENTS: [(&str, Option<Operator>); 12] = [
    ("=", None),
    ("+=", Some(Operator::Add)),
    ("-=", Some(Operator::Subtract)),
    ("*=", Some(Operator::Multiply)),
    ("/=", Some(Operator::Divide)),
    ("%=", Some(Operator::Remainder)),
    ("&=", Some(Operator::BitAnd)),
    ("^=", Some(Operator::BitXor)),
    ("|=", Some(Operator::BitOr)),
    ("<<=", Some(Operator::ShiftLeft)),
    (">>=", Some(Operator::ShiftRight)),
    (">>>=", Some(Operator::ShiftRightUnsigned)),
];

impl Compiler<'_> {
    pub(super) fn expression(&mut self) -> Res<Typed> {
        self.nested(Self::expression_inside)
    }

    fn expression_inside(&mut self) -> Res<Typed> {
        let left = self.elvis()?;
        if self.accept("?") {
            return self.choice(left);
        }
        let Token::Sign(sign) = self.token() else { return Ok(left) };
        let Some((_, operator)) = ASSIGNMENTS.iter().find(|(known, _)| known == sign) else { return Ok(left) };
        let operator = *operator;
        self.advance();
        let value = self.expression()?;
        self.assignment(left, operator, value, false)
    }

    fn choice(&mut self, condition: Typed) -> Res<Typed> {
        let at = condition.at;
        let condition = self.assigned(condition, Type::Bool)?;
        let then = self.expression()?;
        self.expect(":")?;
        let other = self.expression()?;
        let of = if then.of == other.of { then.of } else { promoted(then.of, other.of).unwrap_or(Type::Def) };
        let (then, other) = (self.assigned(then, of)?, self.assigned(other, of)?);
        Ok(Typed { expression: Expression::Choice(Box::new((condition, then, other))), of, at })
    }

    fn elvis(&mut self) -> Res<Typed> {
        let left = self.either()?;
        if !self.accept("?:") {
            return Ok(left);
        }
        let at = left.at;
        if left.of.is_primitive() {
            return Err(Fault::illegal("Extraneous elvis operator. LHS is a primitive.").at(at));
        }
        let right = self.nested(Self::elvis)?;
        let of = if left.of == right.of { left.of } else { Type::Def };
        Ok(Typed { expression: Expression::Elvis(Box::new((left.expression, right.expression))), of, at })
    }

    fn either(&mut self) -> Res<Typed> {
        let mut left = self.both()?;
        while self.accept("||") {
            let at = left.at;
            let right = self.both()?;
            let pair = (self.assigned(left, Type::Bool)?, self.assigned(right, Type::Bool)?);
            left = Typed { expression: Expression::Or(Box::new(pair)), of: Type::Bool, at };
        }
        Ok(left)
    }

    fn both(&mut self) -> Res<Typed> {
        let mut left = self.level(0)?;
        while self.accept("&&") {
            let at = left.at;
            let right = self.level(0)?;
            let pair = (self.assigned(left, Type::Bool)?, self.assigned(right, Type::Bool)?);
            left = Typed { expression: Expression::And(Box::new(pair)), of: Type::Bool, at };
        }
        Ok(left)
    }

    fn level(&mut self, level: usize) -> Res<Typed> {
        let mut left = if level < SUM { self.level(level + 1)? } else { self.regex_level()? };
        let mut steps = 0;
        loop {
            if level == COMPARISON && self.accept_word("instanceof") {
                left = self.instance_of(left)?;
                continue;
            }
            let Some(operator) = self.operator_of(LEVELS[level]) else { return Ok(left) };
            steps += 1;
            self.check_chain(steps)?;
            let right = if level < SUM { self.level(level + 1)? } else { self.regex_level()? };
            left = binary(operator, left, right)?;
        }
    }

    /// A chain of operators is as deep as it is long.
    fn check_chain(&mut self, steps: u32) -> Res<()> {
        if self.nesting + steps > super::NESTING_MAX {
            let reason = format!("the script is nested deeper than [{}] levels", super::NESTING_MAX);
            return Err(Fault::illegal(reason).at(self.at()));
        }
        let depth = self.nesting + steps;
        let frame = self.frame();
        frame.depth = frame.depth.max(depth);
        Ok(())
    }

    fn operator_of(&mut self, operators: &[(&str, Operator)]) -> Option<Operator> {
        let Token::Sign(sign) = self.token() else { return None };
        let (_, operator) = operators.iter().find(|(known, _)| known == sign)?;
        let operator = *operator;
        self.advance();
        Some(operator)
    }

    fn instance_of(&mut self, left: Typed) -> Res<Typed> {
        let Some((of, taken)) = self.type_ahead(0) else {
            let found = format!("{:?}", self.token());
            return Err(Fault::illegal(format!("cannot resolve type [{found}]")).at(self.at()));
        };
        self.place += taken;
        let expression = Expression::InstanceOf(Box::new(left.expression), of);
        Ok(Typed { expression, of: Type::Bool, at: left.at })
    }

    fn regex_level(&mut self) -> Res<Typed> {
        let mut left = self.product()?;
        loop {
            let is_find = self.is_sign("=~");
            if !is_find && !self.is_sign("==~") {
                return Ok(left);
            }
            self.advance();
            let at = left.at;
            let right = self.product()?;
            let pair = Box::new((left.expression, right.expression));
            let expression = if is_find { Expression::Find(pair, at) } else { Expression::Matches(pair, at) };
            left = Typed { expression, of: Type::Bool, at };
        }
    }

    fn product(&mut self) -> Res<Typed> {
        let mut left = self.unary()?;
        let mut steps = 0;
        while let Some(operator) = self.operator_of(PRODUCTS) {
            steps += 1;
            self.check_chain(steps)?;
            let right = self.unary()?;
            left = binary(operator, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Res<Typed> {
        self.nested(Self::unary_inside)
    }

    fn unary_inside(&mut self) -> Res<Typed> {
        let at = self.at();
        let Token::Sign(sign) = self.token() else { return self.postfix() };
        match *sign {
            "++" | "--" => {
                let operator = if *sign == "++" { Operator::Add } else { Operator::Subtract };
                self.advance();
                let target = self.chain()?;
                self.increment(target, operator, false)
            }
            "-" => {
                self.advance();
                self.negative(at)
            }
            "+" => {
                self.advance();
                let value = self.unary()?;
                self.sign_of(Unary::Plus, value, at)
            }
            "!" => {
                self.advance();
                let value = self.unary()?;
                let value = self.assigned(value, Type::Bool)?;
                let expression = Expression::Unary(Unary::Not, Box::new(value), at);
                Ok(Typed { expression, of: Type::Bool, at })
            }
            "~" => {
                self.advance();
                let value = self.unary()?;
                self.sign_of(Unary::Complement, value, at)
            }
            "(" => self.cast_or_postfix(at),
            _ => self.postfix(),
        }
    }

    /// The smallest numbers are written as the negative of what does not fit.
    fn negative(&mut self, at: u32) -> Res<Typed> {
        let literal = match self.token() {
            Token::Int(number) => Some((Value::Int(number.wrapping_neg()), Type::Int)),
            Token::Long(number) => Some((Value::Long(number.wrapping_neg()), Type::Long)),
            _ => None,
        };
        if let Some((value, of)) = literal
            && !self.is_sign_ahead(1, ".")
        {
            self.advance();
            return Ok(Typed { expression: Expression::Literal(value), of, at });
        }
        let value = self.unary()?;
        self.sign_of(Unary::Minus, value, at)
    }

    fn sign_of(&mut self, unary: Unary, value: Typed, at: u32) -> Res<Typed> {
        let of = match value.of {
            Type::Def => Type::Def,
            of => match promoted(of, of) {
                Some(of) if unary != Unary::Complement || matches!(of, Type::Int | Type::Long) => of,
                _ => {
                    let sign = match unary {
                        Unary::Minus => "-",
                        Unary::Plus => "+",
                        Unary::Not => "!",
                        Unary::Complement => "~",
                    };
                    let reason = format!("Cannot apply [{sign}] operation to type [{}].", of.name());
                    return Err(Fault::class_cast(reason).at(at));
                }
            },
        };
        Ok(Typed { expression: Expression::Unary(unary, Box::new(value.expression), at), of, at })
    }

    /// `(type) value`, or a value in parentheses.
    fn cast_or_postfix(&mut self, at: u32) -> Res<Typed> {
        let Some((of, taken)) = self.type_ahead(1) else { return self.postfix() };
        if !self.is_sign_ahead(1 + taken, ")") || !self.starts_operand(2 + taken, of) {
            return self.postfix();
        }
        self.place += 2 + taken;
        let value = self.unary()?;
        let expression = self.converted(value, of, true)?;
        Ok(Typed { expression, of, at })
    }

    fn starts_operand(&self, ahead: usize, of: Type) -> bool {
        match self.ahead(ahead) {
            Token::Word(word) => &**word != "instanceof" && &**word != "in",
            Token::Sign(sign) => {
                matches!(*sign, "(" | "!" | "~" | "[")
                    || (of.is_primitive() || of == Type::Def) && matches!(*sign, "+" | "-" | "++" | "--")
            }
            Token::End | Token::Place(_) => false,
            _ => true,
        }
    }

    fn postfix(&mut self) -> Res<Typed> {
        let value = self.chain()?;
        let operator = match self.token() {
            Token::Sign("++") => Operator::Add,
            Token::Sign("--") => Operator::Subtract,
            _ => return Ok(value),
        };
        self.advance();
        self.increment(value, operator, true)
    }

    fn increment(&mut self, target: Typed, operator: Operator, is_postfix: bool) -> Res<Typed> {
        let one = Typed { expression: Expression::Literal(Value::Int(1)), of: Type::Int, at: target.at };
        self.assignment(target, Some(operator), one, is_postfix)
    }

    fn assignment(&mut self, target: Typed, operator: Option<Operator>, value: Typed, is_postfix: bool) -> Res<Typed> {
        let Typed { expression, of, at } = target;
        let (target, at) = match expression {
            Expression::Local(place) => {
                if place == super::chains::DOC_PLACE {
                    return Err(Fault::illegal("Variable [doc] is read-only.").at(at));
                }
                if self.frame().captured.iter().any(|(_, own)| *own == place) {
                    return Err(Fault::illegal("Variable captured by a lambda is read-only.").at(at));
                }
                (Target::Local(place), at)
            }
            Expression::Member(member) if !member.null_safe => {
                (Target::Member { object: member.object, name: member.name }, member.at)
            }
            Expression::Index(index) => (Target::Index { object: index.object, index: index.index }, index.at),
            Expression::Field(..) | Expression::FieldValue(..) => {
                let reason = "cannot assign to the values of a document's fields";
                return Err(Fault::new(crate::fault::Exception::Unsupported, reason).at(at));
            }
            _ => {
                return Err(Fault::illegal(
                    "cannot assign a value to a node that is not a variable, a field or an item",
                )
                .at(at));
            }
        };
        let Some(operator) = operator else {
            let value = self.assigned(value, of)?;
            if let Target::Local(place) = target {
                return Ok(Typed { expression: Expression::SetLocal(place, Box::new(value)), of, at });
            }
            let assign = Assign { target, operator: None, value, cast: of, is_postfix, at };
            return Ok(Typed { expression: Expression::Assign(Box::new(assign)), of, at });
        };
        check_compound(operator, of, &value)?;
        let assign = Assign { target, operator: Some(operator), value: value.expression, cast: of, is_postfix, at };
        Ok(Typed { expression: Expression::Assign(Box::new(assign)), of, at })
    }
}

fn check_compound(operator: Operator, of: Type, value: &Typed) -> Res<()> {
    let fits = match of {
        Type::Text => operator == Operator::Add,
        Type::Bool => matches!(operator, Operator::BitAnd | Operator::BitOr | Operator::BitXor),
        of if of.is_numeric() => value.of == Type::Def || value.of.unboxed().is_some_and(Type::is_numeric),
        _ => true,
    };
    if fits && value.of != Type::Void {
        return Ok(());
    }
    Err(inapplicable(operator, of, value.of).at(value.at))
}

fn binary(operator: Operator, left: Typed, right: Typed) -> Res<Typed> {
    let at = left.at;
    let of = result_of(operator, left.of, right.of).ok_or_else(|| inapplicable(operator, left.of, right.of).at(at))?;
    let binary = Binary { operator, left: left.expression, right: right.expression, at };
    Ok(Typed { expression: Expression::Binary(Box::new(binary)), of, at })
}

/// `None`: the operator does not take these types.
fn result_of(operator: Operator, left: Type, right: Type) -> Option<Type> {
    if left == Type::Void || right == Type::Void {
        return None;
    }
    let unknown = |of: Type| of == Type::Def || matches!(of, Type::Class(_)) && of.unboxed().is_none();
    match operator {
        Operator::Equal | Operator::NotEqual | Operator::Same | Operator::NotSame => Some(Type::Bool),
        Operator::Add if left == Type::Text || right == Type::Text => Some(Type::Text),
        _ if unknown(left) || unknown(right) => match operator {
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => Some(Type::Bool),
            _ => Some(Type::Def),
        },
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
            promoted(left, right).map(|_| Type::Bool)
        }
        Operator::BitAnd | Operator::BitOr | Operator::BitXor => {
            if left.unboxed() == Some(Type::Bool) && right.unboxed() == Some(Type::Bool) {
                return Some(Type::Bool);
            }
            promoted(left, right).filter(|of| matches!(of, Type::Int | Type::Long))
        }
        Operator::ShiftLeft | Operator::ShiftRight | Operator::ShiftRightUnsigned => {
            promoted(right, right)?;
            promoted(left, left).filter(|of| matches!(of, Type::Int | Type::Long))
        }
        _ => promoted(left, right),
    }
}

fn inapplicable(operator: Operator, left: Type, right: Type) -> Box<Fault> {
    let name = match operator {
        Operator::Add => "addition [+]",
        Operator::Subtract => "subtraction [-]",
        Operator::Multiply => "multiplication [*]",
        Operator::Divide => "division [/]",
        Operator::Remainder => "remainder [%]",
        Operator::ShiftLeft => "left shift [<<]",
        Operator::ShiftRight => "right shift [>>]",
        Operator::ShiftRightUnsigned => "unsigned shift [>>>]",
        Operator::Less => "less than [<]",
        Operator::LessOrEqual => "less than or equals [<=]",
        Operator::Greater => "greater than [>]",
        Operator::GreaterOrEqual => "greater than or equals [>=]",
        Operator::Equal => "equals [==]",
        Operator::NotEqual => "not equals [!=]",
        Operator::Same => "reference equals [===]",
        Operator::NotSame => "reference not equals [!==]",
        Operator::BitAnd => "and [&]",
        Operator::BitOr => "or [|]",
        Operator::BitXor => "exclusive or [^]",
    };
    Fault::class_cast(format!("Cannot apply {name} to types [{}] and [{}].", left.name(), right.name()))
}
