/** Policies of snapshot lifecycle management: what a user may write, and what it means. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { parseTimeMs } from '../../base/units.js';
import { indicesOptions, IndicesDefaults, type IndicesOptions } from '../names/indices-options.js';
import type { Retention } from './retention.js';
import { parseSchedule, type Schedule } from './schedule.js';
import { UNHEALTHY_WITHOUT, type SlmPolicyBody } from './types.js';
import { generatedName, idFaults, nameFaults } from './snapshot-name.js';

/** A policy as it is carried out. */
export interface SlmDefinition {
  readonly name: string;
  readonly schedule: Schedule;
  readonly repository: string;
  readonly config: SlmConfig;
  readonly retention: Retention;
  /** Without a successful snapshot for so long, the health report tells of the policy. */
  readonly unhealthyAfterMs?: number;
}

export interface SlmConfig {
  /** Expressions; empty: all. */
  readonly indices: readonly string[];
  readonly options: IndicesOptions;
  /** As they were asked for: see `snapshots/features.ts`, which tells whether there are such. */
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
  readonly partial: boolean;
  readonly metadata: JsonObject;
}

/** The member of a snapshot's metadata that names its policy. */
export const POLICY_METADATA = 'policy';
const METADATA_BYTES_MAX = 1_024;
const EVERY_INDEX: IndicesOptions = { ...IndicesDefaults.expandOpenAndClosed, expandHidden: true };

/** Throws all that is wrong, naming the members. Gives the policy as it was written. */
export function checkSlmPolicy(id: string, body: JsonObject): SlmPolicyBody {
  const policy = parse(body);
  const candidate = attempt(() => generatedName(policy.name, 0, 'x'.repeat(22)));
  const problems = [
    ...idFaults(id),
    ...(candidate instanceof QuarryError ? [candidate.message] : nameFaults(policy.name, candidate)),
    ...scheduleFaults(policy.schedule),
    ...metadataFaults(id, policy.config.metadata),
    ...(policy.repository.trim() === '' ? [`invalid repository name [${policy.repository}]: cannot be empty`] : []),
  ];
  // Parsed: these three are texts.
  if (problems.length === 0) return body as SlmPolicyBody;
  const list = problems.map((problem, at) => `${at + 1}: ${problem};`).join('');
  throw new QuarryError('action_request_validation_exception', `Validation Failed: ${list}`);
}

/** Of what was checked before. */
export function readSlmPolicy(policy: SlmPolicyBody): SlmDefinition {
  const parsed = parse(policy);
  return { ...parsed, schedule: parseSchedule(parsed.schedule) };
}

/** Retention that says nothing keeps everything, and nobody looks. */
export function hasRetention(retention: Retention): boolean {
  return Object.keys(retention).length > 0;
}

function scheduleFaults(schedule: string): readonly string[] {
  if (schedule.trim() === '') return [`invalid schedule [${schedule}]: schedule must not be empty`];
  const parsed = attempt(() => parseSchedule(schedule));
  if (!(parsed instanceof QuarryError)) return [];
  const what = `invalid schedule [${schedule}]: must be a valid cron expression or time unit`;
  return [`${what}, but ${parsed.message}`];
}

function metadataFaults(id: string, metadata: JsonObject): readonly string[] {
  if (metadata[POLICY_METADATA] !== undefined) {
    const why = `field name [${POLICY_METADATA}] is reserved and will be added automatically`;
    return [`invalid configuration.metadata: ${why}`];
  }
  const bytes = bytesOf(metadata);
  const added = bytesOf({ ...metadata, [POLICY_METADATA]: id }) - bytes;
  if (bytes + added <= METADATA_BYTES_MAX) return [];
  const limit = METADATA_BYTES_MAX - added;
  return [`invalid configuration.metadata: must be smaller than [${limit}] bytes, but is [${bytes}] bytes`];
}

function bytesOf(value: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

type Parsed = Omit<SlmDefinition, 'schedule'> & { readonly schedule: string };

function parse(body: JsonObject): Parsed {
  const { name, schedule, repository, config = {}, retention = {}, [UNHEALTHY_WITHOUT]: unhealthy, ...others } = body;
  refuseOthers('snapshot_lifecycle', others);
  return {
    name: requiredText('name', name),
    schedule: requiredText('schedule', schedule),
    repository: requiredText('repository', repository),
    config: parseConfig(config),
    retention: parseRetention(retention),
    ...(unhealthy === undefined
      ? {}
      : { unhealthyAfterMs: duration('snapshot_lifecycle', UNHEALTHY_WITHOUT, unhealthy) }),
  };
}

function requiredText(member: string, value: JsonValue | undefined): string {
  if (value === undefined) throw badPolicy(`[snapshot_lifecycle] Required [${member}]`);
  if (typeof value === 'string') return value;
  throw badPolicy(`[snapshot_lifecycle] [${member}] must be a text, found [${JSON.stringify(value)}]`);
}

function parseConfig(config: JsonValue): SlmConfig {
  if (!isJsonObject(config)) throw badPolicy('[snapshot_lifecycle] [config] must be an object');
  const {
    indices,
    expand_wildcards: expandWildcards,
    ignore_unavailable: ignoreUnavailable,
    include_global_state: includeGlobalState,
    partial,
    metadata = {},
    feature_states: featureStates,
    ...others
  } = config;
  refuseOthers('config', others);
  if (!isJsonObject(metadata)) throw badPolicy('[config] [metadata] must be an object');
  const expansion = expandWildcards === undefined ? undefined : texts('expand_wildcards', expandWildcards);
  const ignore = flag('ignore_unavailable', ignoreUnavailable, false);
  return {
    indices: indices === undefined ? [] : texts('indices', indices),
    options: indicesOptions(EVERY_INDEX, { ignore_unavailable: ignore, expand_wildcards: expansion }),
    featureStates: featureStates === undefined ? [] : texts('feature_states', featureStates),
    includeGlobalState: flag('include_global_state', includeGlobalState, true),
    partial: flag('partial', partial, false),
    metadata,
  };
}

/** A list, or one text with commas. */
function texts(member: string, value: JsonValue): readonly string[] {
  if (typeof value === 'string') return value.split(',').map((each) => each.trim());
  const list: readonly JsonValue[] = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  return list.map((each) => {
    if (typeof each === 'string') return each;
    throw badPolicy(`[config] [${member}] must be a text or a list of texts, found [${JSON.stringify(each)}]`);
  });
}

function flag(member: string, value: JsonValue | undefined, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw badPolicy(`[config] [${member}] must be true or false, found [${JSON.stringify(value)}]`);
}

function parseRetention(retention: JsonValue): Retention {
  if (!isJsonObject(retention)) throw badPolicy('[snapshot_lifecycle] [retention] must be an object');
  const { expire_after: expireAfter, min_count: min, max_count: max, ...others } = retention;
  refuseOthers('retention', others);
  const minCount = count('minimum', 'min_count', min);
  const maxCount = count('maximum', 'max_count', max);
  if (minCount !== undefined && maxCount !== undefined && minCount > maxCount) {
    throw illegalArgument(
      `minimum snapshot count ${minCount} cannot be larger than maximum snapshot count ${maxCount}`,
    );
  }
  return {
    ...(expireAfter === undefined ? {} : { expireAfterMs: duration('retention', 'expire_after', expireAfter) }),
    ...(minCount === undefined ? {} : { minCount }),
    ...(maxCount === undefined ? {} : { maxCount }),
  };
}

function duration(place: string, member: string, value: JsonValue): number {
  if (typeof value !== 'string') throw badPolicy(`[${place}] [${member}] must be a text such as [30d]`);
  const millis = parseTimeMs(value, `${place}.${member}`);
  if (millis < 0) throw illegalArgument(`[${place}.${member}] must not be negative, but was [${value}]`);
  return millis;
}

function count(what: string, member: string, value: JsonValue | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isInteger(value)) throw badPolicy(`[retention] [${member}] must be a whole number`);
  const number = Number(value);
  if (number >= 1 && number <= 0x7fff_ffff) return number;
  throw illegalArgument(`${what} snapshot count must be at least 1, but was: ${number}`);
}

function attempt<Result>(work: () => Result): Result | QuarryError {
  try {
    return work();
  } catch (error) {
    if (error instanceof QuarryError) return error;
    throw error;
  }
}

function refuseOthers(place: string, others: JsonObject): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw badPolicy(`[${place}] unknown field [${unknown}]`);
}

function badPolicy(reason: string): QuarryError {
  return new QuarryError('x_content_parse_exception', reason);
}
