/** Clients that make, clone, delete and restore snapshots through any node, and remember what they were told. */
import type { ActionContext } from '../../src/actions/context.js';
import {
  cleanRepository,
  createClone,
  createSnapshot,
  deleteSnapshots,
  whenMade,
  type NamedSnapshot,
} from '../../src/actions/snapshots/create-snapshot.js';
import { restoreSnapshot } from '../../src/actions/snapshots/restore-snapshot.js';
import { IndicesDefaults } from '../../src/cluster/names/indices-options.js';
import { isCopied } from '../../src/cluster/snapshots/queue.js';
import type { RootSnapshot } from '../../src/repositories/format.js';
import type { Machine, World } from './machine.js';

const REPOSITORY = 'r';
const RESTORED_MAX = 2;

export class SnapshotClients {
  private readonly world: World;
  private readonly machines: readonly Machine[];
  private made = 0;

  constructor(world: World, machines: readonly Machine[]) {
    this.world = world;
    this.machines = machines;
  }

  act(): void {
    if (!this.world.witness.state.repositories.has(REPOSITORY)) {
      this.try((context) => this.register(context));
      return;
    }
    const actions = [
      (context: ActionContext) => this.create(context),
      (context: ActionContext) => this.create(context),
      (context: ActionContext) => this.create(context),
      (context: ActionContext) => this.remove(context),
      (context: ActionContext) => this.remove(context),
      (context: ActionContext) => this.stop(context),
      (context: ActionContext) => this.clone(context),
      (context: ActionContext) => this.restore(context),
      (context: ActionContext) => this.forget(context),
      (context: ActionContext) => cleanRepository(context, REPOSITORY, this.timeoutMs()),
    ];
    const action = actions[this.world.random.below(actions.length)];
    if (action !== undefined) this.try(action);
  }

  /** Takes away what no snapshot needs; whether that was done. */
  async tidyUp(): Promise<boolean> {
    const context = this.anyContext();
    if (context?.clusterState().repositories.has(REPOSITORY) !== true) return context !== undefined;
    return cleanRepository(context, REPOSITORY, this.timeoutMs()).then(
      () => true,
      () => false,
    );
  }

  /** A node that ends gives no answer, and whoever is refused goes away. */
  private try(action: (context: ActionContext) => Promise<unknown>): void {
    const context = this.anyContext();
    if (context !== undefined) action(context).catch(() => undefined);
  }

  private anyContext(): ActionContext | undefined {
    const nodes = this.machines.flatMap(({ node }) => node ?? []);
    const usable = nodes.filter(({ process, states }) => process.isRunning && states.isKnown);
    return usable[this.world.random.below(Math.max(1, usable.length))]?.snapshots.context();
  }

  private timeoutMs(): number {
    return 500 + this.world.random.below(8_000);
  }

  private register({ coordinator }: ActionContext): Promise<unknown> {
    const input = { name: REPOSITORY, type: 'fs', settings: new Map() };
    return coordinator.submit('put-repository', input, { timeoutMs: this.timeoutMs() });
  }

  private any(): RootSnapshot | undefined {
    const snapshots = this.world.stored.snapshots();
    return snapshots[this.world.random.below(Math.max(1, snapshots.length))];
  }

  private async create(context: ActionContext): Promise<void> {
    const { witness, stored, random } = this.world;
    const before = witness.acknowledgedSoFar();
    const request = {
      repository: REPOSITORY,
      name: `s${++this.made}`,
      indices: [],
      options: IndicesDefaults.expandOpenAndClosed,
      featureStates: [],
      includeGlobalState: false,
      partial: random.below(2) === 0,
    };
    const { uuid } = await createSnapshot(context, request, this.timeoutMs());
    await whenMade(context, REPOSITORY, uuid);
    this.world.log(`${request.name} (${uuid}) is made`);
    stored.acknowledged(uuid, before);
  }

  private async clone(context: ActionContext): Promise<void> {
    const source = this.any();
    if (source === undefined) return;
    const name = `c${++this.made}`;
    const choose = (indices: readonly string[]): readonly string[] =>
      indices.slice(0, 1 + this.world.random.below(indices.length));
    const request = { repository: REPOSITORY, source: source.name, name, expressions: [], choose };
    const { uuid } = await createClone(context, request, this.timeoutMs());
    await whenMade(context, REPOSITORY, uuid);
    this.world.log(`${name} (${uuid}) is cloned from ${source.name}`);
    this.world.stored.acknowledged(uuid, new Map());
  }

  /** In the middle of its copies. */
  private async stop(context: ActionContext): Promise<void> {
    const operations = [...this.world.witness.state.snapshotOperations.values()];
    const copied = operations.find((operation) => operation.kind === 'create' && !isCopied(operation));
    if (copied !== undefined) await this.remove(context, [copied.uuid]);
  }

  private async remove(
    context: ActionContext,
    wanted: readonly string[] = [this.any(), this.any()].flatMap((each) => each?.uuid ?? []),
  ): Promise<void> {
    const { stored } = this.world;
    const chosen = new Set(wanted);
    // A node may not know yet of one that is being made.
    let found: readonly NamedSnapshot[] = [];
    await deleteSnapshots(
      context,
      REPOSITORY,
      (all) => {
        // Also one that is being made.
        found = all.filter(({ uuid }) => chosen.has(uuid) || this.world.random.below(8) === 0);
        for (const { uuid } of found) {
          chosen.add(uuid);
          stored.askedToDelete(uuid);
        }
        return found;
      },
      this.timeoutMs(),
    );
    this.world.log(`deleted ${found.map(({ uuid }) => uuid).join(', ')}`);
    for (const { uuid } of found) stored.acknowledgedDeletion(uuid);
  }

  private async restore(context: ActionContext): Promise<void> {
    const source = this.any();
    if (source === undefined || this.restored().length >= RESTORED_MAX) return;
    const request = {
      repository: REPOSITORY,
      snapshot: source.name,
      choose: (indices: readonly string[]) => ({ indices: indices.slice(0, 1), dataStreams: [] }),
      renameIndices: `r${++this.made}`,
      renameAliases: undefined,
      includeAliases: false,
      includeGlobalState: false,
      featureStates: [],
      partial: true,
      settings: new Map(),
      ignoredSettings: [],
      mount: undefined,
    };
    await restoreSnapshot(context, request, this.timeoutMs());
  }

  /** An index that was restored. */
  private async forget({ coordinator }: ActionContext): Promise<void> {
    const [index] = this.restored();
    if (index === undefined) return;
    const { name, uuid } = index;
    await coordinator.submit('delete-indices', { indices: [{ name, uuid }] }, { timeoutMs: this.timeoutMs() });
  }

  private restored(): readonly { readonly name: string; readonly uuid: string }[] {
    return [...this.world.witness.state.indices.values()].filter(({ restoredFrom }) => restoredFrom !== undefined);
  }
}
