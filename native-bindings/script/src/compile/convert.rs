//! Conversions between static types.

use super::{Compiler, Typed};
use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::tree::{Conversion, Expression};
use crate::types::Type;

/// How wide a number is; nothing narrower takes a wider one without a cast.
fn rank(of: Type) -> u32 {
    match of {
        Type::Byte => 1,
        Type::Short | Type::Char => 2,
        Type::Int => 3,
        Type::Long => 4,
        Type::Float => 5,
        Type::Double => 6,
        _ => 0,
    }
}

/// Whether a number of one type becomes one of the other without losing what it is.
pub fn widens(from: Type, to: Type) -> bool {
    match (from, to) {
        (from, to) if from == to => true,
        (_, Type::Char) | (Type::Char, Type::Short | Type::Byte) => false,
        _ => from.is_numeric() && to.is_numeric() && rank(from) < rank(to),
    }
}

/// The type in which two numbers are computed; `None` when one of them is none.
pub fn promoted(left: Type, right: Type) -> Option<Type> {
    let (left, right) = (left.unboxed()?, right.unboxed()?);
    if !left.is_numeric() || !right.is_numeric() {
        return None;
    }
    let wider = if rank(left) >= rank(right) { left } else { right };
    Some(if rank(wider) < 3 { Type::Int } else { wider })
}

impl Compiler<'_> {
    /// A value where one of type `to` is wanted.
    pub(super) fn assigned(&self, value: Typed, to: Type) -> Res<Expression> {
        self.converted(value, to, false)
    }

    pub(super) fn converted(&self, value: Typed, to: Type, explicit: bool) -> Res<Expression> {
        let Typed { expression, of: from, at } = value;
        if from == to && to != Type::Void || to == Type::Def && from != Type::Void {
            return Ok(expression);
        }
        if let (Expression::Literal(Value::Int(number)), Type::Byte | Type::Short | Type::Char) = (&expression, to)
            && let Some(narrow) = crate::number::cast(Value::Int(*number), to)
            && crate::number::to_int(narrow) == Some(*number)
        {
            return Ok(Expression::Literal(narrow));
        }
        if !is_possible(from, to, explicit, matches!(expression, Expression::Literal(Value::Null))) {
            let reason = format!("Cannot cast from [{}] to [{}].", from.name(), to.name());
            return Err(Fault::class_cast(reason).at(at));
        }
        if let Expression::Literal(literal) = expression
            && let Some(folded) = fold(literal, to)
        {
            return Ok(Expression::Literal(folded));
        }
        Ok(Expression::Convert(Box::new(Conversion { value: expression, to, explicit, at })))
    }
}

/// What the types alone decide; the rest is seen when the script runs.
fn is_possible(from: Type, to: Type, explicit: bool, is_null: bool) -> bool {
    if from == Type::Void || to == Type::Void {
        return false;
    }
    if is_null {
        return !to.is_primitive();
    }
    match (from, to) {
        (Type::Def, _) => true,
        (Type::Text, Type::Char) | (Type::Char, Type::Text) => explicit,
        (Type::Text, other) | (other, Type::Text) => {
            matches!(other, Type::Class(class) if matches!(class.simple(), "CharSequence" | "Comparable" | "Object"))
        }
        _ => match (from.unboxed(), to.unboxed()) {
            (Some(from), Some(to)) if from.is_numeric() && to.is_numeric() => explicit || widens(from, to),
            (Some(from), Some(to)) => from == to,
            (Some(_), None) => {
                matches!(to, Type::Class(class) if matches!(class.simple(), "Number" | "Object" | "Comparable"))
            }
            (None, Some(_)) => {
                matches!(from, Type::Class(_)) && explicit
                    || matches!(from, Type::Class(class) if class.simple() == "Number")
            }
            (None, None) => true,
        },
    }
}

fn fold(literal: Value, to: Type) -> Option<Value> {
    let to = to.unboxed()?;
    crate::number::cast(literal, to)
}
