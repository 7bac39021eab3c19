//! Lambdas, references to methods, functions of the script.

use super::lexer::Token;
use super::scope::Frame;
use super::{Compiler, Signature, Typed};
use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::library::extract::{self, Extractor};
use crate::library::score;
use crate::tree::{Call, Expression, FunctionBody, Reference, Statement, StaticCall};
use crate::types::{ClassName, Type};
use std::sync::Arc;

/// Functions and lambdas of one script.
const FUNCTIONS_MAX: usize = 1_000;

impl Compiler<'_> {
    /// `type name(` with parameters and a block.
    pub(super) fn is_function_ahead(&self) -> bool {
        let Some((_, taken)) = self.type_ahead(0) else { return false };
        matches!(self.ahead(taken), Token::Word(word) if !super::is_keyword(word)) && self.is_sign_ahead(taken + 1, "(")
    }

    pub(super) fn function(&mut self) -> Res<()> {
        let Some((returns, taken)) = self.type_ahead(0) else { return Err(self.unexpected(&[])) };
        self.place += taken;
        let at = self.at();
        let name = self.name()?;
        self.frames.push(Frame::new(false, returns));
        let parameters = self.parameters()?;
        let function = self.signature(&name, parameters.len(), at);
        let taken_already = self.functions[function as usize].is_some();
        if taken_already {
            let reason = format!("Duplicate functions with name [{name}] and arity [{}].", parameters.len());
            return Err(Fault::illegal(reason).at(at));
        }
        if let Some(known) = self.signatures.iter_mut().find(|known| known.function == function) {
            known.returns = Some(returns);
        }
        let mut body = self.block()?;
        if returns != Type::Void {
            super::statements::return_last(&mut body);
        }
        let body = self.finished(name, parameters, returns, body);
        self.functions[function as usize] = Some(body);
        Ok(())
    }

    /// Ends the innermost frame.
    fn finished(&mut self, name: Box<str>, parameters: Vec<Type>, returns: Type, body: Vec<Statement>) -> FunctionBody {
        let frame = self.frames.pop().unwrap_or_else(|| Frame::new(false, returns));
        let captured = frame.captured.iter().map(|(_, own)| *own).collect();
        FunctionBody { name, parameters, captured, returns, locals: frame.locals, depth: frame.depth.max(1), body }
    }

    fn parameters(&mut self) -> Res<Vec<Type>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.accept(")") {
            if !parameters.is_empty() {
                self.expect(",")?;
            }
            let Some((of, taken)) = self.type_ahead(0) else { return Err(self.unexpected(&[])) };
            self.place += taken;
            let at = self.at();
            let name = self.name()?;
            self.declare(&name, of, at)?;
            parameters.push(of);
        }
        Ok(parameters)
    }

    /// The place of a function, which may be written further down.
    fn signature(&mut self, name: &str, arity: usize, at: u32) -> u32 {
        let known = self.signatures.iter().find(|known| &*known.name == name && known.arity == arity);
        if let Some(known) = known {
            return known.function;
        }
        let function = self.functions.len() as u32;
        self.functions.push(None);
        self.signatures.push(Signature { name: name.into(), arity, function, called_at: at, returns: None });
        function
    }

    /// `name(..)`: a function of the script, or `emit`.
    pub(super) fn call_of_user(&mut self, name: &str, at: u32) -> Res<Typed> {
        let arguments = self.arguments()?;
        // Names and values: also as a map of them.
        let of_map = self.context.name == "composite_field" && arguments.len() == 1;
        if name == "emit" && (of_map || self.context.emits == Some(arguments.len())) {
            let expression = Expression::CallUser { function: EMIT, arguments, at };
            return Ok(Typed { expression, of: Type::Void, at });
        }
        let is_own = self.signatures.iter().any(|known| *known.name == *name && known.arity == arguments.len());
        if self.context.name == "score"
            && !is_own
            && score::is_known(name, arguments.len())
            && let Some(class) = ClassName::find(score::CLASS)
        {
            let expression = Expression::CallStatic(Box::new(StaticCall { class, name: name.into(), arguments, at }));
            return Ok(Typed { expression, of: Type::Double, at });
        }
        if !is_own
            && self.context.has_doc
            && self.is_main()
            && matches!((name, arguments.len()), ("field", 1) | ("$", 2))
        {
            return Ok(self.script_field(arguments, at));
        }
        if !is_own && self.context.emits.is_some() && extract::is_known(name, arguments.len()) {
            return self.extractor(name, &arguments, at);
        }
        let function = self.signature(name, arguments.len(), at);
        let known = self.signatures.iter().find(|known| known.function == function);
        let of = known.and_then(|known| known.returns).unwrap_or(Type::Def);
        Ok(Typed { expression: Expression::CallUser { function, arguments, at }, of, at })
    }

    /// `grok(pattern)`, `dissect(pattern)` and `dissect(pattern, separator)`, made once.
    fn extractor(&mut self, name: &str, arguments: &[Expression], at: u32) -> Res<Typed> {
        let mut texts = Vec::with_capacity(arguments.len());
        for (place, argument) in arguments.iter().enumerate() {
            let Expression::Text(text) = argument else {
                let reason =
                    format!("all arguments to [{name}] must be constant but the [{}] argument is not", place + 1);
                return Err(Fault::illegal(reason).at(at));
            };
            texts.push(Arc::clone(&self.texts[*text as usize]));
        }
        let extractor = Extractor::new(name, &texts).map_err(|error| Fault::illegal(error.reason).at(at))?;
        self.extractors.push(Arc::new(extractor));
        let expression = Expression::Extractor((self.extractors.len() - 1) as u32);
        Ok(Typed { expression, of: Type::Def, at })
    }

    /// `field(name)`, and `$(name, default)`, which is the same as `field(name).get(default)`.
    fn script_field(&mut self, arguments: Vec<Expression>, at: u32) -> Typed {
        let mut arguments = arguments.into_iter();
        self.doc_uses += 1;
        let object = match arguments.next() {
            Some(Expression::Text(text)) => {
                let name = Arc::clone(&self.texts[text as usize]);
                Expression::ScriptField(self.field_place(&name), at)
            }
            name => Expression::ScriptFieldOf(Box::new(name.unwrap_or(Expression::Literal(Value::Null))), at),
        };
        let expression = match arguments.next() {
            None => object,
            Some(default) => {
                let call = Call { object, name: "get".into(), arguments: vec![default], null_safe: false, at };
                Expression::Call(Box::new(call))
            }
        };
        Typed { expression, of: Type::Def, at }
    }

    /// An argument of a call: an expression, a lambda or a reference.
    pub(super) fn argument(&mut self) -> Res<Expression> {
        if self.is_lambda_ahead() {
            return self.nested(Self::lambda);
        }
        if let Some(reference) = self.reference()? {
            return Ok(reference);
        }
        self.untyped()
    }

    /// `x ->`, `(x, y) ->`, `() ->`, `(int x) ->`.
    pub(super) fn is_lambda_ahead(&self) -> bool {
        if matches!(self.token(), Token::Word(_)) {
            return self.is_sign_ahead(1, "->");
        }
        if !self.is_sign("(") {
            return false;
        }
        let mut ahead = 1;
        while let Token::Word(_) | Token::Sign("," | "." | "[" | "]") = self.ahead(ahead) {
            ahead += 1;
        }
        self.is_sign_ahead(ahead, ")") && self.is_sign_ahead(ahead + 1, "->")
    }

    fn lambda(&mut self) -> Res<Expression> {
        if self.functions.len() >= FUNCTIONS_MAX {
            return Err(Fault::illegal(format!("a script has at most [{FUNCTIONS_MAX}] functions")).at(self.at()));
        }
        self.frames.push(Frame::new(true, Type::Def));
        let parameters = self.lambda_parameters()?;
        self.expect("->")?;
        let loops = std::mem::take(&mut self.loops);
        let body = if self.is_sign("{") {
            let mut body = self.block()?;
            super::statements::return_last(&mut body);
            body
        } else {
            vec![Statement::Return(Some(self.expression()?.expression))]
        };
        self.loops = loops;
        let captured: Box<[u32]> = self.frame().captured.iter().map(|(outer, _)| *outer).collect();
        let body = self.finished("lambda".into(), parameters, Type::Def, body);
        self.functions.push(Some(body));
        Ok(Expression::Lambda { function: (self.functions.len() - 1) as u32, captured })
    }

    fn lambda_parameters(&mut self) -> Res<Vec<Type>> {
        let mut parameters = Vec::new();
        if !self.accept("(") {
            let at = self.at();
            let name = self.name()?;
            self.declare(&name, Type::Def, at)?;
            return Ok(vec![Type::Def]);
        }
        while !self.accept(")") {
            if !parameters.is_empty() {
                self.expect(",")?;
            }
            let typed = self.type_ahead(0).filter(|(_, taken)| matches!(self.ahead(*taken), Token::Word(_)));
            let (of, taken) = typed.unwrap_or((Type::Def, 0));
            self.place += taken;
            let at = self.at();
            let name = self.name()?;
            self.declare(&name, of, at)?;
            parameters.push(of);
        }
        Ok(parameters)
    }

    /// `Class::method`, `Class::new`, `int[]::new`, `this::name`, `variable::method`.
    fn reference(&mut self) -> Res<Option<Expression>> {
        let at = self.at();
        if self.is_word("this") && self.is_sign_ahead(1, "::") {
            self.place += 2;
            let name = self.name()?;
            let known = self.signatures.iter().find(|known| known.name == name);
            let Some(known) = known else {
                return Err(Fault::illegal(format!("function reference [this::{name}] not found")).at(at));
            };
            return Ok(Some(Expression::Reference(Box::new(Reference::User { function: known.function }))));
        }
        if let Token::Word(word) = self.token().clone()
            && self.is_sign_ahead(1, "::")
            && let Some(variable) = self.variable(&word)
        {
            self.place += 2;
            let method: Arc<str> = Arc::from(&*self.name()?);
            let reference = Reference::OfObject { object: Expression::Local(variable.place), method };
            return Ok(Some(Expression::Reference(Box::new(reference))));
        }
        let Some((of, taken)) = self.type_ahead(0) else { return Ok(None) };
        if !self.is_sign_ahead(taken, "::") {
            return Ok(None);
        }
        self.place += taken + 1;
        let is_constructor = self.accept_word("new");
        let reference = match of {
            Type::Array(..) if is_constructor => Reference::NewArray { element: of.item() },
            _ => {
                let class = class_of_type(of);
                let Some(class) = class else { return Err(self.unexpected(&[])) };
                if is_constructor {
                    Reference::Constructor { class }
                } else {
                    Reference::OfClass { class, method: Arc::from(&*self.name()?) }
                }
            }
        };
        Ok(Some(Expression::Reference(Box::new(reference))))
    }
}

/// The function that stands for `emit`.
pub(crate) const EMIT: u32 = u32::MAX;

fn class_of_type(of: Type) -> Option<ClassName> {
    match of {
        Type::Class(class) => Some(class),
        Type::Text => ClassName::find("String"),
        Type::Def => ClassName::find("Object"),
        Type::Int => ClassName::find("Integer"),
        Type::Long => ClassName::find("Long"),
        Type::Double => ClassName::find("Double"),
        Type::Float => ClassName::find("Float"),
        Type::Bool => ClassName::find("Boolean"),
        _ => None,
    }
}
