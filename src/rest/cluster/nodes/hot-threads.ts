/** `GET _nodes/hot_threads`: plain text, the busiest threads of each node. */
import { askNodes } from '../../../actions/nodes/ask-nodes.js';
import type { HotThreadsInput } from '../../../actions/nodes/hot-threads.js';
import { illegalArgument } from '../../../base/errors.js';
import { HOT_THREAD_SNAPSHOTS_MAX, HOT_THREADS_INTERVAL_MS_MAX, HOT_THREADS_MAX } from '../../../base/limits.js';
import { formatTime } from '../../../base/units.js';
import { selectNodes } from '../../../cluster/nodes/node-filter.js';
import type { NodeRecord } from '../../../cluster/state.js';
import { answerText } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, enumParameter, integerParameter, splitList, timeParameter } from '../../parameters.js';

const TYPES = ['cpu', 'wait', 'block'] as const;
const INDENT = '   ';

export const hotThreadsEndpoint = defineEndpoint({
  name: 'nodes.hot_threads',
  action: 'cluster:monitor/nodes/hot_threads',
  methods: ['GET'],
  paths: [
    ...(['/_nodes/hot_threads', '/_nodes/{node_id}/hot_threads', '/_nodes/hotthreads'] as const),
    ...(['/_nodes/{node_id}/hotthreads', '/_cluster/nodes/hot_threads', '/_cluster/nodes/hotthreads'] as const),
    ...(['/_cluster/nodes/{node_id}/hot_threads', '/_cluster/nodes/{node_id}/hotthreads'] as const),
  ],
  parameters: {
    threads: integerParameter(3),
    interval: timeParameter(500),
    snapshots: integerParameter(10),
    type: enumParameter(TYPES, (text) => illegalArgument(`type not supported [${text}]`)),
    ignore_idle_threads: booleanParameter(true),
    timeout: timeParameter(30_000),
    master_timeout: timeParameter(30_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const input: HotThreadsInput = {
      threads: inRange('threads', parameters.threads, HOT_THREADS_MAX),
      snapshots: inRange('snapshots', parameters.snapshots, HOT_THREAD_SNAPSHOTS_MAX),
      intervalMs: readInterval(parameters.interval),
      type: parameters.type ?? 'cpu',
      ignoreIdleThreads: parameters.ignore_idle_threads,
    };
    const filters = parts.node_id === undefined ? [] : splitList(parts.node_id);
    const nodes = selectNodes(context.clusterState(), filters, context.node.id);
    const { answers, failures } = await askNodes(context, nodes, 'hot-threads', input, parameters.timeout);
    const [failure] = failures;
    if (answers.length === 0 && failure !== undefined) throw failure;
    return answerText(answers.map(({ node, output }) => `::: ${describeNode(node)}\n${indent(output)}\n`).join(''));
  },
});

function inRange(name: string, value: number | undefined, max: number): number {
  if (value !== undefined && value >= 1 && value <= max) return value;
  throw illegalArgument(`parameter [${name}] must be from [1] to [${max}], but was [${value}]`);
}

function readInterval(intervalMs: number): number {
  if (intervalMs >= 1 && intervalMs <= HOT_THREADS_INTERVAL_MS_MAX) return intervalMs;
  const max = formatTime(HOT_THREADS_INTERVAL_MS_MAX);
  throw illegalArgument(`parameter [interval] must be from [1ms] to [${max}], but was [${formatTime(intervalMs)}]`);
}

/** `{name}{id}{ephemeral id}{host}{address}{roles}{attributes}` */
function describeNode(node: NodeRecord): string {
  const attributes = Object.entries(node.attributes).map(([name, value]) => `${name}=${value}`);
  const parts = [node.name, node.id, node.ephemeralId, node.host, node.transportAddress, node.roles.join(',')];
  return `${parts.map((part) => `{${part}}`).join('')}${attributes.length === 0 ? '' : `{${attributes.join(', ')}}`}`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `${INDENT}${line}`)
    .join('\n');
}
