/** `GET {index}/_recovery`. */
import {
  byteCounts,
  fileCounts,
  operationsPercent,
  recoveries,
  type ShardRecovery,
} from '../../../actions/indices/recoveries.js';
import type { ActionContext } from '../../../actions/context.js';
import type { JsonObject } from '../../../base/json-value.js';
import { formatTime } from '../../../base/units.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import type { RecoveryNode, RecoveryReport } from '../../../shard/recovery-progress.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, indicesOptionsParameters } from '../../parameters.js';
import { sizeMembers } from '../../size-members.js';
import { apiVersion } from '../../info/compatibility.js';
import { namedIndices } from '../index-names.js';

export const recoveryEndpoint = defineEndpoint({
  name: 'indices.recovery',
  action: 'indices:monitor/recovery',
  methods: ['GET'],
  paths: ['/_recovery', '/{index}/_recovery'],
  parameters: {
    ...indicesOptionsParameters,
    active_only: booleanParameter(false),
    detailed: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts, presentation } = request;
    const indices = namedIndices(context, parts.index, IndicesDefaults.expandOpenAndClosed, parameters);
    const found = await recoveries(context, indices, parameters.active_only);
    const style = { human: presentation.human, detailed: parameters.detailed };
    const entries = indices.flatMap(({ name }) => {
      const shards = found.filter(({ index }) => index.name === name);
      return shards.length === 0
        ? []
        : [[name, { shards: shards.map((each) => renderRecovery(each, style, context)) }] as const];
    });
    return answerValue(Object.fromEntries(entries));
  },
});

interface Style {
  readonly human: boolean;
  readonly detailed: boolean;
}

function renderRecovery({ index, shard, report }: ShardRecovery, style: Style, context: ActionContext): JsonObject {
  const { type, stage, primary, source, target, startedAtMs, stoppedAtMs, totalMs, translogMs, verifyMs } = report;
  const { operations } = report;
  return {
    id: shard,
    type,
    stage,
    primary,
    ...date('start_time', startedAtMs, style),
    ...(stoppedAtMs === undefined ? {} : date('stop_time', stoppedAtMs, style)),
    ...time('total_time', totalMs, style),
    source: type === 'SNAPSHOT' ? renderSnapshot(index, context) : renderSource(type, source),
    target: renderNode(target),
    index: renderIndex(report, style),
    translog: {
      recovered: operations.recovered,
      total: operations.total,
      percent: operationsPercent(report),
      total_on_start: operations.totalOnStart,
      ...time('total_time', translogMs, style),
    },
    verify_index: {
      // Checked while it is received or opened.
      ...time('check_index_time', 0, style),
      ...time('total_time', verifyMs, style),
    },
  };
}

function renderIndex(report: RecoveryReport, style: Style): JsonObject {
  const { percent, ...bytes } = byteCounts(report);
  const files = fileCounts(report);
  const details = report.files.map(({ name, length, reused, recovered }) => ({
    name,
    length,
    recovered: reused ? length : recovered,
  }));
  return {
    size: {
      ...size('total', bytes.total, style),
      ...size('reused', bytes.reused, style),
      ...size('recovered', bytes.recovered, style),
      percent,
    },
    files: { ...files, ...(style.detailed ? { details } : {}) },
    ...time('total_time', report.indexMs, style),
    ...time('source_throttle_time', report.sourceThrottleMs, style),
    // A copy takes what it is sent.
    ...time('target_throttle_time', 0, style),
  };
}

function renderSnapshot({ restoredFrom }: IndexMetadata, context: ActionContext): JsonObject {
  if (restoredFrom === undefined) return {};
  const { repository, snapshot, index, restoreUuid } = restoredFrom;
  return { repository, snapshot, version: apiVersion(context.settings), index, restoreUUID: restoreUuid };
}

function renderSource(type: RecoveryReport['type'], source: RecoveryNode | undefined): JsonObject {
  return type === 'EXISTING_STORE' ? { bootstrap_new_history_uuid: false } : renderNode(source);
}

function renderNode(node: RecoveryNode | undefined): JsonObject {
  if (node === undefined) return {};
  const { id, host, transportAddress, ip, name } = node;
  return { id, host, transport_address: transportAddress, ip, name };
}

function date(name: string, atMs: number, { human }: Style): JsonObject {
  return { ...(human ? { [name]: new Date(atMs).toISOString() } : {}), [`${name}_in_millis`]: atMs };
}

function time(name: string, millis: number, { human }: Style): JsonObject {
  return { ...(human ? { [name]: formatTime(millis) } : {}), [`${name}_in_millis`]: millis };
}

function size(name: string, bytes: number, { human }: Style): JsonObject {
  return sizeMembers(name, bytes, human);
}
