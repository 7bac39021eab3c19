/** `_plugins/_sm/policies`: create, update, read, list, delete, explain, start, stop. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { SM_PRIMARY_TERM, smDocumentId } from '../../cluster/changes/snapshots/sm-policies.js';
import { checkSmPolicy } from '../../cluster/sm/policy.js';
import type { SmPolicy } from '../../cluster/sm/types.js';
import { answerAcknowledged, answerValue, type RestAnswer } from '../answer.js';
import type { RestBody } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { splitList } from '../parameters.js';
import { nameMatcher } from './name-query.js';
import { renderExplained, renderPolicy } from './render.js';
import { sorterBy } from './sort.js';
import { wildcardMatcher } from './wildcards.js';

/** Where the reference keeps them. */
const CONFIG_INDEX = '.opendistro-ism-config';
const CREATED = 201;
/** Of a page: as far as searches go. */
const WINDOW_MAX = 10_000;
const POLICIES = '_plugins/_sm/policies';

interface PolicyRequest {
  readonly parts: { readonly policy_name: string };
  readonly parameters: Parameters<typeof masterTimeoutMs>[0];
  readonly sentParameters: ReadonlySet<string>;
}

interface Expected {
  readonly if_seq_no: number | undefined;
  readonly if_primary_term: number | undefined;
}

/** `expected`: of an update what it is of. */
export async function putPolicy(
  { parts, parameters, sentParameters, body }: PolicyRequest & { readonly body: RestBody },
  context: ActionContext,
  expected: Expected | undefined,
): Promise<RestAnswer> {
  const name = parts.policy_name;
  const checked = checkSmPolicy(name, body.requireObject(), context.clock.nowMs());
  // The policy will do these things, whatever its maker may do by then.
  context.authority?.require('cluster:admin/snapshot/create');
  if (checked.definition.deletion !== undefined) context.authority?.require('cluster:admin/snapshot/delete');
  const input = { name, ...checked, ...(expected === undefined ? {} : { expected: expectedOf(expected) }) };
  const timeoutMs = masterTimeoutMs(parameters, sentParameters);
  const policy = await context.coordinator.submit('put-sm-policy', input, { timeoutMs });
  const headers = { Location: `${POLICIES}/${name}` };
  return answerValue(shown(name, policy), expected === undefined ? CREATED : 200, headers);
}

function expectedOf({ if_seq_no: seqNo, if_primary_term: primaryTerm }: Expected): {
  readonly seqNo: number;
  readonly primaryTerm: number;
} {
  if (seqNo !== undefined && primaryTerm !== undefined) return { seqNo, primaryTerm };
  const reason = 'Sequence number and primary term must be provided when updating a snapshot management policy';
  throw new QuarryError('action_request_validation_exception', `Validation Failed: 1: ${reason};`);
}

export function getPolicy(name: string, context: ActionContext): RestAnswer {
  const policy = context.clusterState().smPolicies.get(name);
  if (policy !== undefined) return answerValue(shown(name, policy));
  throw new QuarryError('status_exception', 'Snapshot management policy not found', { status: 404 });
}

function shown(name: string, policy: SmPolicy): object {
  const { version, seqNo } = policy;
  const place = { _id: smDocumentId(name), _version: version, _seq_no: seqNo, _primary_term: SM_PRIMARY_TERM };
  return { ...place, sm_policy: renderPolicy(name, policy) };
}

interface ListParameters {
  readonly from: number | undefined;
  readonly size: number | undefined;
  readonly sortField: string;
  readonly sortOrder: 'asc' | 'desc' | undefined;
  readonly queryString: string;
}

export function listPolicies(asked: ListParameters, context: ActionContext): RestAnswer {
  const { from = 0, size = 0, sortField, sortOrder, queryString } = asked;
  if (from < 0) throw illegalArgument(`[from] parameter cannot be negative, found [${from}]`);
  if (size < 0) throw illegalArgument(`[size] parameter cannot be negative, found [${size}]`);
  if (from + size > WINDOW_MAX) {
    throw illegalArgument(`[from] + [size] must be at most [${WINDOW_MAX}], but was [${from + size}]`);
  }
  const matches = nameMatcher(queryString);
  const compare = sorterBy(sortField, sortOrder === 'desc');
  const found = [...context.clusterState().smPolicies].filter(([name]) => matches(name)).sort(compare);
  const policies = found.slice(from, from + size).map(([name, policy]) => {
    const { _version, ...place } = shown(name, policy) as { readonly _version: number };
    return place;
  });
  return answerValue({ policies, total_policies: found.length });
}

export async function deletePolicy(
  { parts, parameters, sentParameters }: PolicyRequest,
  context: ActionContext,
): Promise<RestAnswer> {
  const name = parts.policy_name;
  const timeoutMs = masterTimeoutMs(parameters, sentParameters);
  const { version, seqNo } = await context.coordinator.submit('delete-sm-policy', { name }, { timeoutMs });
  return answerValue({
    _index: CONFIG_INDEX,
    _id: smDocumentId(name),
    _version: version,
    result: 'deleted',
    forced_refresh: true,
    _shards: { total: 1, successful: 1, failed: 0 },
    _seq_no: seqNo,
    _primary_term: SM_PRIMARY_TERM,
  });
}

export async function enablePolicy(
  { parts, parameters, sentParameters }: PolicyRequest,
  context: ActionContext,
  enabled: boolean,
): Promise<RestAnswer> {
  const timeoutMs = masterTimeoutMs(parameters, sentParameters);
  await context.coordinator.submit('set-sm-enabled', { name: parts.policy_name, enabled }, { timeoutMs });
  return answerAcknowledged();
}

/** Names that nothing has are left out, as in the reference. */
export function explainPolicies(names: string, context: ActionContext): RestAnswer {
  const matchers = splitList(names).map((name) => wildcardMatcher(name));
  const nowMs = context.clock.nowMs();
  const found = [...context.clusterState().smPolicies]
    .filter(([name]) => matchers.some((matches) => matches(name)))
    .sort(sorterBy('sm_policy.name', false));
  return answerValue({ policies: found.map(([name, policy]) => renderExplained(name, policy, nowMs)) });
}
