/** Fixed bounds of the TypeScript side in one place. Bounds that a user may set are settings, not here. */

/** Nesting of a JSON body; the kernels hold documents to the same. */
export const JSON_DEPTH_MAX = 1_000;
/** Digits of one number in a JSON body. */
export const JSON_NUMBER_LENGTH_MAX = 1_000;
/** Segments of a request path; more cannot match any endpoint. */
export const PATH_SEGMENTS_MAX = 16;
/** Query parameters of one request. */
export const QUERY_PARAMETERS_MAX = 1_024;
/** Patterns in one `filter_path`. */
export const FILTER_PATHS_MAX = 1_024;
/** Characters of `X-Opaque-Id` that are echoed. */
export const OPAQUE_ID_LENGTH_MAX = 8_192;
/** Answers shorter than this are not worth compressing. */
export const COMPRESSION_BYTES_MIN = 1_024;
/** Idle body buffers kept for reuse, all together. */
export const IDLE_BODY_BYTES_MAX = 32 * 1024 * 1024;
/** Bytes of bodies of management requests beyond the limit of bodies in flight: settings must be changeable under load. */
export const MANAGEMENT_BODY_BYTES_SPARE = 16 * 1024 * 1024;
/** Requests whose senders are being found out about. */
export const AUTHENTICATING_MAX = 1_000;
/** Bytes that came of their bodies, half a megabyte of each at most; beyond it no other is let wait. */
export const AUTHENTICATING_BYTES_MAX = 16 * 1024 * 1024;
/** How long a stopping node waits for requests that are being served. */
export const DRAIN_MS_MAX = 30_000;
/** How long it waits for bodies of requests that are being received. */
export const DRAIN_RECEIVING_MS_MAX = 5_000;
/** How long the coordinator waits for a thread to apply a published state. */
export const PUBLISH_MS_MAX = 30_000;
/** Bytes of answers that wait for slow readers; beyond it new requests are refused. */
export const UNSENT_ANSWER_BYTES_MAX = 256 * 1024 * 1024;
/** Bytes of one message between nodes. */
export const TRANSPORT_MESSAGE_BYTES_MAX = 1024 * 1024 * 1024;
/** Bytes of messages from other nodes that are being received or served, all together. */
export const TRANSPORT_RECEIVED_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** Requests of other nodes that a node has for its workers at once, and as many again for its coordinator and front. */
export const TRANSPORT_REQUESTS_MAX = 10_000;
/** Requests that one thread has under way to one other node. */
export const TRANSPORT_CALLS_PER_PEER_MAX = 2_048;
/** Connections of one thread to one other node; further requests wait for one of them. */
export const TRANSPORT_CONNECTIONS_PER_PEER_MAX = 64;
/** Other nodes that one thread keeps connections to. */
export const TRANSPORT_PEERS_MAX = 1_000;
/** How long an operation on a shard of another node may take; one whose node leaves the cluster ends then. */
export const REMOTE_SHARD_CALL_MS_MAX = 24 * 60 * 60 * 1_000;
/** How long another node may take to tell how its copies recover. */
export const RECOVERY_ANSWER_MS_MAX = 30_000;
/** Tasks that the workers of a node carry out besides requests: by-query jobs and their slices, merges, recoveries. */
export const ANNOUNCED_TASKS_MAX = 10_000;
/** Bytes of one answer of a remote cluster that is reindexed from. */
export const REMOTE_ANSWER_BYTES_MAX = 100 * 1024 * 1024;
/** Byte arrays in one message between nodes. */
export const MESSAGE_BYTE_ARRAYS_MAX = 1_000_000;
/** Nesting of a message between nodes: a body of the deepest kind with what is around it. */
export const MESSAGE_DEPTH_MAX = JSON_DEPTH_MAX + 100;
/** Threads of one node that are told of at once. */
export const HOT_THREADS_MAX = 1_000;
/** Looks at the states of threads for one report. */
export const HOT_THREAD_SNAPSHOTS_MAX = 100;
/** How long threads are watched for one report. */
export const HOT_THREADS_INTERVAL_MS_MAX = 30_000;
/** Characters of a text that a pattern is matched against. */
export const PATTERN_TEXT_LENGTH_MAX = 1024 * 1024;
/** Characters of a pattern, once every name in it is replaced by what it stands for. */
export const PATTERN_LENGTH_MAX = 64 * 1024;
