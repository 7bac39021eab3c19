//! One script over many documents that are JSON: what ingest, reindex and changes by query do to `ctx`.

use super::context::{Context, Returns};
use super::env::Env;
use super::heap::Value;
use super::instance::Instance;
use super::limits::OPERATIONS_PER_CALL;
use super::spec::ScriptSpec;
use quarry_base::error::{Error, ErrorCode, Result};

/// Place of `ctx` among the variables of the contexts that have it.
const CTX: usize = 1;

/// What became of one document.
#[derive(Debug)]
pub enum Outcome {
    /// `ctx` as the script left it, JSON.
    Changed(String),
    /// Of a condition.
    Answered(bool),
    /// The script failed on this document; the others do not care.
    Failed(Error),
}

/// No document of a shard, but somebody who waits.
struct Caller<'a> {
    is_cancelled: &'a dyn Fn() -> bool,
}

impl Env for Caller<'_> {
    fn is_cancelled(&self) -> bool {
        (self.is_cancelled)()
    }
}

/// Runs the script once for each `ctx` (a JSON object), in order. There are fewer outcomes than documents when the call has
/// taken long enough ([`OPERATIONS_PER_CALL`]): call again with the rest. There is always one if there is a document.
///
/// Errors: those of [`ScriptSpec::instance`], `TaskCancelled`; `IllegalArgument` for a context without `ctx`.
pub fn run(
    spec: &ScriptSpec,
    context: &'static Context,
    documents: &[String],
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Outcome>> {
    if context.variables.get(CTX) != Some(&"ctx") {
        return Err(Error::illegal_argument(format!("scripts of the context [{}] have no [ctx]", context.name)));
    }
    let mut instance = spec.instance(context)?;
    let mut outcomes = Vec::with_capacity(documents.len());
    let mut operations = 0u32;
    for document in documents {
        match run_one(&mut instance, document, &mut Caller { is_cancelled }) {
            Err(error) if error.code == ErrorCode::TaskCancelled => return Err(error),
            Err(error) => outcomes.push(Outcome::Failed(error)),
            Ok(outcome) => outcomes.push(outcome),
        }
        operations = operations.saturating_add(instance.operations());
        instance.set(CTX, Value::Null);
        instance.forget();
        if operations >= OPERATIONS_PER_CALL {
            break;
        }
    }
    Ok(outcomes)
}

fn run_one(instance: &mut Instance, document: &str, caller: &mut Caller<'_>) -> Result<Outcome> {
    let ctx: serde_json::Value = quarry_base::deep_json::from_str(document)
        .map_err(|error| Error::illegal_argument(format!("[ctx] of a script cannot be read: {error}")))?;
    if !ctx.is_object() {
        return Err(Error::illegal_argument("[ctx] of a script is no object"));
    }
    let ctx = instance.import(&ctx)?;
    let asks = instance.returns() == Returns::Bool;
    if asks {
        instance.freeze(ctx);
    }
    instance.set(CTX, ctx);
    if asks {
        return instance.run_bool(caller).map(Outcome::Answered);
    }
    instance.run(caller)?;
    let mut json = Vec::new();
    instance.write_json(ctx, &mut json)?;
    let json = String::from_utf8(json).map_err(|_| Error::internal("[ctx] of a script is not UTF-8"))?;
    Ok(Outcome::Changed(json))
}

#[cfg(test)]
mod tests {
    use super::super::context;
    use super::*;

    fn outcomes(script: &str, of: &str, documents: &[&str]) -> Result<Vec<Outcome>> {
        let spec = ScriptSpec::inline(script);
        let documents: Vec<String> = documents.iter().map(|&document| document.into()).collect();
        run(&spec, context(of)?, &documents, &|| false)
    }

    fn changed(outcome: &Outcome) -> &str {
        match outcome {
            Outcome::Changed(ctx) => ctx,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_document_is_changed_or_fails_on_its_own() {
        let source = "ctx.n = 6 / ctx.n; ctx.tags.add('x')";
        let found =
            outcomes(source, "ingest", &[r#"{"n":2,"tags":[]}"#, r#"{"n":0,"tags":[]}"#, r#"{"n":3,"tags":["y"]}"#]);
        let found = found.unwrap();
        assert_eq!(changed(&found[0]), r#"{"n":3,"tags":["x"]}"#);
        let Outcome::Failed(error) = &found[1] else { panic!("{found:?}") };
        assert_eq!((error.code, error.caused_by.as_ref().unwrap().code), (ErrorCode::Script, ErrorCode::Arithmetic));
        assert_eq!(changed(&found[2]), r#"{"n":2,"tags":["y","x"]}"#);
    }

    #[test]
    fn a_condition_answers_and_changes_nothing() {
        let of = "processor_conditional";
        let found = outcomes("ctx.a?.b == 1", of, &[r#"{"a":{"b":1}}"#, r#"{"a":null}"#, "{}"]).unwrap();
        assert!(matches!(found[..], [Outcome::Answered(true), Outcome::Answered(false), Outcome::Answered(false)]));
        for change in ["ctx.c = 1", "ctx.a.b = 2", "ctx.a.list.add(1)", "ctx.remove('a')"] {
            let found = outcomes(&format!("{change}; return true"), of, &[r#"{"a":{"b":1,"list":[]}}"#]).unwrap();
            let Outcome::Failed(error) = &found[0] else { panic!("{change}: {found:?}") };
            assert_eq!(error.caused_by.as_ref().unwrap().code, ErrorCode::UnsupportedOperation, "{change}");
        }
    }

    #[test]
    fn a_call_ends_when_it_took_long_enough() {
        let source = "for (int i = 0; i < 900000; i++) { ctx.n += 1 }";
        let found = outcomes(source, "update_by_query", &[r#"{"n":0}"#; 20]).unwrap();
        assert!((1..20).contains(&found.len()), "{}", found.len());
        assert_eq!(changed(&found[0]), r#"{"n":900000}"#);
    }

    #[test]
    fn what_is_wrong_with_the_script_fails_all() {
        assert_eq!(outcomes("ctx.", "ingest", &["{}"]).unwrap_err().code, ErrorCode::Script);
        assert_eq!(outcomes("1", "score", &["{}"]).unwrap_err().code, ErrorCode::IllegalArgument);
        let spec = ScriptSpec::inline("while (true) {}");
        let error = run(&spec, context("ingest").unwrap(), &["{}".into()], &|| true).unwrap_err();
        assert_eq!(error.code, ErrorCode::TaskCancelled);
    }
}
