/** Bounds of what pipelines may do. Bounds that a user may set are settings, not here. */

/** Pipelines that call one another. */
export const PIPELINE_DEPTH_MAX = 100;
/** Processors within processors: `foreach`, `on_failure`. */
export const PROCESSOR_DEPTH_MAX = 50;
/** Processors of one pipeline, those of `on_failure` and `foreach` included. */
export const PROCESSORS_MAX = 10_000;
/** Runs of processors for one document. */
export const PROCESSOR_RUNS_MAX = 1_000_000;
/** Characters that processors put into one document, all together. */
export const PRODUCED_MAX = 128 * 1024 * 1024;
/** What a member or item counts for among them: a million at most. */
export const MEMBER_CHARACTERS = 128;
/** Fields of one line of `csv`, and pairs of `kv`. */
export const PARTS_MAX = 100_000;
/** How long one worker runs pipelines before it looks after its other work. */
export const INGEST_SLICE_MS = 20;
/** How often one document may be sent on to another index. */
export const REROUTES_MAX = 100;
