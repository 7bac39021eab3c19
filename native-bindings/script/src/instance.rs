//! A program with its parameters, ready to run again and again.

use super::context::Returns;
use super::env::Env;
use super::fault::{Fault, Res};
use super::heap::growth::Growth;
use super::heap::key::Key;
use super::heap::object::Object;
use super::heap::{Heap, Value};
use super::limits::Limits;
use super::run::{Machine, State};
use super::tree::Program;
use super::{failure, json, number};
use quarry_base::error::{Error, Result};
use std::sync::Arc;

/// Place of `params` among the variables of every context.
const PARAMS: usize = 0;

/// One user of a program on one thread: parameters are read once, objects of a run are given up before the next.
///
/// The variables of the context are numbered from 0 (`params`); [`Instance::set`] gives the others their values for the
/// next runs.
#[derive(Debug)]
pub struct Instance {
    program: Arc<Program>,
    state: State,
    variables: Vec<Value>,
    /// Objects that the owner comes back to.
    held: Vec<Value>,
    growth: Growth,
}

impl Instance {
    /// `params` is a JSON object or null.
    pub fn new(program: Arc<Program>, params: &serde_json::Value) -> Result<Self> {
        Self::with_limits(program, params, Limits::default())
    }

    pub fn with_limits(program: Arc<Program>, params: &serde_json::Value, limits: Limits) -> Result<Self> {
        let mut heap = Heap::new(limits.allocated_bytes);
        let setup = |heap: &mut Heap| -> Res<(Value, Vec<Value>, Value)> {
            let doc = heap.alloc(Object::Doc)?;
            let texts = own_texts(&program, heap)?;
            let params = match params {
                serde_json::Value::Null => {
                    heap.map(super::heap::object::MapObject::new(super::heap::object::MapKind::Hash))?
                }
                params => json::read(heap, params)?,
            };
            Ok((doc, texts, params))
        };
        let (doc, texts, params) = setup(&mut heap).map_err(|fault| fault.into_cause())?;
        heap.keep_all();
        let mut variables = vec![Value::Null; program.context.variables.len()];
        variables[PARAMS] = params;
        let state = State {
            heap,
            limits,
            stack: Vec::new(),
            base: 0,
            depth: 0,
            operations: 0,
            next_look: 0,
            texts,
            doc,
            fields: vec![None; program.fields.len()],
            emitted: Vec::new(),
            matched: 0,
            source: None,
        };
        Ok(Instance { program, state, variables, held: Vec::new(), growth: Growth::default() })
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// `params`.
    pub fn params(&self) -> Value {
        self.variables[PARAMS]
    }

    /// Sets a variable of the context for the runs that follow. Objects are made with [`Instance::import`].
    pub fn set(&mut self, variable: usize, value: Value) {
        self.variables[variable] = value;
    }

    /// Sets one of the parameters for the runs that follow.
    pub fn set_parameter(&mut self, name: &str, value: Value) -> Result<()> {
        self.set_entry(PARAMS, name, value)
    }

    /// Sets an entry of a variable that is a map, for the runs that follow.
    pub fn set_entry(&mut self, variable: usize, name: &str, value: Value) -> Result<()> {
        let Value::Ref(map) = self.variables[variable] else {
            return Err(Error::internal("a variable of a script is no map"));
        };
        if let Object::Map(map) = self.state.heap.get_mut(map) {
            map.entries.insert(Key::Text(name.into()), value);
        }
        Ok(())
    }

    /// JSON as an object that stays until the instance is dropped or [`Instance::forget`] is called.
    pub fn import(&mut self, json: &serde_json::Value) -> Result<Value> {
        let value = json::read(&mut self.state.heap, json).map_err(|fault| fault.into_cause())?;
        self.state.heap.keep_all();
        Ok(value)
    }

    /// A JSON object as an object of a class, whose members have getters, that stays as [`Instance::import`] has it.
    pub fn import_bean(&mut self, members: &serde_json::Value) -> Result<Value> {
        let value = self.import(members)?;
        self.state.heap.as_bean(value);
        Ok(value)
    }

    /// An array of doubles that stays, as `values` of a `moving_fn`.
    pub fn import_doubles(&mut self, numbers: &[f64]) -> Result<Value> {
        let value =
            super::library::moving::window(&mut self.state.heap, numbers).map_err(|fault| fault.into_cause())?;
        self.state.heap.keep_all();
        Ok(value)
    }

    /// A text that stays.
    pub fn import_text(&mut self, text: &str) -> Result<Value> {
        let value = self.state.heap.text(text).map_err(|fault| fault.into_cause())?;
        self.state.heap.keep_all();
        Ok(value)
    }

    pub fn import_place(&mut self, lat: f64, lon: f64) -> Result<Value> {
        let value = self.state.heap.alloc(Object::GeoPoint { lat, lon }).map_err(|fault| fault.into_cause())?;
        self.state.heap.keep_all();
        Ok(value)
    }

    /// `interval` of a filter of intervals.
    pub fn import_interval(&mut self, start: i32, end: i32, gaps: i32) -> Result<Value> {
        let interval = Object::Interval { start, end, gaps };
        let value = self.state.heap.alloc(interval).map_err(|fault| fault.into_cause())?;
        self.state.heap.keep_all();
        Ok(value)
    }

    /// Keeps an imported object while other objects are the variables; [`Instance::held`] gives it by the number.
    pub fn hold(&mut self, value: Value) -> usize {
        self.held.push(value);
        self.held.len() - 1
    }

    pub fn held(&self, number: usize) -> Value {
        self.held[number]
    }

    /// Goes on with a program of a context with the same variables. Objects stay, fields are looked up anew.
    pub fn switch(&mut self, program: &Arc<Program>, params: &serde_json::Value) -> Result<()> {
        let params = match params {
            serde_json::Value::Null => &serde_json::Value::Object(serde_json::Map::new()),
            params => params,
        };
        let heap = &mut self.state.heap;
        let texts = own_texts(program, heap);
        let params = json::read(heap, params);
        heap.keep_all();
        self.state.texts = texts.map_err(|fault| fault.into_cause())?;
        self.variables[PARAMS] = params.map_err(|fault| fault.into_cause())?;
        self.state.fields = vec![None; program.fields.len()];
        self.program = Arc::clone(program);
        Ok(())
    }

    /// Gives up everything that is not reachable from the program, the parameters, the variables and what is held.
    pub fn forget(&mut self) {
        let mut roots = self.state.texts.clone();
        roots.push(self.state.doc);
        roots.extend_from_slice(&self.variables);
        roots.extend_from_slice(&self.held);
        self.state.heap.collect(&roots);
    }

    /// Runs the script once. What the run has made is there until the next run: read the value before that.
    ///
    /// Errors: `Script` with its place; `TaskCancelled`; what the environment refuses.
    pub fn run(&mut self, env: &mut dyn Env) -> Result<Value> {
        self.state.heap.end_run();
        self.collect_if_large()?;
        self.state.source = None;
        // Of the program nothing is counted for each document: threads that run it side by side would wait for each other's caches.
        let Instance { program, state, variables, .. } = self;
        let mut machine = Machine { program, state, env };
        machine.run_main(variables).map_err(|fault| failure::of_run(program, *fault))
    }

    /// Runs that put objects into what stays make it grow.
    fn collect_if_large(&mut self) -> Result<()> {
        if !self.growth.is_large(&self.state.heap) {
            return Ok(());
        }
        self.forget();
        self.growth.check(&self.state.heap)
    }

    /// Runs the script for a number; a script that returns nothing returns 0.
    pub fn run_double(&mut self, env: &mut dyn Env) -> Result<f64> {
        match self.run(env)? {
            Value::Double(number) => Ok(number),
            Value::Null => Ok(0.0),
            other => number::to_double(other).ok_or_else(|| self.wrong_result(other, "double")),
        }
    }

    /// Runs the script for a number that it may leave out: `None` for null.
    pub fn run_nullable_double(&mut self, env: &mut dyn Env) -> Result<Option<f64>> {
        match self.run(env)? {
            Value::Null => Ok(None),
            other => number::to_double(other).map(Some).ok_or_else(|| self.wrong_result(other, "double")),
        }
    }

    pub fn run_long(&mut self, env: &mut dyn Env) -> Result<i64> {
        match self.run(env)? {
            Value::Null => Ok(0),
            other => number::to_long(other).ok_or_else(|| self.wrong_result(other, "long")),
        }
    }

    pub fn run_bool(&mut self, env: &mut dyn Env) -> Result<bool> {
        match self.run(env)? {
            Value::Bool(value) => Ok(value),
            Value::Null => Ok(false),
            // Expressions have only numbers.
            Value::Double(number) if self.program.lang == "expression" => Ok(number != 0.0),
            other => Err(self.wrong_result(other, "boolean")),
        }
    }

    /// Runs the script for a text; null stays null.
    pub fn run_text(&mut self, env: &mut dyn Env) -> Result<Option<Arc<str>>> {
        match self.run(env)? {
            Value::Null => Ok(None),
            other => match self.state.heap.as_text(other) {
                Some(text) => Ok(Some(Arc::clone(text))),
                None => Err(self.wrong_result(other, "java.lang.String")),
            },
        }
    }

    /// Runs the script and appends its value as JSON.
    pub fn run_json(&mut self, env: &mut dyn Env, out: &mut Vec<u8>) -> Result<()> {
        let value = self.run(env)?;
        let value = self.listed(value, env)?;
        self.write_json(value, out)
    }

    /// Values of a document's field, and of a set, as the list that they are; anything else as it is.
    pub fn listed(&mut self, value: Value, env: &mut dyn Env) -> Result<Value> {
        let Value::Ref(place) = value else { return Ok(value) };
        let field = match self.state.heap.get(place) {
            Object::DocField(field) => Some(*field),
            Object::Set(_) => None,
            _ => return Ok(value),
        };
        let Instance { program, state, .. } = self;
        let mut machine = Machine { program, state, env };
        let values = match field {
            Some(field) => machine.field_values(field),
            None => machine.items_of(value),
        };
        let listed = values.and_then(|values| machine.state.heap.list(values));
        listed.map_err(|fault| failure::of_run(program, *fault))
    }

    /// The value of the last run, or one that stays, as JSON.
    pub fn write_json(&self, value: Value, out: &mut Vec<u8>) -> Result<()> {
        json::write(&self.state.heap, value, out).map_err(|fault| fault.into_cause())
    }

    /// The text of a value.
    pub fn text(&self, value: Value) -> Option<Arc<str>> {
        self.state.heap.as_text(value).map(Arc::clone)
    }

    /// The text that a value of the last run prints as.
    pub fn printed(&mut self, value: Value) -> Result<String> {
        let Instance { program, state, .. } = self;
        let mut machine = Machine { program, state, env: &mut super::env::Nothing };
        machine.text_of(value).map(|text| text.to_string()).map_err(|fault| failure::of_run(program, *fault))
    }

    pub fn heap(&self) -> &Heap {
        &self.state.heap
    }

    /// What `emit` was called with in the last run, one argument after the other.
    pub fn emitted(&self) -> &[Value] {
        &self.state.emitted
    }

    fn wrong_result(&self, value: Value, wanted: &str) -> Error {
        let from = super::types::class_of(&self.state.heap, value);
        let fault = Fault::class_cast(format!("Cannot cast from [{from}] to [{wanted}]."));
        failure::of_run(&self.program, *fault.at(0))
    }

    /// What the last run has cost, in the units of [`Limits::operations`].
    pub fn operations(&self) -> u32 {
        self.state.operations
    }

    /// Lets no script change the maps and lists that a value of [`Instance::import`] leads to.
    pub fn freeze(&mut self, value: Value) {
        self.state.heap.freeze(value);
    }

    /// The kind of value that the context takes.
    pub fn returns(&self) -> Returns {
        self.program.context.returns
    }
}

/// The texts of the program as objects of this thread alone, for the same reason as in [`Instance::run`].
fn own_texts(program: &Program, heap: &mut Heap) -> Res<Vec<Value>> {
    program.texts.iter().map(|text| heap.text(&**text)).collect()
}
