//! The interpreter: walks a [`Program`] with a heap of its own.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`statements`] | statements, loops, exceptions |
//! | [`expressions`] | expressions |
//! | [`access`] | members, indexes, assignments |
//! | [`convert`] | conversions, conditions, equality |
//! | [`print`] | texts of values |
//! | [`call`] | functions of the script, lambdas, references |
mod access;
mod call;
mod convert;
mod expressions;
mod print;
mod statements;

pub use access::list_place;
pub use print::Printer;

use super::env::Env;
use super::fault::{Cause, Fault, NOWHERE, Res};
use super::heap::{Heap, Value};
use super::limits::Limits;
use super::tree::Program;
use quarry_base::error::{Error, ErrorCode};

/// Operations between two looks at the cancellation.
const OPERATIONS_PER_LOOK: u32 = 1 << 12;

/// What a running script has besides its program.
#[derive(Debug)]
pub struct State {
    pub heap: Heap,
    pub limits: Limits,
    /// Locals of all active functions.
    pub stack: Vec<Value>,
    /// Where those of the innermost function begin.
    pub base: usize,
    /// Nesting of everything that is active.
    pub depth: u32,
    /// Loops, calls and steps of methods of this run.
    pub operations: u32,
    /// Operations at which the cancellation is looked at again.
    pub next_look: u32,
    /// Each text of the program as an object.
    pub texts: Vec<Value>,
    pub doc: Value,
    /// Number in the environment of each field of the program: not asked, or `None` for not mapped.
    pub fields: Vec<Option<Option<u32>>>,
    pub emitted: Vec<Value>,
    /// `params._source` of this run, once it was asked for.
    pub source: Option<Value>,
    /// Characters that regular expressions have looked at in this run.
    pub matched: u64,
}

/// One run.
pub struct Machine<'a> {
    pub program: &'a Program,
    pub state: &'a mut State,
    pub env: &'a mut dyn Env,
}

/// How a statement ended.
pub enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

impl Machine<'_> {
    /// Counts work; stops the script when it is too much or nobody wants it any more.
    #[inline]
    pub fn work(&mut self, operations: usize) -> Res<()> {
        let state = &mut *self.state;
        state.operations = state.operations.saturating_add(operations.min(u32::MAX as usize) as u32);
        if state.operations < state.next_look {
            return Ok(());
        }
        self.look()
    }

    #[cold]
    fn look(&mut self) -> Res<()> {
        let state = &mut *self.state;
        if state.operations > state.limits.operations {
            super::statistics::count_operation_limit();
            let reason = "The maximum number of statements that can be executed in a loop has been reached.";
            return Err(Fault::stopped(Error::new(ErrorCode::Painless, reason)));
        }
        state.next_look = state.operations.saturating_add(OPERATIONS_PER_LOOK).min(state.limits.operations + 1);
        if self.env.is_cancelled() {
            return Err(Fault::stopped(Error::new(ErrorCode::TaskCancelled, "the task was cancelled")));
        }
        Ok(())
    }

    #[inline]
    pub fn heap(&mut self) -> &mut Heap {
        &mut self.state.heap
    }

    #[inline]
    fn local(&self, place: u32) -> Value {
        self.state.stack[self.state.base + place as usize]
    }

    #[inline]
    fn set_local(&mut self, place: u32, value: Value) {
        let base = self.state.base;
        self.state.stack[base + place as usize] = value;
    }

    /// Runs the script itself; its variables are the first locals.
    pub fn run_main(&mut self, variables: &[Value]) -> Res<Value> {
        let main = &self.program.functions[self.program.main];
        self.state.stack.clear();
        self.state.base = 0;
        self.state.depth = main.depth;
        self.state.operations = 0;
        self.state.next_look = OPERATIONS_PER_LOOK.min(self.state.limits.operations + 1);
        self.state.matched = 0;
        self.state.emitted.clear();
        self.state.stack.extend_from_slice(variables);
        self.state.stack.resize((main.locals as usize).max(variables.len()), Value::Null);
        match self.block(&main.body)? {
            Flow::Return(value) => Ok(value),
            _ => Ok(Value::Null),
        }
    }

    /// Whether scripts may catch it.
    fn is_catchable(fault: &Fault) -> bool {
        matches!(fault.cause, Cause::Thrown(..))
    }
}

/// Adds the place to a failure that has none.
pub fn located<T>(result: Res<T>, at: u32) -> Res<T> {
    result.map_err(|fault| if fault.at == NOWHERE { fault.at(at) } else { fault })
}
