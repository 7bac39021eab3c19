/** `PUT`, `GET` and `DELETE _nodes/{node_id}/shutdown`: a node is prepared for being stopped. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import { parseTimeMs } from '../../base/units.js';
import type { PutShutdownInput } from '../../cluster/changes/nodes/node-shutdowns.js';
import type { ShutdownType } from '../../cluster/state.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, splitList } from '../parameters.js';

const TYPES = ['restart', 'remove', 'replace', 'sigterm'] as const;
const FIELDS = ['type', 'reason', 'allocation_delay', 'target_node_name', 'grace_period'];

export const putShutdownEndpoint = defineEndpoint({
  name: 'shutdown.put_node',
  action: 'cluster:admin/shutdown/create',
  methods: ['PUT'],
  paths: ['/_nodes/{node_id}/shutdown'],
  parameters: acknowledgedParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const input = readShutdown(request.parts.node_id, request.body.requireObject());
    const timeoutMs = masterTimeoutMs(request.parameters, request.sentParameters);
    await context.coordinator.submit('put-shutdown', input, { timeoutMs });
    return answerAcknowledged();
  },
});

export const deleteShutdownEndpoint = defineEndpoint({
  name: 'shutdown.delete_node',
  action: 'cluster:admin/shutdown/delete',
  methods: ['DELETE'],
  paths: ['/_nodes/{node_id}/shutdown'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const timeoutMs = masterTimeoutMs(request.parameters, request.sentParameters);
    await context.coordinator.submit('delete-shutdown', { nodeId: request.parts.node_id }, { timeoutMs });
    return answerAcknowledged();
  },
});

export const getShutdownEndpoint = defineEndpoint({
  name: 'shutdown.get_node',
  action: 'cluster:admin/shutdown/get',
  methods: ['GET'],
  paths: ['/_nodes/shutdown', '/_nodes/{node_id}/shutdown'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    // Few nodes are ever asked for this.
    const { renderShutdown } = await import('./render-shutdown.js');
    const state = context.clusterState();
    const { node_id: ids } = request.parts;
    const wanted = ids === undefined ? undefined : splitList(ids);
    const shutdowns = [...state.shutdowns.values()].filter(({ nodeId }) => wanted?.includes(nodeId) ?? true);
    return answerValue({ nodes: shutdowns.map((shutdown) => renderShutdown(state, shutdown)) });
  },
});

function readShutdown(nodeId: string, body: JsonObject): PutShutdownInput {
  const unknown = Object.keys(body).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    throw new QuarryError('x_content_parse_exception', `[put_shutdown_node_request] unknown field [${unknown}]`);
  }
  const type = readType(body);
  const reason = readText(body, 'reason');
  const texts: ShutdownTexts = {
    delay: readText(body, 'allocation_delay'),
    target: readText(body, 'target_node_name'),
    grace: readText(body, 'grace_period'),
  };
  if (type === undefined || reason === undefined) {
    const missing = [...(type === undefined ? ['type'] : []), ...(reason === undefined ? ['reason'] : [])];
    throw illegalArgument(`Required [${missing.join(', ')}]`);
  }
  const wrong = [...(reason.trim() === '' ? ['the reason for shutdown is required'] : []), ...misfits(type, texts)];
  if (wrong.length > 0) {
    const list = wrong.map((sentence, at) => `${at + 1}: ${sentence};`).join('');
    throw new QuarryError('action_request_validation_exception', `Validation Failed: ${list}`);
  }
  const { delay, target, grace } = texts;
  return {
    nodeId,
    type,
    reason,
    ...(delay === undefined ? {} : { allocationDelayMs: parseTimeMs(delay, 'allocation_delay') }),
    ...(target === undefined ? {} : { targetNodeName: target }),
    ...(grace === undefined ? {} : { gracePeriodMs: parseTimeMs(grace, 'grace_period') }),
  };
}

/** Members that only some types have. */
interface ShutdownTexts {
  readonly delay: string | undefined;
  readonly target: string | undefined;
  readonly grace: string | undefined;
}

function readType(body: JsonObject): ShutdownType | undefined {
  const name = readText(body, 'type')?.toLowerCase();
  const type = TYPES.find((each) => each === name);
  if (name === undefined || type !== undefined) return type;
  throw illegalArgument(`unknown shutdown type: ${name}`);
}

/** What does not go together, as sentences. */
function misfits(type: ShutdownType, { delay, target, grace }: ShutdownTexts): readonly string[] {
  const given = `but was given type [${type.toUpperCase()}]`;
  const sentences: string[] = [];
  if (delay !== undefined && type !== 'restart')
    sentences.push('allocation_delay is only allowed for RESTART-type shutdown requests');
  if (target !== undefined && type !== 'replace')
    sentences.push(
      `target node name is only valid for REPLACE type shutdowns, ${given} and target node name [${target}]`,
    );
  if (target === undefined && type === 'replace')
    sentences.push('target node name is required for REPLACE type shutdowns');
  if (grace !== undefined && type !== 'sigterm')
    sentences.push(`grace period is only valid for SIGTERM type shutdowns, ${given} and grace period [${grace}]`);
  if (grace === undefined && type === 'sigterm') sentences.push('grace period is required for SIGTERM shutdowns');
  return sentences;
}

function readText(body: JsonObject, field: string): string | undefined {
  const value: JsonValue | undefined = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new QuarryError('x_content_parse_exception', `[put_shutdown_node_request] [${field}] must be a string`);
}
