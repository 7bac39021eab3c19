/** The table of all node actions. A new one is added here and nowhere else. */
import { QuarryError } from '../../base/errors.js';
import type { ActionContext } from '../context.js';
import { askAsyncSearch } from '../searches/async/ask-async-search.js';
import type { CopyPlace } from '../shard-client.js';
import { verifyHere } from '../snapshots/verify-repository.js';
import { analysisClaim, analysisDelete, analysisRead, analysisWrite } from '../snapshots/analysis/blob-operations.js';
import { activeCopies } from './active-copies.js';
import { clearAuthentications } from './clear-authentications.js';
import { diskUsage } from './disk-usage.js';
import { hotThreads } from './hot-threads.js';
import { ingestFigures } from './ingest-figures.js';
import type { NodeAction } from './node-action.js';
import { nodeFacts } from './node-facts.js';
import { reloadSecureSettings } from './reload-secure-settings.js';
import { runLifecycles } from './run-lifecycles.js';
import { runSnapshotsAction } from './run-snapshots.js';
import { followSlmRunAction, runSlmRetentionAction, runSmWorkflowAction, startSlmRunAction } from './run-slm.js';
import { runPipelinesAction } from '../ingest/run-pipelines.js';
import { shardStores } from './shard-stores.js';
import { sharedCache } from './shared-cache.js';
import { snapshotsStopped } from './snapshots-stopped.js';
import { writeTimes } from './write-times.js';
import { storeLostTasks } from './store-lost-tasks.js';
import { indexRecord, unknownIndices } from './unknown-indices.js';
import { updateFigures } from './update-figures.js';

export const NODE_ACTIONS = {
  'active-copies': activeCopies,
  'analysis-claim': analysisClaim,
  'analysis-delete': analysisDelete,
  'analysis-read': analysisRead,
  'analysis-write': analysisWrite,
  'async-search': askAsyncSearch,
  'clear-authentications': clearAuthentications,
  'disk-usage': diskUsage,
  'follow-slm-run': followSlmRunAction,
  'hot-threads': hotThreads,
  'index-record': indexRecord,
  'ingest-figures': ingestFigures,
  'node-facts': nodeFacts,
  'reload-secure-settings': reloadSecureSettings,
  'run-lifecycles': runLifecycles,
  'run-pipelines': runPipelinesAction,
  'run-snapshots': runSnapshotsAction,
  'run-slm-retention': runSlmRetentionAction,
  'run-sm-workflow': runSmWorkflowAction,
  'shard-stores': shardStores,
  'shared-cache': sharedCache,
  'snapshots-stopped': snapshotsStopped,
  'start-slm-run': startSlmRunAction,
  'store-lost-tasks': storeLostTasks,
  'unknown-indices': unknownIndices,
  'update-figures': updateFigures,
  'verify-repository': verifyHere,
  'write-times': writeTimes,
} as const;

export type NodeActionName = keyof typeof NODE_ACTIONS;
export type NodeActionInput<Name extends NodeActionName> =
  (typeof NODE_ACTIONS)[Name] extends NodeAction<string, infer Input, unknown> ? Input : never;
export type NodeActionOutput<Name extends NodeActionName> =
  (typeof NODE_ACTIONS)[Name] extends NodeAction<string, never, infer Output> ? Output : never;

export interface NodeClient {
  /** Has the node answer, this one or another. Rejects when it cannot be reached within the time. */
  onNode<Name extends NodeActionName>(
    nodeId: string,
    name: Name,
    input: NodeActionInput<Name>,
    timeoutMs: number,
  ): Promise<NodeActionOutput<Name>>;

  /** As `onNode`, of one worker: what it alone knows. */
  onWorker<Name extends NodeActionName>(
    place: CopyPlace,
    name: Name,
    input: NodeActionInput<Name>,
    timeoutMs: number,
  ): Promise<NodeActionOutput<Name>>;
}

/** A node action as it is looked up by name, its own types erased. */
type AnyNodeAction = NodeAction<string, unknown, unknown>;

/** Runs what this node was asked by another, or by itself. */
export async function runNodeAction(context: ActionContext, name: string, input: unknown): Promise<unknown> {
  const actions = NODE_ACTIONS as unknown as Readonly<Record<string, AnyNodeAction>>;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action !== undefined) return action.run(context, input);
  throw new QuarryError('action_not_found_transport_exception', `there is no action [${name}] of nodes`);
}
