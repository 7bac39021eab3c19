//! What goes wrong while a script is compiled or runs, before it is told as an [`Error`].

use super::heap::Ref;
use quarry_base::error::{Error, ErrorCode};

/// A place in the source that is not known.
pub const NOWHERE: u32 = u32::MAX;

/// Exceptions that scripts can throw, catch and meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exception {
    Arithmetic,
    ArrayIndex,
    ClassCast,
    ConcurrentModification,
    DateTime,
    DateTimeParse,
    Exception,
    IllegalArgument,
    IllegalState,
    IndexOutOfBounds,
    NegativeArraySize,
    NoSuchElement,
    NullPointer,
    NumberFormat,
    PatternSyntax,
    Runtime,
    StringIndex,
    Unsupported,
}

use Exception as E;

/// Name for scripts, the API's type, and the exception that it is a kind of.
const EXCEPTIONS: [(&str, Exception, ErrorCode, Option<Exception>); 18] = [
    ("ArithmeticException", E::Arithmetic, ErrorCode::Arithmetic, Some(E::Runtime)),
    ("ArrayIndexOutOfBoundsException", E::ArrayIndex, ErrorCode::ArrayIndexOutOfBounds, Some(E::IndexOutOfBounds)),
    ("ClassCastException", E::ClassCast, ErrorCode::ClassCast, Some(E::Runtime)),
    ("ConcurrentModificationException", E::ConcurrentModification, ErrorCode::ConcurrentModification, Some(E::Runtime)),
    ("DateTimeException", E::DateTime, ErrorCode::DateTime, Some(E::Runtime)),
    ("DateTimeParseException", E::DateTimeParse, ErrorCode::DateTimeParse, Some(E::DateTime)),
    ("Exception", E::Exception, ErrorCode::Exception, None),
    ("IllegalArgumentException", E::IllegalArgument, ErrorCode::IllegalArgument, Some(E::Runtime)),
    ("IllegalStateException", E::IllegalState, ErrorCode::IllegalState, Some(E::Runtime)),
    ("IndexOutOfBoundsException", E::IndexOutOfBounds, ErrorCode::IndexOutOfBounds, Some(E::Runtime)),
    ("NegativeArraySizeException", E::NegativeArraySize, ErrorCode::NegativeArraySize, Some(E::Runtime)),
    ("NoSuchElementException", E::NoSuchElement, ErrorCode::NoSuchElement, Some(E::Runtime)),
    ("NullPointerException", E::NullPointer, ErrorCode::NullPointer, Some(E::Runtime)),
    ("NumberFormatException", E::NumberFormat, ErrorCode::NumberFormat, Some(E::IllegalArgument)),
    ("PatternSyntaxException", E::PatternSyntax, ErrorCode::PatternSyntax, Some(E::IllegalArgument)),
    ("RuntimeException", E::Runtime, ErrorCode::Runtime, Some(E::Exception)),
    ("StringIndexOutOfBoundsException", E::StringIndex, ErrorCode::StringIndexOutOfBounds, Some(E::IndexOutOfBounds)),
    ("UnsupportedOperationException", E::Unsupported, ErrorCode::UnsupportedOperation, Some(E::Runtime)),
];

impl Exception {
    fn entry(self) -> (&'static str, ErrorCode, Option<Exception>) {
        let found = EXCEPTIONS.iter().find(|(_, exception, _, _)| *exception == self);
        found.map_or(("Exception", ErrorCode::Exception, None), |&(name, _, code, parent)| (name, code, parent))
    }

    /// As scripts write it.
    pub fn name(self) -> &'static str {
        self.entry().0
    }

    pub fn by_name(name: &str) -> Option<Exception> {
        EXCEPTIONS.iter().find(|(known, ..)| *known == name).map(|(_, exception, ..)| *exception)
    }

    pub fn code(self) -> ErrorCode {
        self.entry().1
    }

    /// Whether a `catch` of `other` takes it.
    pub fn is_a(self, other: Exception) -> bool {
        let mut kind = Some(self);
        while let Some(exception) = kind {
            if exception == other {
                return true;
            }
            kind = exception.entry().2;
        }
        false
    }
}

/// Why a script stopped.
#[derive(Debug)]
pub enum Cause {
    /// Scripts may catch it.
    Thrown(Exception, Option<String>),
    /// A budget or a cancellation: nothing catches it.
    Stopped(Error),
    /// A variable of an expression stands for nothing: its text, and why.
    Unlinked(Box<str>, Error),
    /// `Debug.explain`: text and class of the value.
    Explained(String, String),
}

/// A failure and where in the source it came about.
#[derive(Debug)]
pub struct Fault {
    pub cause: Cause,
    /// Byte of the source, or [`NOWHERE`].
    pub at: u32,
    /// The exception object that `throw` was given.
    pub object: Option<Ref>,
}

pub type Res<T> = Result<T, Box<Fault>>;

impl Fault {
    pub fn unlinked(variable: &str, why: Error) -> Box<Fault> {
        Box::new(Fault { cause: Cause::Unlinked(variable.into(), why), at: NOWHERE, object: None })
    }

    pub fn new(exception: Exception, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { cause: Cause::Thrown(exception, Some(message.into())), at: NOWHERE, object: None })
    }

    pub fn without_message(exception: Exception) -> Box<Fault> {
        Box::new(Fault { cause: Cause::Thrown(exception, None), at: NOWHERE, object: None })
    }

    pub fn stopped(error: Error) -> Box<Fault> {
        Box::new(Fault { cause: Cause::Stopped(error), at: NOWHERE, object: None })
    }

    pub fn illegal(message: impl Into<String>) -> Box<Fault> {
        Fault::new(Exception::IllegalArgument, message)
    }

    pub fn class_cast(message: impl Into<String>) -> Box<Fault> {
        Fault::new(Exception::ClassCast, message)
    }

    pub fn null(what: &str) -> Box<Fault> {
        Fault::new(Exception::NullPointer, format!("Cannot invoke \"{what}\" because value is null"))
    }

    /// The place, unless one nearer to the failure is known.
    pub fn at(mut self: Box<Self>, at: u32) -> Box<Self> {
        if self.at == NOWHERE {
            self.at = at;
        }
        self
    }

    /// The failure alone, without script and place.
    pub fn into_cause(self) -> Error {
        match self.cause {
            Cause::Thrown(exception, message) => Error::new(exception.code(), message.unwrap_or_default()),
            Cause::Stopped(error) => error,
            Cause::Unlinked(_, error) => error,
            Cause::Explained(text, _) => Error::new(ErrorCode::PainlessExplain, text),
        }
    }
}

impl From<Error> for Box<Fault> {
    /// What the surroundings refuse a script reaches it as an exception of the same kind.
    fn from(error: Error) -> Self {
        let exception = match error.code {
            ErrorCode::IllegalArgument => Exception::IllegalArgument,
            ErrorCode::IllegalState => Exception::IllegalState,
            ErrorCode::Parse => Exception::DateTimeParse,
            _ => return Fault::stopped(error),
        };
        Fault::new(exception, error.reason)
    }
}
