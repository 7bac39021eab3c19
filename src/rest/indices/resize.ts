/** `PUT {index}/_shrink/{target}`, `_split` and `_clone`. */
import { checkActiveShards } from '../../actions/indices/create-index.js';
import { resizeIndex, type ResizeRequest } from '../../actions/indices/resize-index.js';
import type { Work } from '../../actions/tasks/background.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { parseBytes } from '../../base/units.js';
import { resolveDateMathName } from '../../cluster/names/date-math-name.js';
import { indexNotFound } from '../../cluster/names/index-expression.js';
import type { ResizeKind } from '../../cluster/resize.js';
import { flattenSettings, withIndexPrefix, type SettingValue } from '../../cluster/settings/flat-settings.js';
import { answerValue } from '../answer.js';
import { defineEndpoint, type Endpoint } from '../endpoint.js';
import {
  acknowledgedParameters,
  activeShardsParameter,
  booleanParameter,
  stringParameter,
  timeParameter,
} from '../parameters.js';
import { answerTask } from '../tasks/answer-task.js';
import { masterTimeoutMs } from './index-names.js';

const HOUR_MS = 3_600_000;

export const shrinkEndpoint = defineResize('shrink', '/{index}/_shrink/{target}');
export const splitEndpoint = defineResize('split', '/{index}/_split/{target}');
export const cloneEndpoint = defineResize('clone', '/{index}/_clone/{target}');

function defineResize(kind: ResizeKind, path: `/{index}/_${ResizeKind}/{target}`): Endpoint {
  return defineEndpoint({
    name: `indices.${kind}`,
    action: 'indices:admin/resize',
    methods: ['PUT', 'POST'],
    paths: [path],
    parameters: {
      ...acknowledgedParameters,
      wait_for_active_shards: activeShardsParameter(),
      copy_settings: stringParameter(),
      wait_for_completion: booleanParameter(true),
      task_execution_timeout: timeParameter(HOUR_MS),
    },
    body: 'json',
    pool: 'management',
    placement: 'any',
    async handle({ parameters, parts, body, sentParameters }, context) {
      checkCopySettings(parameters.copy_settings);
      const name = resolveDateMathName(parts.index, context.clock.nowMs());
      const asked = readBody(kind, body.object() ?? {});
      const source = context.clusterState().indices.get(name);
      if (source === undefined) throw indexNotFound(name);
      const { wait_for_completion: waits, wait_for_active_shards: waitForActiveShards } = parameters;
      checkActiveShards(waitForActiveShards, asked.replicas ?? source.numberOfReplicas);
      const request: ResizeRequest = {
        ...asked,
        kind,
        source,
        target: parts.target,
        waitForActiveShards,
        masterTimeoutMs: masterTimeoutMs(parameters, sentParameters),
        timeoutMs: waits ? parameters.timeout : parameters.task_execution_timeout,
      };
      const work: Work = async (own) => {
        const { index, shardsAcknowledged } = await resizeIndex(own, request);
        return { acknowledged: true, shards_acknowledged: shardsAcknowledged, index: index.name };
      };
      if (waits) return answerValue(await work(context));
      const description = `${kind} from [${name}] to [${parts.target}]`;
      return answerTask({ action: 'indices:admin/resize', description }, work, context);
    },
  });
}

/** Settings are always copied; the parameter is left from when they were not. */
function checkCopySettings(value: string | undefined): void {
  if (value === undefined || value === '' || value === 'true') return;
  if (value === 'false') throw illegalArgument('parameter [copy_settings] can not be explicitly set to [false]');
  throw illegalArgument(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
}

interface ResizeBody extends Pick<ResizeRequest, 'settings' | 'aliases' | 'numberOfShards' | 'maxShardBytes'> {
  readonly replicas: number | undefined;
}

function readBody(kind: ResizeKind, body: JsonObject): ResizeBody {
  const unknown = Object.keys(body).find((key) => !['settings', 'aliases', 'max_shard_size'].includes(key));
  if (unknown !== undefined) {
    throw new QuarryError('x_content_parse_exception', `[resize_request] unknown field [${unknown}]`);
  }
  const [settings, aliases] = [objectOf(body, 'settings'), objectOf(body, 'aliases')];
  const maxShardBytes = readMaxShardSize(kind, body['max_shard_size']);
  const flat = withIndexPrefix(flattenSettings(settings));
  const numberOfShards = numberOf(flat.get('index.number_of_shards'));
  const faults: string[] = [];
  if ([...flat.keys()].some((key) => key.startsWith('index.sort.'))) {
    faults.push("can't override index sort when resizing an index");
  }
  if (kind === 'split' && !flat.has('index.number_of_shards')) {
    faults.push('index.number_of_shards is required for split operations');
  }
  if (maxShardBytes !== undefined && maxShardBytes <= 0) faults.push('max_shard_size must be greater than 0');
  if (faults.length > 0) {
    const list = faults.map((fault, at) => `${at + 1}: ${fault};`).join('');
    throw new QuarryError('action_request_validation_exception', `Validation Failed: ${list}`);
  }
  if (maxShardBytes !== undefined && flat.has('index.number_of_shards')) {
    throw illegalArgument('Cannot set both index.number_of_shards and max_shard_size for the target index');
  }
  return { settings, aliases, maxShardBytes, numberOfShards, replicas: numberOf(flat.get('index.number_of_replicas')) };
}

function objectOf(body: JsonObject, key: 'settings' | 'aliases'): JsonObject {
  const value = body[key] ?? {};
  if (isJsonObject(value)) return value;
  throw wrongKind(key);
}

function wrongKind(key: string): QuarryError {
  return new QuarryError('x_content_parse_exception', `[resize_request] ${key} doesn't support values of this type`);
}

function readMaxShardSize(kind: ResizeKind, value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (kind !== 'shrink') throw illegalArgument('Unsupported parameter [max_shard_size]');
  if (typeof value === 'string') return parseBytes(value, 'max_shard_size');
  throw wrongKind('max_shard_size');
}

/** Undefined as well for what is no number: the master says what is wrong with it. */
function numberOf(value: SettingValue | null | undefined): number | undefined {
  const number = typeof value === 'string' ? Number(value) : NaN;
  return Number.isInteger(number) ? number : undefined;
}
