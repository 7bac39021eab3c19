//! Functions of the script, lambdas, references to methods.

use super::{Flow, Machine};
use crate::compile::EMIT;
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::heap::key::Key;
use crate::heap::object::{Function, Object};
use crate::library::{construct, methods, statics};
use crate::tree::{FunctionBody, Reference};
use crate::types::Type;
use quarry_base::error::{Error, ErrorCode};
use std::sync::Arc;

/// Values that one document may emit.
pub const EMITTED_MAX: usize = 100;
/// What a call through a method counts for the nesting.
const APPLY_DEPTH: u32 = 4;

impl Machine<'_> {
    pub(super) fn call_user(&mut self, function: u32, arguments: &[Value]) -> Res<Value> {
        if function == EMIT {
            return self.emit(arguments);
        }
        let program = self.program;
        self.enter(&program.functions[function as usize], arguments, &[])
    }

    fn emit(&mut self, arguments: &[Value]) -> Res<Value> {
        match (self.program.context.emits, arguments) {
            (Some(2), [map]) => self.emit_map(*map),
            _ => self.emit_one(arguments),
        }
    }

    /// Each name of a map with its value.
    fn emit_map(&mut self, map: Value) -> Res<Value> {
        let place = match map {
            Value::Ref(place) if matches!(self.state.heap.get(place), Object::Map(_)) => place,
            Value::Null => return Err(Fault::without_message(Exception::NullPointer)),
            other => {
                let class = self.class_of(other);
                return Err(Fault::class_cast(format!("Cannot cast from [{class}] to [java.util.Map].")));
            }
        };
        let Object::Map(map) = self.state.heap.get(place) else { return Ok(Value::Null) };
        let mut pairs = Vec::with_capacity(map.len());
        for (key, value) in &map.entries {
            let Key::Text(name) = key else { return Err(Fault::class_cast("names of emitted values must be texts")) };
            pairs.push((Arc::clone(name), *value));
        }
        self.work(pairs.len())?;
        for (name, value) in pairs {
            let name = self.state.heap.text(name)?;
            self.emit_one(&[name, value])?;
        }
        Ok(Value::Null)
    }

    fn emit_one(&mut self, arguments: &[Value]) -> Res<Value> {
        if self.state.emitted.len() >= EMITTED_MAX * arguments.len() {
            let reason = format!(
                "Runtime field is emitting [{}] values while the maximum number of values allowed is [{EMITTED_MAX}]",
                EMITTED_MAX + 1
            );
            return Err(Fault::illegal(reason));
        }
        self.state.emitted.extend_from_slice(arguments);
        Ok(Value::Null)
    }

    fn enter(&mut self, body: &FunctionBody, arguments: &[Value], captured: &[Value]) -> Res<Value> {
        self.work(1)?;
        let depth = self.state.depth.saturating_add(body.depth).saturating_add(2);
        self.check_depth(depth)?;
        let (base, height, old_depth) = (self.state.base, self.state.stack.len(), self.state.depth);
        let inner = height;
        self.state.stack.resize(inner + body.locals as usize, Value::Null);
        for (place, (&argument, &of)) in arguments.iter().zip(&body.parameters).enumerate() {
            let argument = if of == Type::Def { argument } else { self.convert(argument, of, false)? };
            self.state.stack[inner + place] = argument;
        }
        for (&place, &value) in body.captured.iter().zip(captured) {
            self.state.stack[inner + place as usize] = value;
        }
        self.state.base = inner;
        self.state.depth = depth;
        let flow = self.block(&body.body)?;
        self.state.base = base;
        self.state.depth = old_depth;
        self.state.stack.truncate(height);
        match flow {
            Flow::Return(value) if body.returns == Type::Def => Ok(value),
            Flow::Return(value) if body.returns != Type::Void => self.convert(value, body.returns, false),
            _ => Ok(Value::Null),
        }
    }

    pub(super) fn lambda(&mut self, function: u32, captured: &[u32]) -> Res<Value> {
        let captured = captured.iter().map(|&place| self.local(place)).collect();
        self.state.heap.alloc(Object::Function(Function::Lambda { function, captured }))
    }

    pub(super) fn reference(&mut self, reference: &Reference) -> Res<Value> {
        let function = match reference {
            Reference::OfClass { class, method } => Function::OfClass { class: *class, method: method.clone() },
            Reference::OfObject { object, method } => {
                Function::OfObject { object: self.eval(object)?, method: method.clone() }
            }
            Reference::Constructor { class } => Function::Constructor { class: *class },
            Reference::NewArray { element } => Function::NewArray { element: *element },
            Reference::User { function } => Function::User { function: *function },
        };
        self.state.heap.alloc(Object::Function(function))
    }

    /// Calls a lambda or a reference.
    pub fn apply(&mut self, function: Value, arguments: &[Value]) -> Res<Value> {
        self.deeper(|machine| machine.apply_inside(function, arguments))
    }

    /// Something that may lead to itself, counted for the nesting.
    pub fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let depth = self.state.depth;
        self.check_depth(depth.saturating_add(APPLY_DEPTH))?;
        self.state.depth = depth + APPLY_DEPTH;
        let result = inside(self)?;
        self.state.depth = depth;
        Ok(result)
    }

    fn check_depth(&self, depth: u32) -> Res<()> {
        if depth <= self.state.limits.depth {
            return Ok(());
        }
        crate::statistics::count_depth_limit();
        let reason = format!("the script's calls are nested deeper than [{}] levels", self.state.limits.depth);
        Err(Fault::stopped(Error::new(ErrorCode::StackOverflow, reason)))
    }

    fn apply_inside(&mut self, function: Value, arguments: &[Value]) -> Res<Value> {
        let Value::Ref(place) = function else {
            return Err(Fault::null("java.util.function.Function.apply(Object)"));
        };
        let Object::Function(function) = self.state.heap.get(place) else {
            let class = self.class_of(function);
            return Err(Fault::class_cast(format!("Cannot cast from [{class}] to a function.")));
        };
        let program = self.program;
        match function.clone() {
            Function::Lambda { function, captured } => {
                let body = &program.functions[function as usize];
                if body.parameters.len() != arguments.len() {
                    let (wanted, given) = (body.parameters.len(), arguments.len());
                    let reason =
                        format!("Incorrect number of parameters for [lambda]: expected [{given}], found [{wanted}]");
                    return Err(Fault::illegal(reason));
                }
                self.enter(body, arguments, &captured)
            }
            Function::User { function } => self.enter(&program.functions[function as usize], arguments, &[]),
            Function::OfObject { object, method } => methods::call(self, object, &method, arguments),
            Function::Constructor { class } => construct::new_object(self, class, arguments),
            Function::NewArray { element } => {
                let size = arguments.first().and_then(|&size| crate::number::to_int(size)).unwrap_or(0);
                construct::array(self, element, &[usize::try_from(size).unwrap_or(0)])
            }
            Function::OfClass { class, method } => {
                if methods::is_static_of(class, &method, arguments.len()) {
                    return statics::call(self, class, &method, arguments);
                }
                let Some((&object, rest)) = arguments.split_first() else {
                    return Err(Fault::illegal(format!("function reference [{}::{method}/0] not found", class.full())));
                };
                methods::call(self, object, &method, rest)
            }
            Function::Compare { .. } => {
                methods::comparator::compare(self, Value::Ref(place), arguments).map(Value::Int)
            }
        }
    }
}
