/** How a worker reaches copies of shards: its own, those of the node's other workers, and those of other nodes. */
import type { CopyFigures, CopyRanks } from '../../actions/copy-ranks.js';
import { answered, outgoing } from '../../actions/remote-form.js';
import type { CopyPlace, ShardClient, ShardKey } from '../../actions/shard-client.js';
import type { ShardOperationName } from '../../actions/shard-operations.js';
import type { Cancellation } from '../../base/cancellation.js';
import type { Clock } from '../../base/clock.js';
import { RECOVERY_ANSWER_MS_MAX, REMOTE_SHARD_CALL_MS_MAX } from '../../base/limits.js';
import type { ClusterState } from '../../cluster/state.js';
import type { StoredCommit } from '../../segment/commit-file.js';
import type { RecoveryReport } from '../../shard/recovery-progress.js';
import type { OtherNodes } from '../other-nodes.js';
import type { RecoveryMessage, RemoteShardAnswer, RemoteShardRequest, ShardMessage } from '../thread-messages.js';

export interface ShardCallServices {
  /** Where this worker is. */
  readonly here: CopyPlace;
  readonly clock: Clock;
  readonly ranks: CopyRanks;
  readonly others: OtherNodes;
  readonly clusterState: () => ClusterState;
  readonly runHere: (
    key: ShardKey,
    name: ShardOperationName,
    input: unknown,
    cancellation: Cancellation,
  ) => Promise<unknown>;
  /** Of a copy that another worker of this node owns; undefined where that one is to be asked. */
  readonly readHere: (
    key: ShardKey,
    name: ShardOperationName,
    input: unknown,
    cancellation: Cancellation,
  ) => Promise<unknown> | undefined;
  readonly lastCommitHere: (key: ShardKey) => Promise<StoredCommit>;
  readonly recoveryHere: (key: ShardKey) => RecoveryReport | undefined;
  readonly callWorker: (slot: number, message: ShardMessage | RecoveryMessage) => Promise<unknown>;
}

/** What a copy answered, and what it told of itself. */
interface Ran {
  readonly output: unknown;
  readonly figures?: Omit<CopyFigures, 'responseMs'>;
}

/** Operations whose times say how fast a node answers searches. */
const RANKED: ReadonlySet<ShardOperationName> = new Set(['search', 'query-phase', 'count']);

export class ShardCalls implements ShardClient {
  readonly ranks: CopyRanks;
  private readonly services: ShardCallServices;
  private readonly cancellation: Cancellation;
  /** Number of the task that the calls are part of; 0: none. */
  private readonly task: number;

  constructor(services: ShardCallServices, cancellation: Cancellation, task: number) {
    this.services = services;
    this.ranks = services.ranks;
    this.cancellation = cancellation;
    this.task = task;
  }

  async onCopy(key: ShardKey, place: CopyPlace, name: ShardOperationName, input: unknown): Promise<never> {
    // The output crossed from the operation that this name stands for.
    return (await this.ranked(place, name, () => this.run(key, place, name, input))) as never;
  }

  async read(
    key: ShardKey,
    place: CopyPlace,
    name: ShardOperationName,
    input: unknown,
  ): Promise<{ readonly place: CopyPlace; readonly output: never }> {
    const { here, readHere } = this.services;
    const isNear = place.nodeId === here.nodeId && place.workerSlot !== here.workerSlot;
    const reading = isNear ? readHere(key, name, input, this.cancellation) : undefined;
    if (reading === undefined) return { place, output: await this.onCopy(key, place, name, input) };
    const output = await this.ranked(here, name, async () => ({ output: await reading }));
    // As above.
    return { place: here, output: output as never };
  }

  /** What came of it; the time that it took says how fast the node is. */
  private async ranked(place: CopyPlace, name: ShardOperationName, run: () => Promise<Ran>): Promise<unknown> {
    if (!RANKED.has(name)) return (await run()).output;
    const { clock } = this.services;
    const startedMs = clock.monotonicMs();
    const ended = this.ranks.follow(place.nodeId);
    try {
      const { output, figures } = await run();
      const responseMs = clock.monotonicMs() - startedMs;
      ended({ responseMs, serviceMs: responseMs, queue: 0, ...figures });
      return output;
    } catch (error) {
      ended();
      throw error;
    }
  }

  async lastCommit(key: ShardKey, { nodeId }: CopyPlace): Promise<StoredCommit> {
    const { here, others, lastCommitHere } = this.services;
    // Nobody holds the files, and every worker of a node reaches them.
    if (nodeId === here.nodeId) return lastCommitHere(key);
    const options = { timeoutMs: REMOTE_SHARD_CALL_MS_MAX, cancellation: this.cancellation };
    return (await others.call(nodeId, 'any', 'last-commit', key, options)) as StoredCommit;
  }

  async recovery(key: ShardKey, { nodeId, workerSlot }: CopyPlace): Promise<RecoveryReport | undefined> {
    const { here, others, recoveryHere, callWorker } = this.services;
    if (nodeId !== here.nodeId) {
      const options = { timeoutMs: RECOVERY_ANSWER_MS_MAX, cancellation: this.cancellation };
      const answer = await others.call(nodeId, `worker-${workerSlot}`, 'recovery', key, options);
      return (answer ?? undefined) as RecoveryReport | undefined;
    }
    if (workerSlot === here.workerSlot) return recoveryHere(key);
    return (await callWorker(workerSlot, { kind: 'recovery', key })) as RecoveryReport | undefined;
  }

  private async run(key: ShardKey, place: CopyPlace, name: ShardOperationName, input: unknown): Promise<Ran> {
    const { here, others, clusterState, runHere, callWorker } = this.services;
    const { cancellation, task } = this;
    if (place.nodeId !== here.nodeId) {
      const request: RemoteShardRequest = {
        key,
        name,
        input: outgoing(name, input),
        stateVersion: clusterState().version,
      };
      const target = `worker-${place.workerSlot}` as const;
      const part = task === 0 ? undefined : { number: task, operation: name };
      const options = { timeoutMs: REMOTE_SHARD_CALL_MS_MAX, cancellation, task: part };
      const answer = (await others.call(place.nodeId, target, 'shard', request, options)) as RemoteShardAnswer;
      const { serviceMs, queue } = answer;
      return { output: answered(name, input, answer.output), figures: { serviceMs, queue } };
    }
    if (place.workerSlot === here.workerSlot) return { output: await runHere(key, name, input, cancellation) };
    const message: ShardMessage = { kind: 'shard', key, name, input, cancellation: cancellation.word };
    return { output: await callWorker(place.workerSlot, message) };
  }
}
