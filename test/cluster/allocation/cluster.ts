/** Clusters of any size, driven by the reducers alone. */
import type { JsonObject } from '../../../src/base/json-value.js';
import { NO_CLUSTER_INFO, type ClusterInfo } from '../../../src/cluster/disks/cluster-info.js';
import type { Change, ChangeEnvironment } from '../../../src/cluster/changes/change.js';
import { createIndex } from '../../../src/cluster/changes/indices/create-index.js';
import { masterElected, nodesChanged } from '../../../src/cluster/changes/nodes/membership.js';
import { shardFailed, shardsStarted, type ShardReport } from '../../../src/cluster/changes/copies/shard-reports.js';
import { updateClusterSettings } from '../../../src/cluster/changes/update-cluster-settings.js';
import { updateIndexSettings } from '../../../src/cluster/changes/indices/update-index-settings.js';
import { emptyClusterState, type ClusterState, type NodeRecord, type ShardCopy } from '../../../src/cluster/state.js';
import { environment, indexOf, NODE, NOW_MS } from '../support.js';

export type NodeOptions = Partial<Pick<NodeRecord, 'roles' | 'attributes' | 'version' | 'workerSlots' | 'ip'>>;

export class TestCluster {
  state: ClusterState = emptyClusterState('test', 'cluster-uuid');
  nowMs = NOW_MS;
  info: ClusterInfo = NO_CLUSTER_INFO;
  private readonly uuids = environment();
  private readonly runs = new Map<string, number>();

  /** Nodes `a`, `b`, ... */
  constructor(names = '', options: NodeOptions = {}) {
    for (const name of names) this.join(name, options);
    if (names !== '') this.run(masterElected, { nodeId: names[0] ?? '', term: 1 });
  }

  get environment(): ChangeEnvironment {
    return { ...this.uuids, nowMs: this.nowMs, clusterInfo: this.info };
  }

  run<Input, Result>(
    reducer: (state: ClusterState, input: Input, environment: ChangeEnvironment) => Change<Result>,
    input: Input,
  ): Result {
    const change = reducer(this.state, input, this.environment);
    this.state = change.state;
    return change.result;
  }

  /** A node that was there before comes back as another run of it. */
  record(id: string, options: NodeOptions = {}): NodeRecord {
    const run = (this.runs.get(id) ?? 0) + 1;
    this.runs.set(id, run);
    return { ...NODE, name: id, attributes: {}, ...options, id, ephemeralId: `${id} run ${run}`, raftId: String(run) };
  }

  join(id: string, options: NodeOptions = {}): void {
    this.run(nodesChanged, { joined: [this.record(id, options)] });
  }

  leave(...ids: string[]): void {
    this.run(nodesChanged, { left: ids });
  }

  create(name: string, settings: JsonObject = {}): void {
    this.run(createIndex, { name, settings });
  }

  settings(persistent: JsonObject): void {
    this.run(updateClusterSettings, { persistent, transient: {} });
  }

  indexSettings(name: string, settings: JsonObject): void {
    this.run(updateIndexSettings, { indices: [indexOf(this.state, name)], settings });
  }

  all(): readonly { readonly index: string; readonly copy: ShardCopy }[] {
    return [...this.state.routing].flatMap(([index, { shards }]) => shards.flat().map((copy) => ({ index, copy })));
  }

  report(index: string, copy: ShardCopy): ShardReport {
    return {
      index,
      indexUuid: indexOf(this.state, index).uuid,
      shard: copy.shard,
      allocationId: copy.allocationId ?? '',
    };
  }

  startAll(): number {
    const shards = this.all()
      .filter(({ copy }) => copy.state === 'INITIALIZING')
      .map(({ index, copy }) => this.report(index, copy));
    this.startReported(shards);
    return shards.length;
  }

  startReported(shards: readonly ShardReport[]): void {
    if (shards.length > 0) this.run(shardsStarted, { shards });
  }

  /** Starts copies until none is on its way; the number of rounds. */
  settle(roundsMax = 1_000): number {
    for (let round = 0; round < roundsMax; round++) if (this.startAll() === 0) return round;
    throw new Error(`not settled after ${roundsMax} rounds`);
  }

  fail(index: string, copy: ShardCopy, reason = 'broken'): void {
    this.run(shardFailed, { shard: this.report(index, copy), reason });
  }

  copies(index: string, shard = 0): readonly ShardCopy[] {
    return this.state.routing.get(index)?.shards[shard] ?? [];
  }

  /** `a:P:STARTED b:R:STARTED`, unassigned ones as `-`. */
  places(index: string, shard = 0): string {
    return this.copies(index, shard)
      .map(({ nodeId, primary, state }) => `${nodeId ?? '-'}:${primary ? 'P' : 'R'}:${state}`)
      .join(' ');
  }

  inSync(index: string, shard = 0): readonly string[] {
    return indexOf(this.state, index).inSyncAllocationIds[shard] ?? [];
  }

  term(index: string, shard = 0): number {
    return indexOf(this.state, index).primaryTerms[shard] ?? 0;
  }

  /** Copies on each node. */
  load(): Record<string, number> {
    const load = Object.fromEntries([...this.state.nodes.keys()].sort().map((id) => [id, 0]));
    for (const { copy } of this.all()) if (copy.nodeId !== null) load[copy.nodeId] = (load[copy.nodeId] ?? 0) + 1;
    return load;
  }
}
