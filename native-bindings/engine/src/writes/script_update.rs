//! What an update's script makes of a document.

use quarry_base::error::{Error, ErrorCode, Result};
use quarry_script as script;
use quarry_script::Value::Null;
use quarry_script::{Instance, Nothing, ScriptSpec, context};
use serde_json::{Map, Value, json};

/// What the script sees as `ctx`, besides the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub index: &'a str,
    pub id: &'a str,
    pub routing: Option<&'a str>,
    /// Of a document that is there.
    pub version: Option<u64>,
    /// Sequence number and primary term of a document that is there.
    pub seq_no: Option<(u64, u64)>,
    /// What happens unless the script says otherwise.
    pub operation: &'static str,
    pub now_ms: u64,
}

/// What the script decided.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// The new source.
    Index(Vec<u8>),
    Delete,
    /// The source as the script has left it, to be shown.
    Nothing(Vec<u8>),
}

impl Context<'_> {
    /// Runs the script of the request (JSON) over the source of the document.
    ///
    /// Errors: `IllegalArgument` `failed to execute script` with the `Script` error as its cause.
    pub fn run(self, script: &str, source: &str) -> Result<Operation> {
        let (instance, ctx) = self.run_script(script, source).map_err(|error| match error.code {
            ErrorCode::TaskCancelled => error,
            _ => Error::illegal_argument("failed to execute script").caused_by(error),
        })?;
        self.outcome(&instance, ctx)
    }

    /// The instance after its run, and `ctx` in it.
    fn run_script(self, script: &str, source: &str) -> Result<(Instance, script::Value)> {
        let source: Value = quarry_base::deep_json::from_str(source)
            .map_err(|error| Error::illegal_argument(format!("the source cannot be given to a script: {error}")))?;
        let mut instance = ScriptSpec::read(script)?.instance(context("update")?)?;
        let ctx = instance.import(&self.into_json(source))?;
        instance.set(1, ctx);
        instance.run(&mut Nothing)?;
        Ok((instance, ctx))
    }

    fn outcome(self, instance: &Instance, ctx: script::Value) -> Result<Operation> {
        let member = |name: &str| instance.heap().as_map(ctx).and_then(|ctx| ctx.named(name)).unwrap_or(Null);
        let operation = instance.text(member("op")).unwrap_or_else(|| "none".into());
        let mut source = Vec::new();
        instance.write_json(member("_source"), &mut source)?;
        if source.first() != Some(&b'{') {
            return Err(Error::illegal_argument("_source of the script's ctx is no object"));
        }
        Ok(match &*operation {
            "index" => Operation::Index(source),
            "create" if self.operation == "create" => Operation::Index(source),
            "delete" if self.operation == "index" => Operation::Delete,
            _ => Operation::Nothing(source),
        })
    }

    fn into_json(self, source: Value) -> Value {
        let mut ctx = Map::new();
        ctx.insert("_index".into(), json!(self.index));
        ctx.insert("_id".into(), json!(self.id));
        if let Some(version) = self.version {
            ctx.insert("_version".into(), json!(version));
        }
        if let Some((seq_no, primary_term)) = self.seq_no {
            ctx.insert("_seq_no".into(), json!(seq_no));
            ctx.insert("_primary_term".into(), json!(primary_term));
        }
        if let Some(routing) = self.routing {
            ctx.insert("_routing".into(), json!(routing));
        }
        ctx.insert("op".into(), json!(self.operation));
        ctx.insert("_now".into(), json!(self.now_ms));
        ctx.insert("_source".into(), source);
        Value::Object(ctx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, source: &str) -> Result<Operation> {
        let context = Context {
            index: "i",
            id: "1",
            routing: None,
            version: Some(3),
            seq_no: Some((7, 1)),
            operation: "index",
            now_ms: 1_000,
        };
        context.run(script, source)
    }

    fn indexed(script: &str, source: &str) -> String {
        match run(script, source).unwrap() {
            Operation::Index(source) => String::from_utf8(source).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_script_changes_the_source() {
        let script = r#"{"source":"ctx._source.n += params.by; ctx._source.tags.add('x')","params":{"by":4}}"#;
        assert_eq!(indexed(script, r#"{"n":1,"tags":[]}"#), r#"{"n":5,"tags":["x"]}"#);
        assert_eq!(indexed("\"ctx._source.remove('a')\"", r#"{"a":1,"b":1e10}"#), r#"{"b":1.0E10}"#);
        assert_eq!(
            indexed("\"ctx._source.at = ctx._now; ctx._source.v = ctx._version + ctx._id\"", "{}"),
            r#"{"at":1000,"v":"31"}"#
        );
    }

    #[test]
    fn a_script_chooses_what_happens() {
        assert_eq!(run("\"ctx.op = 'delete'\"", "{}").unwrap(), Operation::Delete);
        assert_eq!(run("\"ctx.op = 'none'\"", "{\"a\":1}").unwrap(), Operation::Nothing(b"{\"a\":1}".to_vec()));
    }

    #[test]
    fn a_source_that_holds_itself_is_refused() {
        let error = run("\"ctx._source.ctx = ctx\"", "{}").unwrap_err();
        assert_eq!(
            (error.code, error.reason.as_str()),
            (ErrorCode::IllegalArgument, "Iterable object is self-referencing itself")
        );
    }

    #[test]
    fn a_failure_is_the_cause() {
        let error = run("\"ctx._source.a.b.c = 1\"", "{}").unwrap_err();
        assert_eq!(error.reason, "failed to execute script");
        let cause = error.caused_by.unwrap();
        assert_eq!((cause.code, cause.reason.as_str()), (ErrorCode::Script, "runtime error"));
        assert_eq!(cause.caused_by.unwrap().code, ErrorCode::NullPointer);
    }
}
