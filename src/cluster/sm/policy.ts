/** Policies of snapshot management: what a user may write, and what it means. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseTimeMs } from '../../base/units.js';
import { formatDate } from '../names/date-format.js';
import { indicesOptions, IndicesDefaults, type IndicesOptions } from '../names/indices-options.js';
import { zoneOffsetMs } from '../names/time-zone.js';
import type { SlmConfig } from '../slm/policy.js';
import { nameFaults } from '../slm/snapshot-name.js';
import { nextDueMs } from './due.js';
import { PolicyMembers } from './policy-members.js';
import { SM_METADATA, type SmCondition, type SmDefinition, type SmTimes } from './types.js';

const METADATA_BYTES_MAX = 1_024;
/** Characters of a policy as JSON. */
const LENGTH_MAX = 16 * 1024;
const DATE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss";
/** The interval at which the reference looks at a policy: shown, and the only one that is taken. */
export const LOOKED_AT: JsonObject = { period: 1, unit: 'Minutes' };
const EVERY_INDEX: IndicesOptions = { ...IndicesDefaults.expandOpenAndClosed, expandHidden: true };

export interface CheckedPolicy {
  readonly definition: SmDefinition;
  readonly enabled: boolean;
}

/**
 * Throws `illegal_argument_exception` that names what is wrong. What an answer shows of a policy may be sent back: the
 * members that the cluster fills in are taken then, and filled in anew.
 */
export function checkSmPolicy(name: string, body: JsonObject, nowMs: number): CheckedPolicy {
  checkName(name);
  const members = new PolicyMembers('', body);
  const called = members.text('name');
  if (called !== undefined && called !== name) {
    throw illegalArgument(`[name] is [${called}], and the policy is called [${name}]`);
  }
  for (const filledIn of ['schema_version', 'last_updated_time', 'enabled_time', 'user']) members.skip(filledIn);
  checkInterval(members.object('schedule'));
  if (members.has('notification')) {
    throw illegalArgument('[notification] is not supported: there are no channels to notify');
  }
  const enabled = members.flag('enabled', true);
  const description = members.text('description');
  const creation = members.object('creation');
  const deletion = members.object('deletion');
  const config = members.object('snapshot_config')?.source;
  members.refuseOthers();
  if (config === undefined) throw illegalArgument('snapshot_config field must not be null');
  if (creation === undefined && deletion === undefined) {
    throw illegalArgument('Must provide either creation or deletion configuration.');
  }
  const created = creation === undefined ? undefined : readCreation(creation, nowMs);
  const definition: SmDefinition = {
    ...(description === undefined ? {} : { description }),
    ...(created === undefined ? {} : { creation: created }),
    ...(deletion === undefined ? {} : { deletion: readDeletion(deletion, created, nowMs) }),
    snapshotConfig: checkConfig(name, config, nowMs),
  };
  const { length } = JSON.stringify(definition);
  if (length > LENGTH_MAX) {
    throw illegalArgument(`[${name}] of [${length}] characters is larger than [${LENGTH_MAX}], the limit of policies`);
  }
  return { definition, enabled };
}

/** Of what was checked before. */
export function readSmConfig(name: string, { snapshotConfig }: SmDefinition): SlmConfig {
  const { metadata, ...config } = parseConfig(snapshotConfig);
  return { ...config, metadata: { ...metadata, [SM_METADATA]: name } };
}

/** The name of a snapshot that begins now, made unique by `unique`. Throws for a format or zone that is unknown. */
export function smSnapshotName(name: string, config: JsonObject, nowMs: number, unique: string): string {
  const members = new PolicyMembers('snapshot_config', config);
  const format = members.text('date_format') ?? DATE_FORMAT;
  return `${name}-${formatDate(nowMs, format, zoneOf(members)).toLowerCase()}-${unique}`;
}

/** Names of snapshots begin with it. */
function checkName(name: string): void {
  const faults = nameFaults(name, name).map((fault) => fault.replace('snapshot name', 'policy name'));
  if (faults.length > 0) throw illegalArgument(faults.join('\n'));
}

function checkInterval(schedule: PolicyMembers | undefined): void {
  const interval = schedule?.object('interval');
  schedule?.refuseOthers();
  if (schedule === undefined) return;
  const { period, unit } = interval?.source ?? {};
  interval?.skip('start_time');
  if (period === LOOKED_AT['period'] && typeof unit === 'string' && unit.toLowerCase() === 'minutes') return;
  throw illegalArgument('[schedule] may be the [interval] of [1] [Minutes] only: policies are run when they are due');
}

function readCreation(members: PolicyMembers, nowMs: number): SmTimes {
  const times = readTimes(members, readCron(members), nowMs);
  members.refuseOthers();
  if (times === undefined) throw illegalArgument('schedule field must not be null');
  return times;
}

function readDeletion(
  members: PolicyMembers,
  creation: SmTimes | undefined,
  nowMs: number,
): NonNullable<SmDefinition['deletion']> {
  const times = readTimes(members, readCron(members) ?? creation, nowMs);
  const condition = members.object('condition');
  const snapshotPattern = members.text('snapshot_pattern');
  members.refuseOthers();
  if (times === undefined) {
    throw illegalArgument('Schedule not provided for neither deletion policy nor creation policy');
  }
  if (condition === undefined) throw illegalArgument('condition must not be null.');
  const kept = { ...times, condition: readCondition(condition) };
  return snapshotPattern === undefined ? kept : { ...kept, snapshotPattern };
}

type Cron = Pick<SmTimes, 'expression' | 'timezone'>;

function readCron(members: PolicyMembers): Cron | undefined {
  const schedule = members.object('schedule');
  if (schedule === undefined) return undefined;
  const cron = schedule.object('cron');
  schedule.refuseOthers();
  if (cron === undefined) throw illegalArgument(`[${schedule.place}] must have [cron]`);
  const expression = cron.text('expression');
  const timezone = cron.text('timezone');
  cron.refuseOthers();
  if (expression === undefined) throw illegalArgument(`[${cron.place}] must have [expression]`);
  if (timezone === undefined) throw illegalArgument(`[${cron.place}] must have [timezone]`);
  return { expression, timezone };
}

function readTimes(members: PolicyMembers, cron: Cron | undefined, nowMs: number): SmTimes | undefined {
  const timeLimit = members.duration('time_limit');
  if (cron === undefined) return undefined;
  const { expression, timezone } = cron;
  // Throws for zones that are unknown.
  zoneOffsetMs(timezone, nowMs);
  const times = { expression, timezone, ...(timeLimit === undefined ? {} : { timeLimit }) };
  if (nextDueMs(times, nowMs) < Number.MAX_SAFE_INTEGER) return times;
  const which = `Next execution time from the ${members.place} schedule is null`;
  throw illegalArgument(`${which}, please provide a valid cron expression.`);
}

function readCondition(members: PolicyMembers): SmCondition {
  const maxAge = members.duration('max_age');
  const minCount = members.count('min_count') ?? 1;
  const maxCount = members.count('max_count');
  members.refuseOthers();
  if (maxAge === undefined && maxCount === undefined) throw illegalArgument('Please provide max_age or max_count.');
  if (minCount <= 0) throw illegalArgument('min_count should be bigger than 0.');
  if (maxCount !== undefined && maxCount <= minCount) {
    throw illegalArgument('max_count should be bigger than min_count.');
  }
  return {
    minCount,
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(maxCount === undefined ? {} : { maxCount }),
  };
}

function checkConfig(name: string, config: JsonObject, nowMs: number): SmDefinition['snapshotConfig'] {
  const { repository } = config;
  if (typeof repository !== 'string' || repository === '') {
    throw illegalArgument('Must provide the repository in snapshot config.');
  }
  const { metadata } = parseConfig(config);
  const bytes = Buffer.byteLength(JSON.stringify({ ...metadata, [SM_METADATA]: name }), 'utf8');
  if (bytes > METADATA_BYTES_MAX) {
    const limit = `must be smaller than [${METADATA_BYTES_MAX}] bytes with the name of the policy`;
    throw illegalArgument(`[snapshot_config.metadata] ${limit}, but is [${bytes}] bytes`);
  }
  const made = smSnapshotName(name, config, nowMs, 'x'.repeat(UNIQUE_CHARACTERS));
  const faults = nameFaults(made, made);
  if (faults.length > 0) throw illegalArgument(`[snapshot_config.date_format] makes an ${faults.join(', ')}`);
  return { ...config, repository };
}

/** Of the random end of a snapshot's name. */
export const UNIQUE_CHARACTERS = 8;

function parseConfig(config: JsonObject): SlmConfig {
  const members = new PolicyMembers('snapshot_config', config);
  for (const readElsewhere of ['repository', 'date_format']) members.skip(readElsewhere);
  zoneOf(members);
  const parsed: SlmConfig = {
    indices: members.list('indices') ?? [],
    options: indicesOptions(EVERY_INDEX, {
      ignore_unavailable: members.has('ignore_unavailable') ? members.flag('ignore_unavailable', false) : undefined,
      allow_no_indices: members.has('allow_no_indices') ? members.flag('allow_no_indices', true) : undefined,
      expand_wildcards: members.list('expand_wildcards'),
    }),
    // OpenSearch knows none.
    featureStates: [],
    includeGlobalState: members.flag('include_global_state', true),
    partial: members.flag('partial', false),
    metadata: members.object('metadata')?.source ?? {},
  };
  members.refuseOthers();
  return parsed;
}

/** The reference's own example says `timezone` where it reads `date_format_timezone`. */
function zoneOf(members: PolicyMembers): string {
  const zone = members.text('date_format_timezone');
  const other = members.text('timezone');
  if (zone !== undefined && other !== undefined && zone !== other) {
    throw illegalArgument('[snapshot_config.date_format_timezone] and [snapshot_config.timezone] differ');
  }
  return zone ?? other ?? 'UTC';
}

/** Of time values that were checked. */
export function limitMs({ timeLimit }: SmTimes): number {
  return timeLimit === undefined ? Infinity : parseTimeMs(timeLimit, 'time_limit');
}
