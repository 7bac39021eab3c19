//! A compiled script: names are places, conversions are written out. Shared between threads.

use super::context::Context;
use super::expression::link::Variable;
use super::fault::Exception;
use super::heap::Value;
use super::heap::object::Element;
use super::heap::regexes::CompiledPattern;
use super::library::extract::Extractor;
use super::types::{ClassName, Type};
use std::sync::Arc;

/// What every program has.
#[derive(Debug)]
pub struct Program {
    pub lang: &'static str,
    pub source: Arc<str>,
    pub context: &'static Context,
    pub functions: Vec<FunctionBody>,
    /// Place of the script itself in `functions`.
    pub main: usize,
    /// Texts of the source; each is one object of a running script.
    pub texts: Vec<Arc<str>>,
    pub patterns: Vec<Arc<CompiledPattern>>,
    /// What `grok(..)` and `dissect(..)` give.
    pub extractors: Vec<Arc<Extractor>>,
    /// Fields that `doc` is asked for by a constant name.
    pub fields: Vec<Box<str>>,
    /// `doc` is also asked in ways that do not tell of which field: names that are computed, `containsKey`.
    pub reads_any_field: bool,
    /// Where statements begin, ascending.
    pub statements: Vec<u32>,
    /// The script reads `_score`.
    pub uses_score: bool,
    /// Regular expressions look at so many characters for each of the text: `script.painless.regex.limit-factor`.
    pub regex_limit_factor: Option<u32>,
}

/// A function of the script, a lambda, or the script itself.
#[derive(Debug)]
pub struct FunctionBody {
    pub name: Box<str>,
    /// The first locals are the parameters, of these types.
    pub parameters: Vec<Type>,
    /// Places of what a lambda has captured.
    pub captured: Vec<u32>,
    pub returns: Type,
    pub locals: u32,
    /// Nesting of its statements and expressions.
    pub depth: u32,
    pub body: Vec<Statement>,
}

#[derive(Debug)]
pub enum Statement {
    Expression(Expression),
    Return(Option<Expression>),
    If(Expression, Vec<Statement>, Vec<Statement>),
    While { condition: Option<Expression>, body: Vec<Statement>, at: u32 },
    DoWhile { body: Vec<Statement>, condition: Expression, at: u32 },
    For(Box<ForLoop>),
    ForEach(Box<ForEachLoop>),
    Block(Vec<Statement>),
    Break,
    Continue,
    Throw(Expression, u32),
    Try { body: Vec<Statement>, catches: Vec<Catch> },
}

#[derive(Debug)]
pub struct ForLoop {
    pub start: Vec<Expression>,
    pub condition: Option<Expression>,
    pub step: Option<Expression>,
    pub body: Vec<Statement>,
    pub at: u32,
}

#[derive(Debug)]
pub struct ForEachLoop {
    pub variable: u32,
    pub of: Type,
    pub over: Expression,
    pub body: Vec<Statement>,
    pub at: u32,
}

#[derive(Debug)]
pub struct Catch {
    pub exception: Exception,
    pub variable: u32,
    pub body: Vec<Statement>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    Same,
    NotSame,
    BitAnd,
    BitOr,
    BitXor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    Minus,
    Plus,
    Not,
    Complement,
}

#[derive(Debug)]
pub enum Expression {
    /// A primitive or null.
    Literal(Value),
    Text(u32),
    Pattern(u32),
    Extractor(u32),
    Local(u32),
    /// Sets a local to a value that has its type already.
    SetLocal(u32, Box<Expression>),
    Unary(Unary, Box<Expression>, u32),
    Binary(Box<Binary>),
    And(Box<(Expression, Expression)>),
    Or(Box<(Expression, Expression)>),
    Choice(Box<(Expression, Expression, Expression)>),
    Elvis(Box<(Expression, Expression)>),
    Convert(Box<Conversion>),
    InstanceOf(Box<Expression>, Type),
    Find(Box<(Expression, Expression)>, u32),
    Matches(Box<(Expression, Expression)>, u32),
    Member(Box<Member>),
    Index(Box<Index>),
    Call(Box<Call>),
    CallStatic(Box<StaticCall>),
    CallUser {
        function: u32,
        arguments: Vec<Expression>,
        at: u32,
    },
    New(Box<NewObject>),
    NewArray(Box<NewArray>),
    ArrayOf(Element, Vec<Expression>),
    List(Vec<Expression>),
    Map(Vec<(Expression, Expression)>),
    Lambda {
        function: u32,
        captured: Box<[u32]>,
    },
    Reference(Box<Reference>),
    Assign(Box<Assign>),
    /// `doc['name'].value` of a constant name.
    FieldValue(u32, u32),
    /// `doc['name']` of a constant name.
    Field(u32, u32),
    /// `field('name')` of a constant name.
    ScriptField(u32, u32),
    /// `field(..)` of a name that is computed.
    ScriptFieldOf(Box<Expression>, u32),
    /// Of the language `expression`.
    Variable(Box<Variable>),
    Score,
}

#[derive(Debug)]
pub struct Binary {
    pub operator: Operator,
    pub left: Expression,
    pub right: Expression,
    pub at: u32,
}

#[derive(Debug)]
pub struct Conversion {
    pub value: Expression,
    pub to: Type,
    /// A cast, which may lose digits.
    pub explicit: bool,
    pub at: u32,
}

#[derive(Debug)]
pub struct Member {
    pub object: Expression,
    pub name: Arc<str>,
    pub null_safe: bool,
    pub at: u32,
}

#[derive(Debug)]
pub struct Index {
    pub object: Expression,
    pub index: Expression,
    pub at: u32,
}

#[derive(Debug)]
pub struct Call {
    pub object: Expression,
    pub name: Arc<str>,
    pub arguments: Vec<Expression>,
    pub null_safe: bool,
    pub at: u32,
}

#[derive(Debug)]
pub struct StaticCall {
    pub class: ClassName,
    pub name: Arc<str>,
    pub arguments: Vec<Expression>,
    pub at: u32,
}

#[derive(Debug)]
pub struct NewObject {
    pub class: ClassName,
    pub arguments: Vec<Expression>,
    pub at: u32,
}

#[derive(Debug)]
pub struct NewArray {
    pub element: Type,
    pub sizes: Vec<Expression>,
    pub at: u32,
}

#[derive(Debug)]
pub enum Reference {
    OfClass { class: ClassName, method: Arc<str> },
    OfObject { object: Expression, method: Arc<str> },
    Constructor { class: ClassName },
    NewArray { element: Type },
    User { function: u32 },
}

/// What an assignment changes.
#[derive(Debug)]
pub enum Target {
    Local(u32),
    Member { object: Expression, name: Arc<str> },
    Index { object: Expression, index: Expression },
}

#[derive(Debug)]
pub struct Assign {
    pub target: Target,
    /// `None`: plain assignment.
    pub operator: Option<Operator>,
    pub value: Expression,
    /// What the result of a compound assignment is cast to.
    pub cast: Type,
    /// The value of the expression is the old one: `x++`.
    pub is_postfix: bool,
    pub at: u32,
}
