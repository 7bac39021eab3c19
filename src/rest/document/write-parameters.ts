/** Query parameters that the document endpoints share, and what they mean together. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { RefreshPolicy } from '../../actions/operations/write-items.js';
import type { ItemAction, VersionType } from '../../native/descriptor.js';
import {
  activeShardsParameter,
  enumParameter,
  listParameter,
  longParameter,
  stringParameter,
  timeParameter,
  type ParameterKind,
} from '../parameters.js';
import type { SourceSpec } from '../../native/bulk.js';

const VERSION_TYPES = ['internal', 'external', 'external_gte'] as const;
/** UTF-8 bytes of `_id`; the kernels hold to the same. */
const ID_BYTES_MAX = 512;
const WRITE_TIMEOUT_MS = 60_000;
const LONG_MAX = 2n ** 63n - 1n;

/** `true` (or nothing), `false`, `wait_for`. */
export function refreshParameter(): ParameterKind<RefreshPolicy> {
  return {
    parse(text) {
      if (text === '' || text === 'true') return 'immediate';
      if (text === 'false') return 'none';
      if (text === 'wait_for') return 'wait_for';
      throw illegalArgument(`Unknown value for refresh: [${text}].`);
    },
    missing: 'none',
    values: ['true', 'false', 'wait_for'],
  };
}

export function versionTypeParameter(): ParameterKind<VersionType | undefined> {
  return enumParameter(VERSION_TYPES, (text) => illegalArgument(`No version type match [${text}]`));
}

/** A version: all 64 bits of it, as clocks of nanoseconds give them. */
export function versionParameter(): ParameterKind<bigint | undefined> {
  return {
    parse(text, name) {
      const value = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : LONG_MAX + 1n;
      if (value >= -LONG_MAX - 1n && value <= LONG_MAX) return value;
      throw illegalArgument(`Failed to parse long parameter [${name}] with value [${text}]`);
    },
    missing: undefined,
  };
}

export const writeParameters = {
  refresh: refreshParameter(),
  routing: stringParameter(),
  timeout: timeParameter(WRITE_TIMEOUT_MS),
  wait_for_active_shards: activeShardsParameter(),
} as const;

export const versionParameters = {
  if_primary_term: longParameter(),
  if_seq_no: longParameter(),
  version: versionParameter(),
  version_type: versionTypeParameter(),
} as const;

export const sourceParameters = {
  _source: listParameter(),
  _source_excludes: listParameter(),
  _source_includes: listParameter(),
} as const;

export interface SourceParameters {
  readonly _source: readonly string[] | undefined;
  readonly _source_includes: readonly string[] | undefined;
  readonly _source_excludes: readonly string[] | undefined;
}

/** What the three parameters ask for; undefined when none was sent. */
export function sourceSpec(parameters: SourceParameters): SourceSpec | undefined {
  const { _source: source, _source_includes: moreIncludes, _source_excludes: excludes } = parameters;
  if (source === undefined && moreIncludes === undefined && excludes === undefined) return undefined;
  const [only] = source ?? [];
  const isFlag = source?.length === 1 && (only === 'true' || only === 'false');
  if (isFlag && only === 'false') return false;
  const includes = [...(isFlag ? [] : (source ?? [])), ...(moreIncludes ?? [])];
  if (includes.length === 0 && excludes === undefined) return true;
  return { includes, excludes: excludes ?? [] };
}

/** The id of an ingest pipeline; `_none` asks for none. Whether there is one is seen when it runs. */
export function checkPipeline(pipeline: string | undefined): void {
  if (pipeline !== '') return;
  const reason = 'Validation Failed: 1: pipeline cannot be an empty string;';
  throw new QuarryError('action_request_validation_exception', reason);
}

export interface VersionedAction {
  readonly action: ItemAction;
  readonly id: string;
  readonly version?: bigint | undefined;
  readonly version_type?: VersionType | undefined;
  readonly if_seq_no?: number | undefined;
  readonly if_primary_term?: number | undefined;
  readonly retry_on_conflict?: number | undefined;
}

/** Refuses combinations that make no sense, all of them in one sentence. */
export function checkVersioning(action: VersionedAction): void {
  const problems = [...idProblems(action.id), ...versionProblems(action), ...sequenceProblems(action)];
  if (problems.length === 0) return;
  const list = problems.map((problem, at) => `${at + 1}: ${problem};`).join('');
  throw new QuarryError('action_request_validation_exception', `Validation Failed: ${list}`);
}

function idProblems(id: string): readonly string[] {
  const bytes = Buffer.byteLength(id, 'utf8');
  if (bytes <= ID_BYTES_MAX) return [];
  return [`id [${id}] is too long, must be no longer than ${ID_BYTES_MAX} bytes but was: ${bytes}`];
}

function versionProblems(action: VersionedAction): readonly string[] {
  const { version, version_type: type = 'internal' } = action;
  const problems: string[] = [];
  if (action.action === 'create' && (type !== 'internal' || version !== undefined)) {
    problems.push('create operations only support internal versioning. use index instead');
  } else if (action.action === 'update' && (type !== 'internal' || version !== undefined)) {
    problems.push(
      'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead',
    );
  } else if (type === 'internal' && version !== undefined) {
    problems.push(
      'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead',
    );
  } else if (type !== 'internal' && (version === undefined || version < 0)) {
    problems.push(`illegal version value [${version ?? -3}] for version type [${type.toUpperCase()}]`);
  }
  return problems;
}

function sequenceProblems(action: VersionedAction): readonly string[] {
  const { if_seq_no: seqNo, if_primary_term: term } = action;
  if (seqNo !== undefined && seqNo < 0) throw illegalArgument(`sequence numbers must be non negative. got [${seqNo}].`);
  if (term !== undefined && term < 0) throw illegalArgument(`primary term must be non negative. got [${term}]`);
  const problems: string[] = [];
  if (seqNo !== undefined && (term ?? 0) === 0) problems.push('ifSeqNo is set, but primary term is [0]');
  if (seqNo === undefined && (term ?? 0) !== 0) problems.push(`ifSeqNo is unassigned, but primary term is [${term}]`);
  const compares = seqNo !== undefined || (term ?? 0) !== 0;
  if (compares && (action.version_type ?? 'internal') !== 'internal') {
    problems.push('compare and write operations can not use versioning');
  }
  if (compares && action.action === 'create') {
    problems.push('create operations do not support compare and set. use index instead');
  }
  if (compares && (action.retry_on_conflict ?? 0) > 0) problems.push('compare and write operations can not be retried');
  return problems;
}

/** The members of a native action that a request gives. */
export function versionsOf(parameters: Omit<VersionedAction, 'action' | 'id'>): {
  version?: bigint;
  versionType?: VersionType;
  ifSeqNo?: number;
  ifPrimaryTerm?: number;
} {
  const { version, version_type: versionType, if_seq_no: ifSeqNo, if_primary_term: ifPrimaryTerm } = parameters;
  return {
    ...(version === undefined ? {} : { version }),
    ...(versionType === undefined ? {} : { versionType }),
    ...(ifSeqNo === undefined ? {} : { ifSeqNo }),
    ...(ifPrimaryTerm === undefined ? {} : { ifPrimaryTerm }),
  };
}
