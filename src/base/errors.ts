/**
 * Every error that the API can answer with: one table of type and HTTP status, one class.
 *
 * The types are the API's own vocabulary (`error.type`). The native side knows a subset of them by the same names
 * (`native-bindings/base/src/error.rs`).
 */
import type { JsonObject } from './json-value.js';

export const ERROR_STATUS = {
  action_request_validation_exception: 400,
  action_not_found_transport_exception: 500,
  aggregation_execution_exception: 400,
  aggregation_initialization_exception: 400,
  aliases_not_found_exception: 404,
  /** Parts of a file of a repository are to be fetched first: whoever reads them sees to it, clients never meet it. */
  blocks_absent_exception: 503,
  circuit_breaking_exception: 429,
  cluster_block_exception: 403,
  concurrent_snapshot_execution_exception: 503,
  connect_transport_exception: 503,
  content_too_large_exception: 413,
  copy_anew_exception: 503,
  corrupt_index_exception: 500,
  document_missing_exception: 404,
  es_rejected_execution_exception: 429,
  document_source_missing_exception: 400,
  fail_processor_exception: 500,
  failed_node_exception: 500,
  failed_to_commit_cluster_state_exception: 503,
  file_already_exists_exception: 500,
  i_o_exception: 500,
  history_unavailable_exception: 503,
  illegal_argument_exception: 400,
  illegal_state_exception: 500,
  index_closed_exception: 400,
  index_not_found_exception: 404,
  index_template_missing_exception: 404,
  input_coercion_exception: 400,
  internal_error: 500,
  invalid_alias_name_exception: 400,
  invalid_index_name_exception: 400,
  invalid_index_template_exception: 400,
  invalid_snapshot_name_exception: 400,
  invalid_type_name_exception: 400,
  json_parse_exception: 400,
  mapper_parsing_exception: 400,
  master_not_discovered_exception: 503,
  media_type_header_exception: 406,
  method_not_allowed_exception: 405,
  named_object_not_found_exception: 400,
  no_handler_found_exception: 400,
  no_shard_available_action_exception: 503,
  no_longer_primary_shard_exception: 500,
  no_such_remote_cluster_exception: 404,
  no_such_file_exception: 500,
  node_closed_exception: 503,
  node_disconnected_exception: 503,
  node_not_connected_exception: 503,
  not_master_exception: 503,
  not_x_content_exception: 400,
  number_format_exception: 400,
  operation_gap_exception: 503,
  parse_exception: 400,
  parsing_exception: 400,
  primary_term_stale_exception: 503,
  process_cluster_event_timeout_exception: 503,
  query_phase_execution_exception: 500,
  query_shard_exception: 400,
  receive_timeout_transport_exception: 503,
  rejected_execution_exception: 429,
  replica_not_aligned_exception: 503,
  repository_conflict_exception: 409,
  repository_exception: 500,
  repository_missing_exception: 404,
  repository_verification_exception: 500,
  resource_already_exists_exception: 400,
  resource_not_found_exception: 404,
  routing_missing_exception: 400,
  search_context_missing_exception: 404,
  search_phase_execution_exception: 400,
  search_timeout_exception: 429,
  security_exception: 403,
  settings_exception: 400,
  shard_not_found_exception: 404,
  snapshot_exception: 500,
  snapshot_in_progress_exception: 400,
  snapshot_in_use_deletion_exception: 409,
  snapshot_missing_exception: 404,
  snapshot_name_already_in_use_exception: 400,
  snapshot_restore_exception: 500,
  status_exception: 400,
  strict_dynamic_mapping_exception: 400,
  task_cancelled_exception: 400,
  timeout_exception: 503,
  too_many_scroll_contexts_exception: 429,
  too_many_buckets_exception: 400,
  too_many_clauses: 400,
  transport_serialization_exception: 500,
  unavailable_shards_exception: 503,
  unsupported_media_type_exception: 415,
  validation_exception: 400,
  version_conflict_engine_exception: 409,
  x_content_parse_exception: 400,
  zone_rules_exception: 400,
  // What scripts meet: causes of a `script_exception`.
  arithmetic_exception: 400,
  array_index_out_of_bounds_exception: 400,
  class_cast_exception: 400,
  concurrent_modification_exception: 400,
  date_time_exception: 400,
  date_time_parse_exception: 400,
  exception: 400,
  index_out_of_bounds_exception: 400,
  negative_array_size_exception: 400,
  no_such_element_exception: 400,
  null_pointer_exception: 400,
  painless_error: 400,
  painless_explain_error: 400,
  pattern_syntax_exception: 400,
  runtime_exception: 400,
  script_exception: 400,
  stack_overflow_error: 400,
  string_index_out_of_bounds_exception: 400,
  unsupported_operation_exception: 400,
} as const;

export type ErrorType = keyof typeof ERROR_STATUS;

/** Members that the API puts beside `type` and `reason`, such as `index`, `shard`, `line`, `col`. */
export type ErrorDetails = JsonObject;

/** A failure with its API type; the message is the API's `reason`. */
export class QuarryError extends Error {
  readonly type: ErrorType;
  readonly details: ErrorDetails;
  /** Usually the type's; a failed search has that of its causes. */
  readonly status: number;
  /** What the API lists as `root_cause`; empty means this error is its own root cause. */
  readonly rootCauses: readonly QuarryError[];

  constructor(
    type: ErrorType,
    reason: string,
    options: { details?: ErrorDetails; cause?: unknown; rootCauses?: readonly QuarryError[]; status?: number } = {},
  ) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'QuarryError';
    this.type = type;
    this.details = options.details ?? {};
    this.rootCauses = options.rootCauses ?? [];
    this.status = options.status ?? ERROR_STATUS[type];
  }
}

/** The commonest refusal: a wrong argument. Name the argument and what would be right. */
export function illegalArgument(reason: string, details: ErrorDetails = {}): QuarryError {
  return new QuarryError('illegal_argument_exception', reason, { details });
}
