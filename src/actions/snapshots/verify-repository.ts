/** Whether every node that needs a repository reaches the same one: each reads what one wrote, and writes beside it. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { newUuid } from '../../base/random.js';
import { repositoryMissing } from '../../cluster/changes/snapshots/repositories.js';
import type { RepositoryRecord } from '../../cluster/snapshots/types.js';
import type { NodeRecord } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { defineNodeAction } from '../nodes/node-action.js';
import { lossOf } from './known-root.js';
import { newestRoot } from './newest-root.js';

const ANSWER_MS_MAX = 60_000;
const TOKEN_BYTES_MAX = 1_000;

export interface VerifyInput {
  readonly name: string;
  /** Of the registration. */
  readonly uuid: string;
  readonly folder: string;
  readonly token: string;
}

/** Null: this node can use it. */
export const verifyHere = defineNodeAction('verify-repository', async (context, input: VerifyInput): Promise<null> => {
  const { name, uuid, folder, token } = input;
  const state = await context.whenState(({ repositories }) => repositories.get(name)?.uuid === uuid, ANSWER_MS_MAX);
  if (state === undefined) throw repositoryMissing(name);
  const { store, options } = context.repositories.of(state, name);
  const found = Buffer.from(await store.read(`${folder}/master`, TOKEN_BYTES_MAX)).toString('utf8');
  if (found !== token) {
    const reason = `[${name}] a file written by another node holds [${found}] and not [${token}]`;
    throw new QuarryError('repository_verification_exception', reason);
  }
  if (!options.isReadOnly) await store.write(`${folder}/node-${context.node.id}`, Buffer.from(token));
  return null;
});

/**
 * The nodes that can use it. Throws `repository_verification_exception`, which names each that cannot, or says what of the repository is
 * lost.
 */
export async function verifyRepository(
  context: ActionContext,
  record: RepositoryRecord,
): Promise<readonly NodeRecord[]> {
  const nodes = [...context.clusterState().nodes.values()].filter(needsRepositories);
  const repository = context.repositories.ofRecord(record);
  const { store, options } = repository;
  // Before a file is written, which would make a directory where a file system was to be mounted.
  const found = await repository.newestGeneration().catch((error: unknown) => {
    throw notAccessible(record.name, error);
  });
  const loss = lossOf(repository, record, found);
  if (loss !== undefined) throw failed(record.name, [loss]);
  if (options.isReadOnly) {
    await newestRoot(context, record.name);
    return nodes;
  }
  const token = newUuid(context.random);
  const folder = `tests-${token}`;
  try {
    await store.write(`${folder}/master`, Buffer.from(token)).catch((error: unknown) => {
      throw notAccessible(record.name, error);
    });
    const faults = await Promise.all(
      nodes.map((node) => faultOf(context, node, { name: record.name, uuid: record.uuid, folder, token })),
    );
    const told = faults.filter((fault) => fault !== undefined);
    if (told.length > 0) throw failed(record.name, told);
    return nodes;
  } finally {
    await store.removeFolder(folder).catch(() => undefined);
  }
}

async function faultOf(context: ActionContext, node: NodeRecord, input: VerifyInput): Promise<string | undefined> {
  try {
    await context.nodes.onNode(node.id, 'verify-repository', input, ANSWER_MS_MAX);
    return undefined;
  } catch (error) {
    const { type, message } = asQuarryError(error);
    return `[${node.id}, '${type}: ${message}']`;
  }
}

function notAccessible(name: string, error: unknown): QuarryError {
  return failed(name, [`path is not accessible on this node: ${asQuarryError(error).message}`]);
}

function failed(name: string, faults: readonly string[]): QuarryError {
  return new QuarryError('repository_verification_exception', `[${name}] [${faults.join(', ')}]`);
}

export function needsRepositories({ roles }: NodeRecord): boolean {
  return roles.some((role) => role === 'master' || role.startsWith('data'));
}
