//! Walks over the members of an object and the elements of an array, for values that read themselves.

use super::parser::Parser;
use crate::sink::DocumentSink;
use quarry_base::error::Error;

impl<S: DocumentSink> Parser<'_, S> {
    /// Calls `take` with the name of each member of the object that comes next; it reads the value. Names that come twice are
    /// refused behind the last member.
    pub(super) fn each_member<E: From<Error>>(
        &mut self,
        mut take: impl FnMut(&mut Self, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut buffer = String::new();
        let frame = self.scratch.keys.open();
        let entered = self.scanner.enter_object();
        let mut more = self.check(entered)?;
        while more {
            let key = self.scanner.key();
            let (key, offset) = self.check(key)?;
            self.scratch.keys.add(key, offset);
            take(self, key.decode(&mut buffer))?;
            let next = self.scanner.next_member();
            more = self.check(next)?;
        }
        let closed = self.scratch.keys.close(frame, self.scanner.text());
        Ok(self.check(closed)?)
    }

    /// Calls `take` for each element of the array that comes next; it reads the element.
    #[inline]
    pub(super) fn each_element<E: From<Error>>(
        &mut self,
        mut take: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let entered = self.scanner.enter_array();
        let mut more = self.check(entered)?;
        while more {
            take(self)?;
            let next = self.scanner.next_element();
            more = self.check(next)?;
        }
        Ok(())
    }
}
