//! Work behind a pointer: what is done around work of many kinds is compiled once, not for each of them.

use crate::error::{Error, Result};

/// Has `run` do the work, which it may do once at most; gives what the work made. Errors: those of the work and of `run`; `Internal` where `run`
/// ends well without having done the work.
#[inline]
pub fn erased<T>(
    work: impl FnOnce() -> Result<T>,
    run: impl FnOnce(&mut dyn FnMut() -> Result<()>) -> Result<()>,
) -> Result<T> {
    let (mut work, mut made) = (Some(work), None);
    run(&mut || {
        made = work.take().map(|work| work()).transpose()?;
        Ok(())
    })?;
    made.ok_or_else(|| Error::internal("work was not done"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_what_was_made_or_why_not() {
        let failing = || Err::<u8, _>(Error::illegal_state("closed"));
        assert_eq!(erased(|| Ok(7), |work| work()).unwrap(), 7);
        assert!(erased(failing, |work| work()).unwrap_err().to_string().contains("closed"));
        assert!(erased(|| Ok(7), |_| failing().map(drop)).unwrap_err().to_string().contains("closed"));
        assert!(erased(|| Ok(7), |_| Ok(())).unwrap_err().to_string().contains("not done"));
        assert!(erased(|| Ok(7), |work| work().and_then(|()| work())).is_err());
    }
}
