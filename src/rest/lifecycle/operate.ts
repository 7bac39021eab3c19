/** `_ilm/start`, `_ilm/stop`, `_ilm/status`, and what is done to single indices: move, retry, remove. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonValue } from '../../base/json-value.js';
import type { LifecycleStepInput } from '../../cluster/changes/lifecycle-policies.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { policyOf } from '../../cluster/lifecycle/progress.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs, namedIndices } from '../indices/index-names.js';
import { acknowledgedParameters } from '../parameters.js';

const management = { parameters: acknowledgedParameters, pool: 'management', placement: 'any' } as const;
const EVERY_INDEX = { ...IndicesDefaults.change, expandHidden: true };

export const startEndpoint = defineEndpoint({
  ...management,
  name: 'ilm.start',
  action: 'cluster:admin/ilm/start',
  methods: ['POST'],
  paths: ['/_ilm/start'],
  body: 'none',
  async handle({ parameters, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('set-lifecycle-mode', { running: true }, { timeoutMs });
    return answerAcknowledged();
  },
});

export const stopEndpoint = defineEndpoint({
  ...management,
  name: 'ilm.stop',
  action: 'cluster:admin/ilm/stop',
  methods: ['POST'],
  paths: ['/_ilm/stop'],
  body: 'none',
  async handle({ parameters, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('set-lifecycle-mode', { running: false }, { timeoutMs });
    return answerAcknowledged();
  },
});

export const statusEndpoint = defineEndpoint({
  ...management,
  name: 'ilm.get_status',
  action: 'cluster:admin/ilm/operation_mode/get',
  methods: ['GET'],
  paths: ['/_ilm/status'],
  body: 'none',
  handle: (_request, context) =>
    answerValue({ operation_mode: context.clusterState().lifecyclesStopped ? 'STOPPED' : 'RUNNING' }),
});

export const moveEndpoint = defineEndpoint({
  ...management,
  name: 'ilm.move_to_step',
  action: 'cluster:admin/ilm/_move/post',
  methods: ['POST'],
  paths: ['/_ilm/move/{index}'],
  body: 'json',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const { current_step: current, next_step: next, ...others } = body.requireObject();
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw badStep(`[move_to_step_request] unknown field [${unknown}]`);
    const from = readStep(current, 'current_step').phase;
    const change = { kind: 'move', from, ...readStep(next, 'next_step') } as const;
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await changeEach(context, namedIndices(context, parts.index, EVERY_INDEX, {}), change, timeoutMs);
    return answerAcknowledged();
  },
});

function readStep(step: JsonValue | undefined, place: string): { phase: string; action: string | undefined } {
  if (!isJsonObject(step)) throw badStep(`[move_to_step_request] Required [${place}]`);
  const { phase, action, name, ...others } = step;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw badStep(`[${place}] unknown field [${unknown}]`);
  if (typeof phase !== 'string') throw badStep(`[${place}] Required [phase]`);
  // A step of ours is an action as a whole.
  if (name !== undefined && name !== action && name !== 'complete') {
    throw illegalArgument(`[${place}.name] must be the name of the action, found [${JSON.stringify(name)}]`);
  }
  return { phase, action: typeof action === 'string' && action !== 'complete' ? action : undefined };
}

export const retryEndpoint = defineEndpoint({
  ...management,
  name: 'ilm.retry',
  action: 'indices:admin/ilm/retry',
  methods: ['POST'],
  paths: ['/{index}/_ilm/retry'],
  body: 'none',
  async handle({ parameters, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await changeEach(context, namedIndices(context, parts.index, EVERY_INDEX, {}), { kind: 'retry' }, timeoutMs);
    return answerAcknowledged();
  },
});

export const removePolicyEndpoint = defineEndpoint({
  ...management,
  name: 'ilm.remove_policy',
  action: 'indices:admin/ilm/remove_policy',
  methods: ['POST'],
  paths: ['/{index}/_ilm/remove'],
  body: 'none',
  async handle({ parameters, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const indices = namedIndices(context, parts.index, EVERY_INDEX, {}).filter(
      (index) => policyOf(index) !== undefined,
    );
    await changeEach(context, indices, { kind: 'forget' }, timeoutMs);
    return answerValue({ has_failures: false, failed_indexes: [] });
  },
});

async function changeEach(
  context: ActionContext,
  indices: readonly IndexMetadata[],
  change: LifecycleStepInput['change'],
  timeoutMs: number,
): Promise<void> {
  for (const { name, uuid } of indices) {
    await context.coordinator.submit('lifecycle-step', { index: { name, uuid }, change }, { timeoutMs });
  }
}

function badStep(reason: string): QuarryError {
  return new QuarryError('x_content_parse_exception', reason);
}
