//! Faults as the API tells them: `script_exception` with the script and the place.

use super::fault::{Cause, Fault, NOWHERE};
use super::tree::Program;
use quarry_base::error::{Error, ErrorCode, ScriptPosition, ScriptTrace};

/// Characters of the script around the place of a compile error.
const CONTEXT_CHARACTERS: usize = 25;

/// UTF-16 units before a byte.
fn units(source: &str, byte: usize) -> usize {
    source[..floor(source, byte)].encode_utf16().count()
}

/// The character boundary at or before a byte.
fn floor(source: &str, byte: usize) -> usize {
    let mut byte = byte.min(source.len());
    while !source.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

fn pointer(spaces: usize) -> String {
    format!("{}^---- HERE", " ".repeat(spaces))
}

/// `compile error`.
pub fn of_compilation(source: &str, lang: &str, fault: Fault) -> Error {
    let at = fault.at;
    let mut trace = trace_of(source, lang);
    if at == NOWHERE {
        trace.stack.push("<<< unknown portion of script >>>".into());
    } else {
        let characters: Vec<char> = source.chars().collect();
        let offset = source[..floor(source, at as usize)].chars().count();
        let start = offset.saturating_sub(CONTEXT_CHARACTERS);
        let end = (offset + CONTEXT_CHARACTERS).min(characters.len());
        let shown: String = characters[start..end].iter().collect();
        let (before, after) = (if start > 0 { "... " } else { "" }, if end < characters.len() { " ..." } else { "" });
        trace.stack.push(format!("{before}{shown}{after}"));
        trace.stack.push(pointer(before.len() + offset - start));
        trace.position = Some(ScriptPosition { offset, start, end });
    }
    Error::new(ErrorCode::Script, "compile error").caused_by(fault.into_cause()).in_script(trace)
}

/// `runtime error`; what stops a whole request stays what it is.
pub fn of_run(program: &Program, fault: Fault) -> Error {
    if let Cause::Stopped(error) = &fault.cause
        && !matches!(error.code, ErrorCode::Painless | ErrorCode::StackOverflow | ErrorCode::CircuitBreaking)
    {
        return error.clone();
    }
    let source = &*program.source;
    let mut trace = trace_of(source, program.lang);
    if let Cause::Unlinked(variable, _) = &fault.cause {
        trace.stack = vec![variable.to_string(), pointer(0)];
        return Error::new(ErrorCode::Script, "link error").caused_by(fault.into_cause()).in_script(trace);
    }
    if fault.at == NOWHERE {
        trace.stack.push("<<< unknown portion of script >>>".into());
    } else {
        let at = floor(source, fault.at as usize);
        let after = program.statements.partition_point(|&start| start as usize <= at);
        let start = after.checked_sub(1).map_or(0, |place| program.statements[place] as usize);
        let end = program.statements.get(after).map_or(source.len(), |&next| next as usize);
        trace.stack.push(source[floor(source, start)..floor(source, end)].to_owned());
        trace.stack.push(pointer(units(source, at) - units(source, start)));
        let (offset, start, end) = (units(source, at), units(source, start), units(source, end));
        trace.position = Some(ScriptPosition { offset, start, end });
    }
    if let Cause::Explained(text, class) = &fault.cause {
        trace.explained = Some((text.clone(), class.clone()));
    }
    Error::new(ErrorCode::Script, "runtime error").caused_by(fault.into_cause()).in_script(trace)
}

fn trace_of(source: &str, lang: &str) -> ScriptTrace {
    ScriptTrace { stack: Vec::new(), source: source.into(), lang: lang.into(), position: None, explained: None }
}
