//! Statements.

use super::{Flow, Machine, located};
use crate::fault::{Cause, Exception, Fault, Res};
use crate::heap::Value;
use crate::heap::object::{Object, SetObject};
use crate::tree::{Catch, Expression, ForEachLoop, ForLoop, Statement};
use crate::types::Type;

impl Machine<'_> {
    pub(super) fn block(&mut self, body: &[Statement]) -> Res<Flow> {
        for statement in body {
            match self.statement(statement)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Res<Flow> {
        match statement {
            Statement::Expression(expression) => {
                self.eval(expression)?;
                Ok(Flow::Next)
            }
            Statement::Return(value) => Ok(Flow::Return(match value {
                Some(value) => self.eval(value)?,
                None => Value::Null,
            })),
            Statement::If(condition, then, other) => {
                let chosen = if self.condition(condition)? { then } else { other };
                self.block(chosen)
            }
            Statement::While { condition, body, at } => self.while_loop(condition.as_ref(), body, *at),
            Statement::DoWhile { body, condition, at } => self.do_loop(body, condition, *at),
            Statement::For(inner) => self.for_loop(inner),
            Statement::ForEach(inner) => self.for_each(inner),
            Statement::Block(body) => self.block(body),
            Statement::Break => Ok(Flow::Break),
            Statement::Continue => Ok(Flow::Continue),
            Statement::Throw(value, at) => {
                let value = self.eval(value)?;
                Err(self.thrown(value).at(*at))
            }
            Statement::Try { body, catches } => self.try_block(body, catches),
        }
    }

    pub(super) fn condition(&mut self, condition: &Expression) -> Res<bool> {
        match self.eval(condition)? {
            Value::Bool(value) => Ok(value),
            other => self.bool_of(other),
        }
    }

    fn while_loop(&mut self, condition: Option<&Expression>, body: &[Statement], at: u32) -> Res<Flow> {
        loop {
            if let Some(condition) = condition
                && !self.condition(condition)?
            {
                return Ok(Flow::Next);
            }
            located(self.work(1), at)?;
            match self.block(body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::Next | Flow::Continue => {}
            }
        }
    }

    fn do_loop(&mut self, body: &[Statement], condition: &Expression, at: u32) -> Res<Flow> {
        loop {
            located(self.work(1), at)?;
            match self.block(body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::Next | Flow::Continue => {}
            }
            if !self.condition(condition)? {
                return Ok(Flow::Next);
            }
        }
    }

    fn for_loop(&mut self, inner: &ForLoop) -> Res<Flow> {
        for start in &inner.start {
            self.eval(start)?;
        }
        loop {
            if let Some(condition) = &inner.condition
                && !self.condition(condition)?
            {
                return Ok(Flow::Next);
            }
            located(self.work(1), inner.at)?;
            match self.block(&inner.body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::Next | Flow::Continue => {}
            }
            if let Some(step) = &inner.step {
                self.eval(step)?;
            }
        }
    }

    fn for_each(&mut self, inner: &ForEachLoop) -> Res<Flow> {
        let over = self.eval(&inner.over)?;
        let is_list = self.state.heap.as_list(over).is_some();
        let items = if is_list { Vec::new() } else { located(self.items_of(over), inner.at)? };
        let length = self.state.heap.as_list(over).map_or(items.len(), |list| list.items.len());
        for place in 0..length {
            located(self.work(1), inner.at)?;
            let item = if is_list {
                let list = self.state.heap.as_list(over).filter(|list| list.items.len() == length);
                let item = list.and_then(|list| list.items.get(place)).copied();
                item.ok_or_else(|| Fault::without_message(Exception::ConcurrentModification).at(inner.at))?
            } else {
                items.get(place).copied().unwrap_or(Value::Null)
            };
            let item =
                if inner.of == Type::Def { item } else { located(self.convert(item, inner.of, false), inner.at)? };
            self.set_local(inner.variable, item);
            match self.block(&inner.body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::Next | Flow::Continue => {}
            }
        }
        Ok(Flow::Next)
    }

    /// What a loop over a value, or a method that takes a collection, sees.
    pub fn items_of(&mut self, value: Value) -> Res<Vec<Value>> {
        let Value::Ref(place) = value else {
            if matches!(value, Value::Null) {
                return Err(Fault::without_message(Exception::NullPointer));
            }
            return Err(Fault::illegal(format!("Cannot iterate over [{}]", self.class_of(value))));
        };
        let items = match self.state.heap.get(place) {
            Object::List(list) => list.items.clone(),
            Object::Set(SetObject(set)) => {
                let keys: Vec<_> = set.entries.keys().cloned().collect();
                keys.iter().map(|key| key.value(&mut self.state.heap)).collect::<Res<_>>()?
            }
            Object::Iterator { items, next, .. } => items[(*next).min(items.len())..].to_vec(),
            Object::DocField(field) => {
                let field = *field;
                self.field_values(field)?
            }
            Object::ScriptField(field, _) => match *field {
                Some(field) => self.field_values(field)?,
                None => Vec::new(),
            },
            Object::Library(library) if library.items().is_some() => library.items().unwrap_or_default().to_vec(),
            Object::Map(_) => return self.entries_of(place),
            _ => return Err(Fault::illegal(format!("Cannot iterate over [{}]", self.class_of(value)))),
        };
        self.work(items.len() / 16)?;
        self.state.heap.charge(items.len() * size_of::<Value>())?;
        Ok(items)
    }

    fn thrown(&mut self, value: Value) -> Box<Fault> {
        if let Value::Ref(place) = value
            && let Object::Exception { kind, message } = self.state.heap.get(place)
        {
            let cause = Cause::Thrown(*kind, message.as_ref().map(|text| text.to_string()));
            return Box::new(Fault { cause, at: crate::fault::NOWHERE, object: Some(place) });
        }
        Fault::class_cast(format!("Cannot cast from [{}] to [java.lang.Exception].", self.class_of(value)))
    }

    fn try_block(&mut self, body: &[Statement], catches: &[Catch]) -> Res<Flow> {
        let (base, depth, height) = (self.state.base, self.state.depth, self.state.stack.len());
        let fault = match self.block(body) {
            Ok(flow) => return Ok(flow),
            Err(fault) => fault,
        };
        if !Self::is_catchable(&fault) {
            return Err(fault);
        }
        let Cause::Thrown(kind, message) = &fault.cause else { return Err(fault) };
        let Some(catch) = catches.iter().find(|catch| kind.is_a(catch.exception)) else { return Err(fault) };
        self.state.base = base;
        self.state.depth = depth;
        self.state.stack.truncate(height);
        let exception = match fault.object {
            Some(place) => Value::Ref(place),
            None => {
                let message = message.as_deref().map(Into::into);
                self.state.heap.alloc(Object::Exception { kind: *kind, message })?
            }
        };
        self.set_local(catch.variable, exception);
        self.block(&catch.body)
    }
}
