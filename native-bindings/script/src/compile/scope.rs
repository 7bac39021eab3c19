//! Variables that are in sight while a function is compiled.

use crate::types::Type;

#[derive(Debug, Clone, Copy)]
pub struct Variable {
    pub place: u32,
    pub of: Type,
    /// A lambda may read what it has captured, and not change it.
    pub is_captured: bool,
}

/// The function that is being compiled.
#[derive(Debug)]
pub struct Frame {
    /// Name, variable; later ones hide nothing: a name is declared once among those in sight.
    variables: Vec<(Box<str>, Variable)>,
    /// Where each block begins in `variables`.
    blocks: Vec<usize>,
    next: u32,
    /// Places needed at once.
    pub locals: u32,
    pub is_lambda: bool,
    /// The script itself.
    pub is_main: bool,
    /// Of a lambda: places in the enclosing function, and here.
    pub captured: Vec<(u32, u32)>,
    pub returns: Type,
    pub depth: u32,
}

impl Frame {
    pub fn new(is_lambda: bool, returns: Type) -> Self {
        Frame {
            variables: Vec::new(),
            blocks: Vec::new(),
            next: 0,
            locals: 0,
            is_lambda,
            is_main: false,
            captured: Vec::new(),
            returns,
            depth: 0,
        }
    }

    pub fn find(&self, name: &str) -> Option<Variable> {
        self.variables.iter().rev().find(|(known, _)| &**known == name).map(|(_, variable)| *variable)
    }

    pub fn declare(&mut self, name: &str, of: Type) -> Variable {
        let variable = Variable { place: self.next, of, is_captured: false };
        self.variables.push((name.into(), variable));
        self.next += 1;
        self.locals = self.locals.max(self.next);
        variable
    }

    /// A variable of the enclosing function, seen from a lambda.
    pub fn capture(&mut self, name: &str, outer: Variable) -> Variable {
        let own = self.declare(name, outer.of);
        self.captured.push((outer.place, own.place));
        if let Some((_, variable)) = self.variables.last_mut() {
            variable.is_captured = true;
        }
        Variable { is_captured: true, ..own }
    }

    pub fn open(&mut self) {
        self.blocks.push(self.variables.len());
    }

    /// Places are not used again: a lambda may have been compiled with what they held.
    pub fn close(&mut self) {
        let length = self.blocks.pop().unwrap_or(0);
        self.variables.truncate(length);
    }
}
