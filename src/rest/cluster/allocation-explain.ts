/** `GET _cluster/allocation/explain`: why a copy is where it is, or nowhere. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import type { ExplainAllocationInput } from '../../cluster/explain/explain-allocation.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { booleanParameter, integerParameter, stringParameter, timeParameter } from '../parameters.js';

export const allocationExplainEndpoint = defineEndpoint({
  name: 'cluster.allocation_explain',
  action: 'cluster:monitor/allocation/explain',
  methods: ['GET', 'POST'],
  paths: ['/_cluster/allocation/explain'],
  parameters: {
    include_disk_info: booleanParameter(false),
    include_yes_decisions: booleanParameter(false),
    index: stringParameter(),
    shard: integerParameter(),
    primary: booleanParameter(),
    current_node: stringParameter(),
    master_timeout: timeParameter(30_000),
    cluster_manager_timeout: timeParameter(30_000),
  },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, sentParameters } = request;
    const { index, shard, primary, current_node } = parameters;
    const copy = readCopy({
      ...(index === undefined ? {} : { index }),
      ...(shard === undefined ? {} : { shard }),
      ...(primary === undefined ? {} : { primary }),
      ...(current_node === undefined ? {} : { current_node }),
      ...request.body.object(),
    });
    const input: ExplainAllocationInput = {
      ...(copy === undefined ? {} : { copy }),
      includeYesDecisions: parameters.include_yes_decisions,
      includeDiskInfo: parameters.include_disk_info,
    };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    return answerValue(await context.coordinator.submit('explain-allocation', input, { timeoutMs }));
  },
});

/** Undefined when nothing is named. What is named must be named wholly. */
function readCopy(body: JsonObject): ExplainAllocationInput['copy'] {
  const { index, shard, primary, current_node: currentNode, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new QuarryError('x_content_parse_exception', `[cluster_allocation_explain] unknown field [${unknown}]`);
  }
  if ([index, shard, primary, currentNode].every((value) => value === undefined)) return undefined;
  const missing = Object.entries({ index, shard, primary }).filter(([, value]) => value === undefined);
  if (missing.length > 0) {
    const faults = missing.map(([name], at) => `${at + 1}: ${name} must be specified;`);
    throw new QuarryError('action_request_validation_exception', `Validation Failed: ${faults.join('')}`);
  }
  return {
    index: text('index', index),
    shard: number('shard', shard),
    primary: flag('primary', primary),
    ...(currentNode === undefined ? {} : { currentNode: text('current_node', currentNode) }),
  };
}

function text(name: string, value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  throw notA(name, 'a string');
}

function number(name: string, value: JsonValue | undefined): number {
  const parsed = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof parsed === 'number' && Number.isSafeInteger(parsed) && parsed >= 0) return parsed;
  throw notA(name, 'a number of a shard');
}

function flag(name: string, value: JsonValue | undefined): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw notA(name, 'true or false');
}

function notA(name: string, what: string): QuarryError {
  return new QuarryError('x_content_parse_exception', `[cluster_allocation_explain] [${name}] must be ${what}`);
}
