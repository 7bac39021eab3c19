/** Lifecycle policies: what becomes of an index as it ages, phase by phase. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { parseBytes, parseTimeMs } from '../../base/units.js';
import { parseConditions } from '../data-streams/rollover-conditions.js';
import { checkMounts } from './mount-rules.js';

/** In the order in which an index goes through them. */
export const PHASES = ['hot', 'warm', 'cold', 'frozen', 'delete'] as const;
export type PhaseName = (typeof PHASES)[number];

export interface LifecyclePolicy {
  readonly version: number;
  readonly modifiedAtMs: number;
  /** Checked, as the user wrote it. */
  readonly policy: JsonObject;
}

export interface Phase {
  readonly name: PhaseName;
  /** Since the rollover of the index, or else its creation. */
  readonly minAgeMs: number;
  /** In the order in which they are carried out. */
  readonly actions: readonly PhaseAction[];
}

export interface PhaseAction {
  readonly name: ActionName;
  readonly body: JsonObject;
}

/** The members of each; undefined where there are others for every version. */
const ACTIONS = {
  set_priority: ['priority'],
  rollover: undefined,
  unfollow: [],
  readonly: [],
  allocate: ['number_of_replicas', 'total_shards_per_node', 'include', 'exclude', 'require'],
  migrate: ['enabled'],
  shrink: ['number_of_shards', 'max_primary_shard_size', 'allow_write_after_shrink'],
  forcemerge: ['max_num_segments'],
  searchable_snapshot: ['snapshot_repository', 'force_merge_index', 'total_shards_per_node'],
  wait_for_snapshot: ['policy'],
  delete: ['delete_searchable_snapshot'],
} as const satisfies Record<string, readonly string[] | undefined>;

export type ActionName = keyof typeof ACTIONS;
export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[];

/** What a phase may have, in the order in which it is carried out. */
const ACTIONS_OF: Readonly<Record<PhaseName, readonly ActionName[]>> = {
  hot: ['set_priority', 'rollover', 'unfollow', 'readonly', 'shrink', 'forcemerge', 'searchable_snapshot'],
  warm: ['set_priority', 'unfollow', 'readonly', 'allocate', 'migrate', 'shrink', 'forcemerge'],
  cold: ['set_priority', 'unfollow', 'readonly', 'searchable_snapshot', 'allocate', 'migrate'],
  frozen: ['unfollow', 'searchable_snapshot'],
  delete: ['wait_for_snapshot', 'delete'],
};

/** Throws naming the phase, the action and the member that are wrong. Gives the `policy` of the body. */
export function checkPolicy(body: JsonObject): JsonObject {
  const { policy, ...others } = body;
  refuseOthers('put_lifecycle_request', others);
  if (!isJsonObject(policy)) throw badPolicy('[put_lifecycle_request] Required [policy]');
  const { phases, _meta: meta, ...unknown } = policy;
  refuseOthers('lifecycle_policy', unknown);
  if (meta !== undefined && !isJsonObject(meta)) throw badPolicy('[lifecycle_policy] _meta must be an object');
  if (!isJsonObject(phases)) throw badPolicy('[lifecycle_policy] Required [phases]');
  refuseNullPhases(phases);
  const parsed = parsePhases(policy);
  for (const { name } of parsed) refuseNullActions(name, phases[name]);
  checkMounts(parsed);
  return policy;
}

/** A phase that is there has a body; policies that were put before this was checked have none such. */
function refuseNullPhases(phases: JsonObject): void {
  const [phase] = Object.entries(phases).find(([, body]) => body === null) ?? [];
  if (phase !== undefined) throw badPolicy(`[phases.${phase}] must be an object, found [null]`);
}

/** They say neither that the action is wanted nor that it is not. */
function refuseNullActions(phase: PhaseName, body: JsonValue | undefined): void {
  const actions = isJsonObject(body) && isJsonObject(body['actions']) ? body['actions'] : {};
  const [action] = Object.entries(actions).find(([, each]) => each === null) ?? [];
  if (action !== undefined) throw badPolicy(`[phases.${phase}.actions.${action}] must be an object, found [null]`);
}

/** In their order. */
export function parsePhases(policy: JsonObject): readonly Phase[] {
  const phases = policy['phases'] as JsonObject;
  const unknown = Object.keys(phases).find((name) => !PHASES.some((phase) => phase === name));
  if (unknown !== undefined) {
    throw illegalArgument(`phase [${unknown}] is not supported, expected one of [${PHASES.join(', ')}]`);
  }
  return PHASES.flatMap((name) => {
    const phase = phases[name];
    return phase === undefined || phase === null ? [] : [parsePhase(name, phase)];
  });
}

function parsePhase(name: PhaseName, phase: JsonValue): Phase {
  if (!isJsonObject(phase)) throw badPolicy(`[phases.${name}] must be an object`);
  const { min_age: minAge = '0ms', actions = {}, ...others } = phase;
  refuseOthers(`phases.${name}`, others);
  if (!isJsonObject(actions)) throw badPolicy(`[phases.${name}.actions] must be an object`);
  for (const [action, body] of Object.entries(actions)) checkAction(name, action, body ?? {});
  return {
    name,
    minAgeMs: parseTimeMs(typeof minAge === 'string' ? minAge : JSON.stringify(minAge), `phases.${name}.min_age`),
    actions: ACTIONS_OF[name].flatMap((action) => {
      const body = action === 'migrate' ? migrationOf(name, actions) : actions[action];
      return isJsonObject(body) ? [{ name: action, body }] : [];
    }),
  };
}

/** An index goes to the tier of its phase where the policy neither says that it shall not nor chooses nodes itself. */
function migrationOf(phase: PhaseName, { migrate, allocate }: JsonObject): JsonObject | undefined {
  if (isJsonObject(migrate)) return migrate['enabled'] === false ? undefined : {};
  const choosesNodes = isJsonObject(allocate) && NODE_RULES.some((rule) => allocate[rule] !== undefined);
  return choosesNodes || !ACTIONS_OF[phase].includes('migrate') ? undefined : {};
}

const NODE_RULES = ['include', 'exclude', 'require'] as const;

function checkAction(phase: PhaseName, action: string, body: JsonValue): void {
  const place = `phases.${phase}.actions.${action}`;
  if (!Object.hasOwn(ACTIONS, action)) {
    throw illegalArgument(`action [${action}] of phase [${phase}] is not supported`);
  }
  const members: readonly string[] | undefined = ACTIONS[action as ActionName];
  if (!ACTIONS_OF[phase].some((each) => each === action)) {
    throw illegalArgument(`invalid action [${action}] defined in phase [${phase}]`);
  }
  if (!isJsonObject(body)) throw badPolicy(`[${place}] must be an object`);
  if (members === undefined) {
    if (parseConditions(body, place).length === 0)
      throw illegalArgument('At least one rollover condition must be set.');
    return;
  }
  const unknown = Object.keys(body).find((member) => !members.includes(member));
  if (unknown !== undefined) throw badPolicy(`[${place}] unknown field [${unknown}]`);
  checkMembers(place, action, body);
  if (action === 'shrink') checkShrink(place, body);
  if (action === 'searchable_snapshot') checkMount(place, body);
}

function checkShrink(place: string, body: JsonObject): void {
  const { number_of_shards: shards, max_primary_shard_size: size, allow_write_after_shrink: takesWrites } = body;
  if ((shards === undefined) === (size === undefined)) {
    const many = shards !== undefined;
    throw illegalArgument(
      many
        ? 'Cannot set both [number_of_shards] and [max_primary_shard_size]'
        : 'Either [number_of_shards] or [max_primary_shard_size] must be set',
    );
  }
  if (shards !== undefined && (!Number.isInteger(shards) || Number(shards) < 1)) {
    throw illegalArgument('[number_of_shards] must be greater than 0');
  }
  if (size !== undefined && (typeof size !== 'string' || parseBytes(size, `${place}.max_primary_shard_size`) <= 0)) {
    throw illegalArgument('[max_primary_shard_size] must be greater than 0');
  }
  if (takesWrites === undefined || typeof takesWrites === 'boolean') return;
  throw badPolicy(`[${place}.allow_write_after_shrink] must be true or false`);
}

function checkMount(place: string, body: JsonObject): void {
  const { snapshot_repository: repository, force_merge_index: merges } = body;
  if (typeof repository !== 'string' || repository === '') throw badPolicy(`[${place}] Required [snapshot_repository]`);
  if (merges !== undefined && typeof merges !== 'boolean') {
    throw badPolicy(`[${place}.force_merge_index] must be true or false`);
  }
}

function checkMembers(place: string, action: string, body: JsonObject): void {
  const counted = { set_priority: 'priority', allocate: 'number_of_replicas', forcemerge: 'max_num_segments' }[action];
  const count = counted === undefined ? undefined : body[counted];
  const minimum = action === 'forcemerge' ? 1 : 0;
  const isRequired = action === 'set_priority' || action === 'forcemerge';
  const isAbsent = count === undefined || count === null;
  if (isAbsent ? isRequired && count === undefined : !Number.isInteger(count) || Number(count) < minimum) {
    throw illegalArgument(`[${place}.${counted ?? ''}] must be a whole number of at least [${minimum}]`);
  }
  if (action === 'allocate' && Object.keys(body).length === 0) {
    throw illegalArgument(
      'At least one of [include], [exclude] or [require] must contain attributes for action [allocate]. ' +
        'Otherwise the [number_of_replicas] must be specified',
    );
  }
  const choice = { migrate: 'enabled', delete: 'delete_searchable_snapshot' }[action];
  const chosen = choice === undefined ? undefined : body[choice];
  if (chosen !== undefined && typeof chosen !== 'boolean') {
    throw badPolicy(`[${place}.${choice ?? ''}] must be true or false`);
  }
  if (action === 'wait_for_snapshot' && (typeof body['policy'] !== 'string' || body['policy'] === '')) {
    throw badPolicy(`[${place}] Required [policy]`);
  }
  const perNode = body['total_shards_per_node'];
  if (perNode !== undefined && perNode !== null && (!Number.isInteger(perNode) || Number(perNode) < -1)) {
    throw illegalArgument(`[${place}.total_shards_per_node] must be a whole number of at least [-1]`);
  }
  for (const rule of NODE_RULES) {
    const attributes = body[rule];
    if (attributes === undefined) continue;
    if (isJsonObject(attributes) && Object.values(attributes).every((value) => typeof value === 'string')) continue;
    throw illegalArgument(`[${place}.${rule}] must be an object of texts`);
  }
}

function refuseOthers(place: string, others: JsonObject): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw badPolicy(`[${place}] unknown field [${unknown}]`);
}

function badPolicy(reason: string): QuarryError {
  return new QuarryError('x_content_parse_exception', reason);
}
