/**
 * `_dangling`: indices of which nodes have files and which the cluster does not know, as after the loss of all masters. They
 * are listed, can be taken back or deleted, and never come back by themselves.
 */
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import type { UnknownIndex } from '../../actions/nodes/unknown-indices.js';
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument, type QuarryError } from '../../base/errors.js';
import { decodeIndex } from '../../cluster/state-codec.js';
import type { IndexMetadata, NodeRecord } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { nodesHeader } from '../cluster/nodes/nodes-header.js';
import { dataNodes } from '../../cluster/nodes/data-nodes.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, timeParameter } from '../parameters.js';
import { masterTimeoutMs } from './index-names.js';

/** How long nodes are waited for. */
const ANSWER_MS_MAX = 30_000;

const changeParameters = {
  accept_data_loss: booleanParameter(false),
  timeout: timeParameter(30_000),
  master_timeout: timeParameter(30_000),
  cluster_manager_timeout: timeParameter(30_000),
} as const;

export const listDanglingEndpoint = defineEndpoint({
  name: 'dangling_indices.list_dangling_indices',
  action: 'cluster:admin/indices/dangling/list',
  methods: ['GET'],
  paths: ['/_dangling'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { nodes, failures, indices } = await danglingIndices(context);
    return answerValue({
      _nodes: nodesHeader(nodes.length, failures),
      cluster_name: context.clusterState().clusterName,
      dangling_indices: indices.map(({ index, nodeIds }) => ({
        index_name: nameOf(index),
        index_uuid: index.indexUuid,
        ...(request.presentation.human && index.createdAtMs !== null
          ? { creation_date: new Date(index.createdAtMs).toISOString() }
          : {}),
        creation_date_millis: index.createdAtMs ?? 0,
        node_ids: nodeIds,
      })),
    });
  },
});

export const deleteDanglingEndpoint = defineEndpoint({
  name: 'dangling_indices.delete_dangling_index',
  action: 'cluster:admin/indices/dangling/delete',
  methods: ['DELETE'],
  paths: ['/_dangling/{index_uuid}'],
  parameters: changeParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts, sentParameters } = request;
    const { index } = await dangling(context, parts.index_uuid, parameters.accept_data_loss);
    const input = { indices: [{ name: nameOf(index), uuid: index.indexUuid }] };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('entomb-indices', input, { timeoutMs });
    return answerValue({ acknowledged: true });
  },
});

export const importDanglingEndpoint = defineEndpoint({
  name: 'dangling_indices.import_dangling_index',
  action: 'cluster:admin/indices/dangling/import',
  methods: ['POST'],
  paths: ['/_dangling/{index_uuid}'],
  parameters: changeParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts, sentParameters } = request;
    const found = await dangling(context, parts.index_uuid, parameters.accept_data_loss);
    const index = await newestRecord(context, found);
    await context.coordinator.submit(
      'import-index',
      { index },
      { timeoutMs: masterTimeoutMs(parameters, sentParameters) },
    );
    return answerValue({ acknowledged: true });
  },
});

/** What the cluster said of the index last, as far as its nodes have written that down. */
async function newestRecord(context: ActionContext, { index, nodeIds }: Dangling): Promise<IndexMetadata> {
  const { indexUuid } = index;
  const nodes = dataNodes(context.clusterState()).filter(({ id }) => nodeIds.includes(id));
  const { answers, failures } = await askNodes(context, nodes, 'index-record', { indexUuid }, ANSWER_MS_MAX);
  const records = answers
    .flatMap(({ output }) => (output === null ? [] : [decodeIndex(output)]))
    .filter(({ uuid }) => uuid === indexUuid)
    .sort((left, right) => right.version - left.version);
  const [newest] = records;
  if (newest !== undefined) return newest;
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  throw illegalArgument(
    `dangling index with UUID [${indexUuid}] cannot be imported: no node has written down its mapping and settings`,
  );
}

interface Dangling {
  readonly index: UnknownIndex;
  readonly nodeIds: string[];
}

interface DanglingIndices {
  readonly nodes: readonly NodeRecord[];
  readonly failures: readonly QuarryError[];
  readonly indices: readonly Dangling[];
}

async function danglingIndices(context: ActionContext): Promise<DanglingIndices> {
  const nodes = dataNodes(context.clusterState());
  const { answers, failures } = await askNodes(context, nodes, 'unknown-indices', null, ANSWER_MS_MAX);
  const found = new Map<string, Dangling>();
  for (const { node, output } of answers) {
    for (const index of output) {
      const known = found.get(index.indexUuid);
      if (known === undefined) found.set(index.indexUuid, { index, nodeIds: [node.id] });
      else known.nodeIds.push(node.id);
    }
  }
  return { nodes, failures, indices: [...found.values()] };
}

async function dangling(context: ActionContext, uuid: string, acceptsLoss: boolean): Promise<Dangling> {
  if (!acceptsLoss) throw illegalArgument('accept_data_loss must be set to true');
  const { indices } = await danglingIndices(context);
  const found = indices.find(({ index }) => index.indexUuid === uuid);
  if (found !== undefined) return found;
  throw illegalArgument(`No dangling index found for UUID [${uuid}]`);
}

/** Files of which none tells a name have that of their directory. */
function nameOf({ name, indexUuid }: UnknownIndex): string {
  return name ?? indexUuid;
}
