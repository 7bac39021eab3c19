/** `_slm/policy/{policy_id}`: put, get, execute. */
import type { ActionContext } from '../../actions/context.js';
import { startSlmRun } from '../../actions/slm/take-snapshot.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { nextRunMs } from '../../cluster/slm/due.js';
import { checkSlmPolicy, readSlmPolicy } from '../../cluster/slm/policy.js';
import { featuresToSnapshot } from '../../cluster/snapshots/features.js';
import type { SlmInvocation, SlmPolicy, SlmRun } from '../../cluster/slm/types.js';
import { answerAcknowledged, answerValue, type RestAnswer } from '../answer.js';
import type { RestBody } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { splitList } from '../parameters.js';
import { statsMembers } from './stats.js';

interface PolicyRequest {
  readonly parts: { readonly policy_id: string };
  readonly parameters: Parameters<typeof masterTimeoutMs>[0];
  readonly sentParameters: ReadonlySet<string>;
}

export async function putPolicy(
  { parameters, parts, body, sentParameters }: PolicyRequest & { readonly body: RestBody },
  context: ActionContext,
): Promise<RestAnswer> {
  const id = parts.policy_id;
  const policy = checkSlmPolicy(id, body.requireObject());
  const { featureStates, includeGlobalState } = readSlmPolicy(policy).config;
  featuresToSnapshot(featureStates, includeGlobalState);
  const input = { id, policy };
  const timeoutMs = masterTimeoutMs(parameters, sentParameters);
  await context.coordinator.submit('put-slm-policy', input, { timeoutMs });
  return answerAcknowledged();
}

export async function executePolicy(
  { parameters, parts, sentParameters }: PolicyRequest,
  context: ActionContext,
): Promise<RestAnswer> {
  const timeoutMs = masterTimeoutMs(parameters, sentParameters);
  const name = await startSlmRun(context, { id: parts.policy_id }, timeoutMs);
  return answerValue({ snapshot_name: name });
}

/** `listed`: names with commas; undefined: all. */
export function getPolicies(listed: string | undefined, human: boolean, context: ActionContext): RestAnswer {
  const { slmPolicies } = context.clusterState();
  const asked = listed === undefined ? [] : splitList(listed);
  const names = asked.map((name) => (name === '_all' ? '*' : name));
  const found = [...slmPolicies].filter(([id]) => asked.length === 0 || matchesAny(names, id));
  if (found.length === 0 && asked.length > 0) {
    const none = slmPolicies.size === 0 ? ', no policies are configured' : '';
    const reason = `snapshot lifecycle policy or policies [${asked.join(', ')}] not found${none}`;
    throw new QuarryError('resource_not_found_exception', reason);
  }
  const nowMs = context.clock.nowMs();
  return answerValue(Object.fromEntries(found.map(([id, policy]) => [id, shown(id, policy, nowMs, human)])));
}

function shown(id: string, policy: SlmPolicy, nowMs: number, human: boolean): JsonObject {
  const { lastSuccess, lastFailure } = policy;
  const run = [...policy.runs].findLast(([, { uuid }]) => uuid !== undefined);
  const next = nextRunMs(policy, Math.max(nowMs, policy.lastDueMs ?? 0));
  return {
    version: policy.version,
    ...timeMembers('modified_date_millis', 'modified_date', policy.modifiedAtMs, human),
    policy: policy.policy,
    ...(lastSuccess === undefined ? {} : { last_success: invocation(lastSuccess, human) }),
    ...(lastFailure === undefined ? {} : { last_failure: invocation(lastFailure, human) }),
    ...(next === undefined
      ? { next_execution_millis: -1 }
      : timeMembers('next_execution_millis', 'next_execution', next, human)),
    ...(run === undefined ? {} : { in_progress: inProgress(run, human) }),
    stats: statsMembers(id, policy.stats),
  };
}

function invocation({ snapshotName, startedAtMs, endedAtMs, details }: SlmInvocation, human: boolean): JsonObject {
  return {
    snapshot_name: snapshotName,
    ...timeMembers('start_time', 'start_time_string', startedAtMs, human),
    ...timeMembers('time', 'time_string', endedAtMs, human),
    ...(details === undefined ? {} : { details }),
  };
}

function inProgress([name, { uuid = '', startedAtMs }]: readonly [string, SlmRun], human: boolean): JsonObject {
  return { name, uuid, state: 'STARTED', ...timeMembers('start_time_millis', 'start_time', startedAtMs, human) };
}

/** A time as the API shows it: for people too, where they ask for that. */
function timeMembers(raw: string, readable: string, atMs: number, human: boolean): JsonObject {
  return { ...(human ? { [readable]: new Date(atMs).toISOString() } : {}), [raw]: atMs };
}
