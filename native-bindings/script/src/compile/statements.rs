//! Statements.

use super::lexer::Token;
use super::{Compiler, Typed};
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::tree::{Catch, Expression, ForEachLoop, ForLoop, Statement};
use crate::types::Type;

/// The value of the last statement is the value of the script.
pub(super) fn return_last(body: &mut [Statement]) {
    let Some(last) = body.last_mut() else { return };
    match last {
        Statement::Expression(_) => {
            if let Statement::Expression(value) = std::mem::replace(last, Statement::Break) {
                *last = Statement::Return(Some(value));
            }
        }
        Statement::If(_, then, other) => {
            return_last(then);
            return_last(other);
        }
        Statement::Block(body) => return_last(body),
        Statement::Try { body, catches } => {
            return_last(body);
            catches.iter_mut().for_each(|catch| return_last(&mut catch.body));
        }
        _ => {}
    }
}

impl Compiler<'_> {
    pub(super) fn statements_until_end(&mut self) -> Res<Vec<Statement>> {
        let mut body = Vec::new();
        while *self.token() != Token::End {
            self.statement(&mut body)?;
        }
        Ok(body)
    }

    /// `{ .. }`.
    pub(super) fn block(&mut self) -> Res<Vec<Statement>> {
        self.expect("{")?;
        self.block_of(|compiler| {
            let mut body = Vec::new();
            while !compiler.accept("}") {
                compiler.statement(&mut body)?;
            }
            Ok(body)
        })
    }

    /// A block, or one statement.
    fn trailer(&mut self) -> Res<Vec<Statement>> {
        if self.is_sign("{") {
            return self.block();
        }
        self.block_of(|compiler| {
            let mut body = Vec::new();
            compiler.statement(&mut body)?;
            Ok(body)
        })
    }

    fn looped(&mut self) -> Res<Vec<Statement>> {
        self.loops += 1;
        let body = if self.accept(";") { Ok(Vec::new()) } else { self.trailer() };
        self.loops -= 1;
        body
    }

    fn statement(&mut self, body: &mut Vec<Statement>) -> Res<()> {
        self.nested(|compiler| compiler.statement_inside(body))
    }

    fn statement_inside(&mut self, body: &mut Vec<Statement>) -> Res<()> {
        let at = self.at();
        self.statements.push(at);
        let Token::Word(word) = self.token() else {
            if self.is_sign("{") {
                let block = self.block()?;
                body.push(Statement::Block(block));
                return Ok(());
            }
            return self.simple_statement(body);
        };
        match &**word {
            "if" => {
                self.advance();
                body.push(self.if_statement()?);
            }
            "while" => {
                self.advance();
                let condition = self.in_parentheses()?;
                let inner = self.looped()?;
                body.push(Statement::While { condition: Some(condition), body: inner, at });
            }
            "do" => {
                self.advance();
                self.loops += 1;
                let inner = self.block();
                self.loops -= 1;
                let inner = inner?;
                if !self.accept_word("while") {
                    return Err(self.unexpected(&["while"]));
                }
                let condition = self.in_parentheses()?;
                self.end_of_statement()?;
                body.push(Statement::DoWhile { body: inner, condition, at });
            }
            "for" => {
                self.advance();
                self.frame().open();
                let statement = self.for_statement(at);
                self.frame().close();
                body.push(statement?);
            }
            "try" => {
                self.advance();
                body.push(self.try_statement()?);
            }
            _ => return self.simple_statement(body),
        }
        Ok(())
    }

    /// One that ends with a semicolon.
    fn simple_statement(&mut self, body: &mut Vec<Statement>) -> Res<()> {
        let at = self.at();
        if self.accept_word("return") {
            let value = if self.is_end() { None } else { Some(self.returned()?) };
            body.push(Statement::Return(value));
        } else if self.is_word("break") || self.is_word("continue") {
            let is_break = self.is_word("break");
            if self.loops == 0 {
                let word = if is_break { "break" } else { "continue" };
                return Err(Fault::illegal(format!("invalid {word} statement: not inside loop")).at(at));
            }
            self.advance();
            body.push(if is_break { Statement::Break } else { Statement::Continue });
        } else if self.accept_word("throw") {
            let value = self.expression()?;
            body.push(Statement::Throw(value.expression, at));
        } else if self.is_declaration() {
            for set in self.declaration()? {
                body.push(Statement::Expression(set));
            }
        } else {
            let value = self.expression()?;
            body.push(Statement::Expression(value.expression));
        }
        self.end_of_statement()
    }

    fn is_end(&self) -> bool {
        self.is_sign(";") || self.is_sign("}") || *self.token() == Token::End
    }

    /// The last statement of a block needs no semicolon.
    fn end_of_statement(&mut self) -> Res<()> {
        if self.accept(";") || self.is_end() { Ok(()) } else { Err(self.unexpected(&[])) }
    }

    fn returned(&mut self) -> Res<Expression> {
        let value = self.expression()?;
        let returns = self.frame().returns;
        if returns == Type::Void {
            return Err(Fault::illegal("Cannot return a value from a void function.").at(value.at));
        }
        self.assigned(value, returns)
    }

    pub(super) fn condition(&mut self) -> Res<Expression> {
        let value = self.expression()?;
        self.assigned(value, Type::Bool)
    }

    fn in_parentheses(&mut self) -> Res<Expression> {
        self.expect("(")?;
        let condition = self.condition()?;
        self.expect(")")?;
        Ok(condition)
    }

    fn if_statement(&mut self) -> Res<Statement> {
        let condition = self.in_parentheses()?;
        let then = self.trailer()?;
        let other = if self.accept_word("else") { self.trailer()? } else { Vec::new() };
        Ok(Statement::If(condition, then, other))
    }

    /// `type name`, where the type is known.
    fn is_declaration(&self) -> bool {
        let Some((_, taken)) = self.type_ahead(0) else { return false };
        matches!(self.ahead(taken), Token::Word(word) if !super::is_keyword(word))
    }

    /// `type a = .., b`.
    fn declaration(&mut self) -> Res<Vec<Expression>> {
        let Some((of, taken)) = self.type_ahead(0) else { return Err(self.unexpected(&[])) };
        self.place += taken;
        let mut sets = Vec::new();
        loop {
            let at = self.at();
            let name = self.name()?;
            let value = if self.accept("=") { self.initial(of)? } else { Expression::Literal(default_of(of)) };
            let variable = self.declare(&name, of, at)?;
            sets.push(Expression::SetLocal(variable.place, Box::new(value)));
            if !self.accept(",") {
                return Ok(sets);
            }
        }
    }

    /// A lambda has the type that is declared.
    fn initial(&mut self, of: Type) -> Res<Expression> {
        if matches!(of, Type::Class(_)) && self.is_lambda_ahead() {
            return self.argument();
        }
        let value = self.expression()?;
        self.assigned(value, of)
    }

    fn for_statement(&mut self, at: u32) -> Res<Statement> {
        self.expect("(")?;
        if let Some(each) = self.for_each(at)? {
            return Ok(each);
        }
        let start = if self.is_sign(";") {
            Vec::new()
        } else if self.is_declaration() {
            self.declaration()?
        } else {
            vec![self.expression()?.expression]
        };
        self.expect(";")?;
        let condition = if self.is_sign(";") { None } else { Some(self.condition()?) };
        self.expect(";")?;
        let step = if self.is_sign(")") { None } else { Some(self.expression()?.expression) };
        self.expect(")")?;
        let body = self.looped()?;
        Ok(Statement::For(Box::new(ForLoop { start, condition, step, body, at })))
    }

    /// `for (type name : ..)` or `for (name in ..)`.
    fn for_each(&mut self, at: u32) -> Res<Option<Statement>> {
        let (of, taken) = match self.type_ahead(0) {
            Some((of, taken)) if self.is_sign_ahead(taken + 1, ":") => (of, taken),
            _ if matches!(self.ahead(1), Token::Word(word) if &**word == "in") => (Type::Def, 0),
            _ => return Ok(None),
        };
        self.place += taken;
        let name_at = self.at();
        let name = self.name()?;
        self.advance();
        let over = self.expression()?.expression;
        self.expect(")")?;
        let variable = self.declare(&name, of, name_at)?.place;
        let body = self.looped()?;
        Ok(Some(Statement::ForEach(Box::new(ForEachLoop { variable, of, over, body, at }))))
    }

    fn try_statement(&mut self) -> Res<Statement> {
        let body = self.block()?;
        let mut catches = Vec::new();
        while self.accept_word("catch") {
            self.expect("(")?;
            let at = self.at();
            let Some((Type::Class(class), taken)) = self.type_ahead(0) else { return Err(self.unexpected(&[])) };
            let Some(exception) = class.exception() else {
                let reason = format!("cannot cast from [{}] to [java.lang.Exception]", class.full());
                return Err(Fault::new(Exception::ClassCast, reason).at(at));
            };
            self.place += taken;
            self.frame().open();
            let name_at = self.at();
            let name = self.name()?;
            let variable = self.declare(&name, Type::Class(class), name_at)?.place;
            self.expect(")")?;
            let caught = self.block();
            self.frame().close();
            catches.push(Catch { exception, variable, body: caught? });
        }
        if catches.is_empty() {
            return Err(self.unexpected(&["catch"]));
        }
        Ok(Statement::Try { body, catches })
    }

    /// An expression where nothing is known of the type that is wanted.
    pub(super) fn untyped(&mut self) -> Res<Expression> {
        let Typed { expression, of, at } = self.expression()?;
        if of == Type::Void {
            return Err(Fault::class_cast("Cannot cast from [void] to [def].").at(at));
        }
        Ok(expression)
    }
}

fn default_of(of: Type) -> Value {
    match of {
        Type::Bool => Value::Bool(false),
        Type::Byte => Value::Byte(0),
        Type::Short => Value::Short(0),
        Type::Char => Value::Char(0),
        Type::Int => Value::Int(0),
        Type::Long => Value::Long(0),
        Type::Float => Value::Float(0.0),
        Type::Double => Value::Double(0.0),
        _ => Value::Null,
    }
}
