//! The one error of the kernels: a code from the API's error vocabulary, a sentence, and what caused it.

use std::fmt;

/// Codes are the API's error types, so that the REST layer needs no second vocabulary.
/// `src/base/errors.ts` maps each to its HTTP status; a test holds the two lists equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// The document does not fit the mapping, or is not JSON. 400.
    MapperParsing,
    /// A field is missing from a mapping whose `dynamic` is `strict`. 400.
    StrictDynamicMapping,
    /// A request argument is wrong. 400.
    IllegalArgument,
    /// A JSON body is broken; the reason gives line and column. 400.
    Parsing,
    /// An expression inside a request, such as date math, cannot be read. 400.
    Parse,
    /// A JSON text is broken; the reason gives line, column and byte. The cause of a `MapperParsing`. 400.
    JsonParse,
    /// A number is out of the range of its type, or of the wrong kind. The cause of a `MapperParsing`. 400.
    InputCoercion,
    /// A text is not a number. The cause of a `MapperParsing`, or of a refused query. 400.
    NumberFormat,
    /// A query cannot be built for this shard's mapping. 400.
    QueryShard,
    /// `if_seq_no`, a version or `op_type: create` does not hold. 409.
    VersionConflict,
    /// The document to update or get is missing. 404.
    DocumentMissing,
    /// An update of a document whose mapping keeps no source. 400.
    DocumentSourceMissing,
    /// The mapping demands a routing and there is none. 400.
    RoutingMissing,
    /// A request lacks something or contradicts itself: refused before any shard sees it. 400.
    ActionRequestValidation,
    /// A JSON object holds a field that its request does not know. 400.
    XContentParse,
    /// The shard cannot do that now: it failed, or it is closed. 500.
    IllegalState,
    /// Results of aggregations cannot be computed with. 400.
    AggregationExecution,
    /// More buckets than `search.max_buckets`. 400.
    TooManyBuckets,
    /// More clauses than `indices.query.bool.max_clause_count`. 400.
    TooManyClauses,
    /// A limit on memory was reached. 429.
    CircuitBreaking,
    /// A search of a shard was not done in time, and partial answers are not wanted. 429.
    SearchTimeout,
    /// As [`ErrorCode::SearchTimeout`], of the other reference. 500.
    QueryPhaseExecution,
    /// The task was cancelled. 400.
    TaskCancelled,
    /// The translog does not have the operations any more that a copy asks for. 503.
    HistoryUnavailable,
    /// Operations or segments come from a primary that another one has replaced. 503.
    PrimaryTermStale,
    /// A replica was not yet compared with the primary that sends to it. 503.
    ReplicaNotAligned,
    /// Operations are missing between what a replica has and what it was sent. 503.
    OperationGap,
    /// A replica's segments contain operations that it has to give up: only a new copy of the primary's segments helps. 503.
    CopyAnew,
    /// Bytes of a file that lies elsewhere are not here yet; the reason names them for whoever has them fetched. 503.
    BlocksAbsent,
    /// A file of the shard is damaged; the reason names file and place. 500.
    Corrupt,
    /// The operating system failed a file operation. 500.
    Io,
    /// A broken promise inside the kernels: a bug. 500.
    Internal,
    /// A stored script or the like is missing. 404.
    ResourceNotFound,
    /// A script does not compile, or failed while it ran; where is told by [`ScriptTrace`]. 400.
    Script,
    /// A script has used up its operations. The cause of a `Script`. 400.
    Painless,
    /// A script asked what a value is. 400.
    PainlessExplain,
    /// Calls of a script are nested too deeply. The cause of a `Script`. 400.
    StackOverflow,
    // Exceptions of scripts: the causes of a `Script`. 400.
    Arithmetic,
    ArrayIndexOutOfBounds,
    ClassCast,
    ConcurrentModification,
    DateTime,
    DateTimeParse,
    Exception,
    IndexOutOfBounds,
    NegativeArraySize,
    NoSuchElement,
    NullPointer,
    PatternSyntax,
    Runtime,
    StringIndexOutOfBounds,
    UnsupportedOperation,
}

impl ErrorCode {
    /// The API's name of this error, as in `error.type`.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorCode::MapperParsing => "mapper_parsing_exception",
            ErrorCode::StrictDynamicMapping => "strict_dynamic_mapping_exception",
            ErrorCode::IllegalArgument => "illegal_argument_exception",
            ErrorCode::Parsing => "parsing_exception",
            ErrorCode::Parse => "parse_exception",
            ErrorCode::JsonParse => "json_parse_exception",
            ErrorCode::InputCoercion => "input_coercion_exception",
            ErrorCode::NumberFormat => "number_format_exception",
            ErrorCode::QueryShard => "query_shard_exception",
            ErrorCode::VersionConflict => "version_conflict_engine_exception",
            ErrorCode::DocumentMissing => "document_missing_exception",
            ErrorCode::DocumentSourceMissing => "document_source_missing_exception",
            ErrorCode::RoutingMissing => "routing_missing_exception",
            ErrorCode::ActionRequestValidation => "action_request_validation_exception",
            ErrorCode::XContentParse => "x_content_parse_exception",
            ErrorCode::IllegalState => "illegal_state_exception",
            ErrorCode::AggregationExecution => "aggregation_execution_exception",
            ErrorCode::TooManyBuckets => "too_many_buckets_exception",
            ErrorCode::TooManyClauses => "too_many_clauses",
            ErrorCode::CircuitBreaking => "circuit_breaking_exception",
            ErrorCode::SearchTimeout => "search_timeout_exception",
            ErrorCode::QueryPhaseExecution => "query_phase_execution_exception",
            ErrorCode::TaskCancelled => "task_cancelled_exception",
            ErrorCode::HistoryUnavailable => "history_unavailable_exception",
            ErrorCode::PrimaryTermStale => "primary_term_stale_exception",
            ErrorCode::ReplicaNotAligned => "replica_not_aligned_exception",
            ErrorCode::OperationGap => "operation_gap_exception",
            ErrorCode::CopyAnew => "copy_anew_exception",
            ErrorCode::BlocksAbsent => "blocks_absent_exception",
            ErrorCode::Corrupt => "corrupt_index_exception",
            ErrorCode::Io => "i_o_exception",
            ErrorCode::Internal => "internal_error",
            ErrorCode::ResourceNotFound => "resource_not_found_exception",
            ErrorCode::Script => "script_exception",
            ErrorCode::Painless => "painless_error",
            ErrorCode::PainlessExplain => "painless_explain_error",
            ErrorCode::StackOverflow => "stack_overflow_error",
            ErrorCode::Arithmetic => "arithmetic_exception",
            ErrorCode::ArrayIndexOutOfBounds => "array_index_out_of_bounds_exception",
            ErrorCode::ClassCast => "class_cast_exception",
            ErrorCode::ConcurrentModification => "concurrent_modification_exception",
            ErrorCode::DateTime => "date_time_exception",
            ErrorCode::DateTimeParse => "date_time_parse_exception",
            ErrorCode::Exception => "exception",
            ErrorCode::IndexOutOfBounds => "index_out_of_bounds_exception",
            ErrorCode::NegativeArraySize => "negative_array_size_exception",
            ErrorCode::NoSuchElement => "no_such_element_exception",
            ErrorCode::NullPointer => "null_pointer_exception",
            ErrorCode::PatternSyntax => "pattern_syntax_exception",
            ErrorCode::Runtime => "runtime_exception",
            ErrorCode::StringIndexOutOfBounds => "string_index_out_of_bounds_exception",
            ErrorCode::UnsupportedOperation => "unsupported_operation_exception",
        }
    }

    /// The HTTP status of this error, as `src/base/errors.ts` has it.
    pub fn status(self) -> u16 {
        match self {
            ErrorCode::VersionConflict => 409,
            ErrorCode::DocumentMissing | ErrorCode::ResourceNotFound => 404,
            ErrorCode::CircuitBreaking | ErrorCode::SearchTimeout => 429,
            ErrorCode::HistoryUnavailable
            | ErrorCode::PrimaryTermStale
            | ErrorCode::ReplicaNotAligned
            | ErrorCode::OperationGap
            | ErrorCode::CopyAnew
            | ErrorCode::BlocksAbsent => 503,
            ErrorCode::Corrupt
            | ErrorCode::Io
            | ErrorCode::IllegalState
            | ErrorCode::Internal
            | ErrorCode::QueryPhaseExecution => 500,
            _ => 400,
        }
    }
}

/// An error with its place in the sentence: name the field, the file, the offset.
#[derive(Debug, Clone)]
pub struct Error {
    pub code: ErrorCode,
    pub reason: String,
    pub caused_by: Option<Box<Error>>,
    /// Of a `Script` error.
    pub script: Option<Box<ScriptTrace>>,
}

/// Where in a script something went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptTrace {
    /// Lines of the script with a pointer to the place.
    pub stack: Vec<String>,
    pub source: String,
    pub lang: String,
    /// In characters of UTF-16, as the API counts them.
    pub position: Option<ScriptPosition>,
    /// Of `Debug.explain`: text and class of the value.
    pub explained: Option<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptPosition {
    pub offset: usize,
    pub start: usize,
    pub end: usize,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(code: ErrorCode, reason: impl Into<String>) -> Self {
        Error { code, reason: reason.into(), caused_by: None, script: None }
    }

    pub fn caused_by(mut self, cause: Error) -> Self {
        self.caused_by = Some(Box::new(cause));
        self
    }

    pub fn in_script(mut self, trace: ScriptTrace) -> Self {
        self.script = Some(Box::new(trace));
        self
    }

    pub fn illegal_argument(reason: impl Into<String>) -> Self {
        Error::new(ErrorCode::IllegalArgument, reason)
    }

    /// A text or value of the request or document that cannot be read.
    pub fn parse(reason: impl Into<String>) -> Self {
        Error::new(ErrorCode::Parse, reason)
    }

    pub fn illegal_state(reason: impl Into<String>) -> Self {
        Error::new(ErrorCode::IllegalState, reason)
    }

    pub fn corrupt(reason: impl Into<String>) -> Self {
        Error::new(ErrorCode::Corrupt, reason)
    }

    /// A broken promise inside the kernels.
    pub fn internal(reason: impl Into<String>) -> Self {
        Error::new(ErrorCode::Internal, reason)
    }

    /// Names the file and what was being done to it.
    pub fn io(doing: &str, path: &std::path::Path, error: std::io::Error) -> Self {
        Error::new(ErrorCode::Io, format!("{doing} [{}]: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.code.as_str(), self.reason)?;
        match &self.caused_by {
            Some(cause) => write!(out, "; caused by {cause}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
