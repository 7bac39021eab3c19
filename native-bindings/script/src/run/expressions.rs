//! Expressions.

use super::{Machine, located};
use crate::compile::DOC_PLACE;
use crate::expression::link;
use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::heap::key::Key;
use crate::heap::object::{ListKind, MapKind, MapObject, Object};
use crate::library::classes::Library;
use crate::library::{construct, methods, statics};
use crate::number;
use crate::tree::{Binary, Expression, NewArray, Operator, Unary};
use crate::types::Type;
use std::sync::Arc;

/// Characters of a text that concatenation may lead to.
const TEXT_BYTES_MAX: usize = 16 << 20;

impl Machine<'_> {
    pub(super) fn eval(&mut self, expression: &Expression) -> Res<Value> {
        match expression {
            Expression::Literal(value) => Ok(*value),
            Expression::Local(place) => Ok(if *place == DOC_PLACE { self.state.doc } else { self.local(*place) }),
            Expression::FieldValue(field, at) => located(self.first_value(*field), *at),
            Expression::Variable(variable) => located(link::value(self, variable), variable.at).map(Value::Double),
            Expression::Score => self.env.score().map(Value::Double).map_err(Fault::stopped),
            Expression::Binary(binary) => self.binary(binary),
            Expression::Text(place) => Ok(self.state.texts[*place as usize]),
            Expression::SetLocal(place, value) => {
                let value = self.eval(value)?;
                self.set_local(*place, value);
                Ok(value)
            }
            Expression::Unary(unary, value, at) => {
                let value = self.eval(value)?;
                located(self.unary(*unary, value), *at)
            }
            Expression::And(pair) => Ok(Value::Bool(self.condition(&pair.0)? && self.condition(&pair.1)?)),
            Expression::Or(pair) => Ok(Value::Bool(self.condition(&pair.0)? || self.condition(&pair.1)?)),
            Expression::Choice(choice) => {
                let chosen = if self.condition(&choice.0)? { &choice.1 } else { &choice.2 };
                self.eval(chosen)
            }
            Expression::Elvis(pair) => match self.eval(&pair.0)? {
                Value::Null => self.eval(&pair.1),
                value => Ok(value),
            },
            Expression::Convert(conversion) => {
                let value = self.eval(&conversion.value)?;
                located(self.convert(value, conversion.to, conversion.explicit), conversion.at)
            }
            Expression::Member(member) => {
                let object = self.eval(&member.object)?;
                if member.null_safe && matches!(object, Value::Null) {
                    return Ok(Value::Null);
                }
                located(self.member(object, &member.name), member.at)
            }
            Expression::Index(index) => {
                let object = self.eval(&index.object)?;
                let place = self.eval(&index.index)?;
                located(self.index(object, place), index.at)
            }
            Expression::Call(call) => {
                let object = self.eval(&call.object)?;
                if call.null_safe && matches!(object, Value::Null) {
                    return Ok(Value::Null);
                }
                let arguments = self.arguments(&call.arguments)?;
                located(methods::call(self, object, &call.name, &arguments), call.at)
            }
            Expression::CallStatic(call) => {
                let arguments = self.arguments(&call.arguments)?;
                located(statics::call(self, call.class, &call.name, &arguments), call.at)
            }
            Expression::CallUser { function, arguments, at } => {
                let arguments = self.arguments(arguments)?;
                located(self.call_user(*function, &arguments), *at)
            }
            other => self.rarer(other),
        }
    }

    fn arguments(&mut self, arguments: &[Expression]) -> Res<smallvec::SmallVec<[Value; 4]>> {
        arguments.iter().map(|argument| self.eval(argument)).collect()
    }

    #[inline(never)]
    fn rarer(&mut self, expression: &Expression) -> Res<Value> {
        match expression {
            Expression::Field(field, _) => {
                let field = self.field_number(*field)?;
                self.state.heap.alloc(Object::DocField(field))
            }
            Expression::ScriptField(place, at) => located(self.script_field(*place), *at),
            Expression::ScriptFieldOf(name, at) => {
                let name = self.eval(name)?;
                located(self.script_field_of(name), *at)
            }
            Expression::Pattern(place) => {
                let pattern = Arc::clone(&self.program.patterns[*place as usize]);
                self.state.heap.alloc(Object::Pattern(pattern))
            }
            Expression::Extractor(place) => {
                let extractor = Arc::clone(&self.program.extractors[*place as usize]);
                self.state.heap.alloc(Object::Library(Box::new(Library::Extractor(extractor))))
            }
            Expression::InstanceOf(value, of) => {
                let value = self.eval(value)?;
                Ok(Value::Bool(crate::types::is_instance(&self.state.heap, value, *of)))
            }
            Expression::Find(pair, at) | Expression::Matches(pair, at) => {
                let text = self.eval(&pair.0)?;
                let pattern = self.eval(&pair.1)?;
                let whole = matches!(expression, Expression::Matches(..));
                located(methods::pattern::is_match(self, pattern, text, whole), *at).map(Value::Bool)
            }
            Expression::New(new) => {
                let arguments = self.arguments(&new.arguments)?;
                located(construct::new_object(self, new.class, &arguments), new.at)
            }
            Expression::NewArray(new) => self.new_array(new),
            Expression::ArrayOf(element, items) => {
                let items = self.values(items)?;
                self.state.heap.list_of(ListKind::Array(*element), items)
            }
            Expression::List(items) => {
                let items = self.values(items)?;
                self.state.heap.list(items)
            }
            Expression::Map(pairs) => self.map_literal(pairs),
            Expression::Lambda { function, captured } => self.lambda(*function, captured),
            Expression::Reference(reference) => self.reference(reference),
            Expression::Assign(assign) => located(self.assign(assign), assign.at),
            other => Err(Fault::illegal(format!("an expression that cannot be evaluated: {other:?}"))),
        }
    }

    fn values(&mut self, items: &[Expression]) -> Res<Vec<Value>> {
        items.iter().map(|item| self.eval(item)).collect()
    }

    fn map_literal(&mut self, pairs: &[(Expression, Expression)]) -> Res<Value> {
        let mut map = MapObject::new(MapKind::Hash);
        for (key, value) in pairs {
            let key = self.eval(key)?;
            let key = Key::of(&self.state.heap, key)?;
            let value = self.eval(value)?;
            map.entries.insert(key, value);
        }
        self.state.heap.map(map)
    }

    fn new_array(&mut self, new: &NewArray) -> Res<Value> {
        let mut sizes = Vec::with_capacity(new.sizes.len());
        for size in &new.sizes {
            let size = self.eval(size)?;
            let size = number::to_int(size).unwrap_or(-1);
            let size = usize::try_from(size)
                .map_err(|_| Fault::new(crate::fault::Exception::NegativeArraySize, size.to_string()).at(new.at))?;
            sizes.push(size);
        }
        located(construct::array(self, new.element, &sizes), new.at)
    }

    fn binary(&mut self, binary: &Binary) -> Res<Value> {
        let left = self.eval(&binary.left)?;
        let right = self.eval(&binary.right)?;
        located(self.operate(binary.operator, left, right), binary.at)
    }

    pub(super) fn operate(&mut self, operator: Operator, left: Value, right: Value) -> Res<Value> {
        match number::binary(operator, left, right)? {
            Some(value) => Ok(value),
            None => self.operate_on_objects(operator, left, right),
        }
    }

    #[inline(never)]
    fn operate_on_objects(&mut self, operator: Operator, left: Value, right: Value) -> Res<Value> {
        match operator {
            Operator::Equal => Ok(Value::Bool(self.equals(left, right)?)),
            Operator::NotEqual => Ok(Value::Bool(!self.equals(left, right)?)),
            Operator::Same | Operator::NotSame => {
                let same = match (left, right) {
                    (Value::Ref(left), Value::Ref(right)) => {
                        left == right
                            || self.equals(Value::Ref(left), Value::Ref(right))? && self.is_text(Value::Ref(left))
                    }
                    (Value::Null, Value::Null) => true,
                    _ => false,
                };
                Ok(Value::Bool(same == (operator == Operator::Same)))
            }
            Operator::Add if self.is_text(left) || self.is_text(right) => self.concatenate(left, right),
            _ => Err(self.inapplicable(operator, left, right)),
        }
    }

    pub fn is_text(&self, value: Value) -> bool {
        self.state.heap.as_text(value).is_some()
    }

    fn concatenate(&mut self, left: Value, right: Value) -> Res<Value> {
        let mut text = self.text_of(left)?.to_string();
        text.push_str(&self.text_of(right)?);
        if text.len() > TEXT_BYTES_MAX {
            return Err(Fault::illegal(format!("a text is longer than [{TEXT_BYTES_MAX}] bytes")));
        }
        self.work(text.len() / 256)?;
        self.state.heap.text(text)
    }

    fn inapplicable(&self, operator: Operator, left: Value, right: Value) -> Box<Fault> {
        if matches!(left, Value::Null) || matches!(right, Value::Null) {
            return Fault::without_message(crate::fault::Exception::NullPointer);
        }
        let sign = match operator {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
            Operator::ShiftLeft => "<<",
            Operator::ShiftRight => ">>",
            Operator::ShiftRightUnsigned => ">>>",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::BitAnd => "&",
            Operator::BitOr => "|",
            Operator::BitXor => "^",
            _ => "==",
        };
        let (left, right) = (self.class_of(left), self.class_of(right));
        Fault::class_cast(format!("Cannot apply [{sign}] operation to types [{left}] and [{right}]."))
    }

    fn unary(&mut self, unary: Unary, value: Value) -> Res<Value> {
        let zero = Value::Int(0);
        let result = match (unary, value) {
            (Unary::Not, value) => return self.bool_of(value).map(|value| Value::Bool(!value)),
            (Unary::Minus, Value::Double(number)) => Some(Value::Double(-number)),
            (Unary::Minus, Value::Float(number)) => Some(Value::Float(-number)),
            (Unary::Minus, value) => number::binary(Operator::Subtract, zero, value)?,
            (Unary::Plus, Value::Double(_) | Value::Float(_)) => Some(value),
            (Unary::Plus, value) => number::binary(Operator::Add, zero, value)?,
            (Unary::Complement, Value::Double(_) | Value::Float(_)) => None,
            (Unary::Complement, value) => number::binary(Operator::BitXor, value, Value::Int(-1))?,
        };
        result.ok_or_else(|| {
            if matches!(value, Value::Null) {
                return Fault::without_message(crate::fault::Exception::NullPointer);
            }
            let class = self.class_of(value);
            Fault::class_cast(format!("Cannot apply [{unary:?}] operation to type [{class}]."))
        })
    }

    /// `to` is a primitive type, a class or `String`.
    pub fn convert(&mut self, value: Value, to: Type, explicit: bool) -> Res<Value> {
        super::convert::converted(&self.state.heap, value, to, explicit)
            .map_or_else(|| self.convert_text(value, to), Ok)
    }
}
