/** Tries a store as snapshots use it, from all nodes at once: whether it keeps what it promises, and how fast it is. */
import { asQuarryError } from '../../../base/error-wire.js';
import { QuarryError } from '../../../base/errors.js';
import { eachAtOnce } from '../../../base/each-at-once.js';
import { newUuid } from '../../../base/random.js';
import type { RepositoryRecord } from '../../../cluster/snapshots/types.js';
import type { NodeRecord } from '../../../cluster/state.js';
import type { BlobStore } from '../../../repositories/blob-store.js';
import type { ActionContext } from '../../context.js';
import { checkNotLost } from '../known-root.js';
import { needsRepositories } from '../verify-repository.js';
import type { ReadOutput } from './blob-operations.js';
import { planBlobs, type AnalysisOptions, type BlobPlan } from './plan.js';

export interface AnalysisRead extends ReadOutput {
  readonly node: NodeRecord;
  /** It began while the blob was written, and may not have found it. */
  readonly isEarly: boolean;
}

export interface AnalysedBlobReport {
  readonly plan: BlobPlan;
  readonly writer: NodeRecord;
  readonly writeMs: number;
  readonly reads: readonly AnalysisRead[];
}

export interface AnalysisReport {
  readonly folder: string;
  readonly blobs: readonly AnalysedBlobReport[];
  /** Not wrong by itself, but to be known. */
  readonly issues: readonly string[];
  readonly listingMs: number;
  readonly deletionMs: number;
}

/** Nodes that try at once to be the first to write one blob, at most. */
const CLAIMS_AT_ONCE = 16;

/**
 * Throws `repository_verification_exception` for the first thing that is wrong, and when the time is over; as `knownRoot` where the
 * repository is lost, before a file is written, which would make a directory where a file system was to be mounted.
 */
export async function analyseRepository(
  context: ActionContext,
  record: RepositoryRecord,
  options: AnalysisOptions,
  timeoutMs: number,
): Promise<AnalysisReport> {
  const repository = context.repositories.ofRecord(record);
  // Whether the store can be listed is found out by the analysis.
  const found = await repository.newestGeneration().catch(() => undefined);
  if (found !== undefined) checkNotLost(repository, record, found);
  const analysis = new Analysis(context, record, options, timeoutMs);
  try {
    return await analysis.run();
  } catch (error) {
    await analysis.clear();
    const { type, message } = asQuarryError(error);
    if (type === 'task_cancelled_exception') throw error;
    const reason = `[${record.name}] analysis failed, you may need to manually remove [${analysis.folder}]: ${message}`;
    throw new QuarryError('repository_verification_exception', reason);
  }
}

class Analysis {
  readonly folder: string;
  private readonly context: ActionContext;
  private readonly repository: string;
  private readonly store: BlobStore;
  private readonly options: AnalysisOptions;
  private readonly nodes: readonly NodeRecord[];
  private readonly endMs: number;
  private readonly timeoutMs: number;

  constructor(context: ActionContext, record: RepositoryRecord, options: AnalysisOptions, timeoutMs: number) {
    this.context = context;
    this.repository = record.name;
    this.store = context.repositories.ofRecord(record).store;
    this.options = options;
    this.nodes = [...context.clusterState().nodes.values()].filter(needsRepositories);
    this.folder = `temp-analysis-${newUuid(context.random)}`;
    this.timeoutMs = timeoutMs;
    this.endMs = context.clock.monotonicMs() + timeoutMs;
  }

  async run(): Promise<AnalysisReport> {
    const plans = planBlobs(this.options, this.nodes.length);
    const blobs: AnalysedBlobReport[] = [];
    await Promise.all([
      eachAtOnce(plans, this.options.concurrency, async (plan) => {
        blobs.push(await this.tryBlob(plan));
      }),
      this.tryClaims(),
    ]);
    const listingMs = await this.timed(() => this.checkListing(plans));
    const deletionMs = await this.timed(() => this.checkDeletion(plans));
    const issues = this.store.isConditional
      ? []
      : ['the store has no conditional writes: two clusters that write at the same moment are not kept apart'];
    return { folder: this.folder, blobs, issues, listingMs, deletionMs };
  }

  async clear(): Promise<void> {
    await this.store.removeFolder(this.folder).catch(() => undefined);
  }

  private async tryBlob(plan: BlobPlan): Promise<AnalysedBlobReport> {
    const { name, seed, length, from, count, isAbandoned } = plan;
    const blob = { repository: this.repository, blob: `${this.folder}/${name}`, seed, length };
    const writer = this.node(plan.writer);
    const read = async (at: number, isEarly: boolean): Promise<AnalysisRead> => {
      const node = this.node(at);
      const range = isEarly ? { from: 0, count: length } : { from, count };
      const answer = await this.context.nodes.onNode(node.id, 'analysis-read', { ...blob, ...range }, this.leftMs());
      return { ...answer, node, isEarly };
    };
    const written = this.context.nodes.onNode(writer.id, 'analysis-write', { ...blob, isAbandoned }, this.leftMs());
    const early = plan.earlyReaders.map((at) => read(at, true));
    // All have ended before one of their failures is told: nothing writes where all is removed.
    await Promise.allSettled([written, ...early]);
    const { elapsedMs: writeMs } = await written;
    const reads = await Promise.all([...early, ...plan.readers.map((at) => read(at, false))]);
    const wrong = reads.find(({ isFound, isEarly }) => (isAbandoned ? isFound : !isFound && !isEarly));
    if (wrong === undefined) return { plan, writer, writeMs, reads };
    const what = isAbandoned ? 'was found though its write was abandoned' : 'was not found after it was written';
    throw new QuarryError('repository_verification_exception', `[${name}] ${what}, on node [${wrong.node.name}]`);
  }

  /** Of several that write a new blob at once, one succeeds, and all see which. */
  private async tryClaims(): Promise<void> {
    const claimants = Math.max(2, Math.min(this.options.concurrency, CLAIMS_AT_ONCE));
    for (let round = 0; round < this.options.registerOperationCount; round++) {
      const blob = `${this.folder}/register-${round}`;
      const claims = await Promise.all(
        Array.from({ length: claimants }, async (_, at) => {
          const node = this.node(at % this.nodes.length);
          const input = { repository: this.repository, blob, token: `${node.id}/${at}` };
          return { ...input, ...(await this.context.nodes.onNode(node.id, 'analysis-claim', input, this.leftMs())) };
        }),
      );
      const winners = claims.filter(({ isOwn }) => isOwn);
      const [winner] = winners;
      const isOne = winners.length === 1 && claims.every(({ holder }) => holder === winner?.token);
      if (isOne) continue;
      const reason = `of [${claims.length}] that wrote the new blob [${blob}] at once, [${winners.length}] succeeded`;
      throw new QuarryError('repository_verification_exception', reason);
    }
  }

  private async checkListing(plans: readonly BlobPlan[]): Promise<void> {
    const { blobs } = await this.store.list(this.folder);
    for (const { name, length, isAbandoned } of plans) {
      const found = blobs.get(name);
      if (found === (isAbandoned ? undefined : length)) continue;
      const shown = found === undefined ? 'lacks it' : `has it with [${found}] bytes`;
      const expected = isAbandoned ? 'its write was abandoned' : `it has [${length}]`;
      throw new QuarryError(
        'repository_verification_exception',
        `the listing ${shown}: blob [${name}], though ${expected}`,
      );
    }
    const registers = [...blobs.keys()].filter((name) => name.startsWith('register-')).length;
    if (registers === this.options.registerOperationCount) return;
    const reason = `the listing has [${registers}] registers instead of [${this.options.registerOperationCount}]`;
    throw new QuarryError('repository_verification_exception', reason);
  }

  private async checkDeletion(plans: readonly BlobPlan[]): Promise<void> {
    const { id } = this.node(this.options.seed % this.nodes.length);
    const input = { repository: this.repository, folder: this.folder };
    await this.context.nodes.onNode(id, 'analysis-delete', input, this.leftMs());
    const { blobs } = await this.store.list(this.folder);
    const [left] = blobs.keys();
    if (left !== undefined) {
      throw new QuarryError('repository_verification_exception', `[${left}] is still listed after it was deleted`);
    }
    const [first] = plans;
    if (first === undefined) return;
    const found = await this.store.read(`${this.folder}/${first.name}`, first.length).catch((error: unknown) => {
      if (asQuarryError(error).type === 'no_such_file_exception') return undefined;
      throw error;
    });
    if (found === undefined) return;
    throw new QuarryError(
      'repository_verification_exception',
      `[${first.name}] can still be read after it was deleted`,
    );
  }

  private async timed(work: () => Promise<void>): Promise<number> {
    this.leftMs();
    const startedMs = this.context.clock.monotonicMs();
    await work();
    return this.context.clock.monotonicMs() - startedMs;
  }

  private leftMs(): number {
    this.context.cancellation.throwIfCancelled();
    const left = this.endMs - this.context.clock.monotonicMs();
    if (left > 0) return left;
    throw new QuarryError('repository_verification_exception', `analysis timed out after [${this.timeoutMs}ms]`);
  }

  private node(at: number): NodeRecord {
    const node = this.nodes[at];
    if (node !== undefined) return node;
    throw new QuarryError('repository_verification_exception', 'there is no node that uses repositories');
  }
}
