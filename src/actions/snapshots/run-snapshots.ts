/**
 * What is to be done in repositories, carried out by a worker of the master's node: one of them at a time does all of it. Each step
 * may be done twice, because a new master begins where the cluster state says that the former one was.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { named } from '../../base/logger.js';
import { dueOperations } from '../../cluster/snapshots/queue.js';
import type { OperationOutcome, SnapshotOperation } from '../../cluster/snapshots/types.js';
import type { ActionContext } from '../context.js';
import { asTask } from '../tasks/as-task.js';
import { cloneSnapshot } from './clone-snapshot.js';
import { makeSnapshot } from './make-snapshot.js';
import { findRepository } from '../../cluster/changes/snapshots/repositories.js';
import { removeSnapshots } from './remove-snapshots.js';
import type { RepositoryRoot } from '../../repositories/format.js';

/** What came of an operation, and the root that it wrote. */
export interface OperationResult {
  readonly outcome: OperationOutcome;
  readonly root?: Pick<RepositoryRoot, 'generation' | 'uuid'>;
}

const LOOK_MS = 1_000;

/** Returns when nothing is left, or another node is the master. */
export async function runSnapshots(context: ActionContext): Promise<void> {
  const running = new Map<string, Promise<void>>();
  const isMaster = (): boolean => context.clusterState().masterNodeId === context.node.id;
  for (;;) {
    const { version } = context.clusterState();
    const due = isMaster() ? dueOperations(context.clusterState()) : [];
    for (const operation of due) {
      if (running.has(operation.uuid)) continue;
      const { uuid } = operation;
      const done = carryOut(context, operation).finally(() => running.delete(uuid));
      running.set(uuid, done);
    }
    if (running.size === 0) return;
    await Promise.race([...running.values(), context.whenState((state) => state.version > version, LOOK_MS)]);
  }
}

const TASK_OF = {
  create: 'cluster:admin/snapshot/create',
  clone: 'cluster:admin/snapshot/clone',
  delete: 'cluster:admin/snapshot/delete',
} as const;

/** Never rejects: what fails is the outcome, and what cannot even be told is tried again by the next run. */
async function carryOut(context: ActionContext, operation: SnapshotOperation): Promise<void> {
  try {
    if (operation.outcome === undefined) {
      const { uuid, repository } = operation;
      const { outcome, root } = await resultOf(context, operation);
      const known = root === undefined ? {} : { generation: root.generation, contentUuid: root.uuid };
      const { uuid: repositoryUuid } = findRepository(context.clusterState(), repository);
      await context.coordinator.submit('settle-snapshot-operation', { uuid, repositoryUuid, outcome, ...known });
    }
    await context.coordinator.submit('end-snapshot-operation', { uuid: operation.uuid });
  } catch (error) {
    const { type, message } = asQuarryError(error);
    const { kind, repository } = operation;
    named(context.logger, 'snapshots').log('warn', 'work in a repository could not be ended', {
      kind,
      repository,
      type,
      reason: message,
    });
    await context.whenState(() => false, LOOK_MS);
  }
}

async function resultOf(context: ActionContext, operation: SnapshotOperation): Promise<OperationResult> {
  const { kind, repository } = operation;
  const what = kind === 'delete' ? `[${repository}]` : `[${repository}:${operation.name}]`;
  try {
    return await asTask(context, TASK_OF[kind], `${kind} in ${what}`, (own) => {
      switch (operation.kind) {
        case 'create':
          return makeSnapshot(own, operation);
        case 'clone':
          return cloneSnapshot(own, operation);
        case 'delete':
          return removeSnapshots(own, operation);
      }
    });
  } catch (error) {
    const { type, message } = asQuarryError(error);
    named(context.logger, 'snapshots').log('warn', 'work in a repository failed', {
      kind,
      repository,
      type,
      reason: message,
    });
    return { outcome: { failure: { type, reason: message } } };
  }
}
