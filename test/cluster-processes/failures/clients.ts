/** Clients that write without a pause, each documents of its own, through whichever node comes next. */
import type { Random } from '../../../src/base/random.js';
import type { TestCluster } from '../cluster-harness.js';
import { Ledger, type Value } from './ledger.js';

export interface LoadOptions {
  readonly indices: readonly string[];
  readonly clients: number;
  readonly random: Random;
}

const DOCUMENTS_PER_BATCH = 24;
const IDS_PER_CLIENT = 1_200;
/** A client gives up on a request; what it has written is in doubt then. */
const PATIENCE_MS = 10_000;
/** A shard without a primary makes a request wait for so long. */
const WRITE_TIMEOUT = '8s';
const PAUSE_AFTER_FAILURE_MS = 100;

type Kind = 'index' | 'create' | 'delete';

interface Action {
  readonly kind: Kind;
  readonly index: string;
  readonly id: string;
  readonly value: Value;
}

/** What was answered for one action; undefined: nothing. */
interface ItemAnswer {
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason: string };
}

export class Load {
  acknowledged = 0;
  inDoubt = 0;
  /** Answers that cannot be right. */
  readonly wrong: string[] = [];
  /** By index. */
  readonly ledgers: ReadonlyMap<string, Ledger>;
  private readonly cluster: TestCluster;
  private readonly options: LoadOptions;
  private isOver = true;
  private running: Promise<unknown> = Promise.resolve();
  private nextValue = 1;

  constructor(cluster: TestCluster, options: LoadOptions) {
    this.cluster = cluster;
    this.options = options;
    this.ledgers = new Map(options.indices.map((index) => [index, new Ledger()]));
  }

  start(): void {
    this.isOver = false;
    const { clients } = this.options;
    this.running = Promise.all(Array.from({ length: clients }, (_, client) => this.write(client)));
  }

  /** Resolves when every client has its last answer, or has given it up. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async write(client: number): Promise<void> {
    while (!this.isOver) {
      const actions = this.choose(client);
      const results = await this.send(actions).catch((error: unknown) => String(error));
      actions.forEach((action, at) => this.note(action, typeof results === 'string' ? results : results[at]));
      if (typeof results === 'string') await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_FAILURE_MS));
    }
  }

  /** Each document at most once: the order of two in one request is not what this is about. */
  private choose(client: number): readonly Action[] {
    const { random, indices } = this.options;
    const actions = new Map<string, Action>();
    for (let draw = 0; draw < DOCUMENTS_PER_BATCH; draw++) {
      const index = indices[random.below(indices.length)] ?? '';
      const id = `${client}-${random.below(IDS_PER_CLIENT)}`;
      if (this.ledgers.get(index)?.isInDoubt(id) === true) continue;
      const kind = (['index', 'index', 'index', 'create', 'delete'] as const)[random.below(5)] ?? 'index';
      actions.set(`${index}/${id}`, { kind, index, id, value: kind === 'delete' ? undefined : this.nextValue++ });
    }
    return [...actions.values()];
  }

  /** One answer for each action, or why there are none. */
  private async send(actions: readonly Action[]): Promise<readonly ItemAnswer[] | string> {
    const members = this.cluster.alive;
    const member = members[this.options.random.below(members.length)];
    if (member === undefined || actions.length === 0) return 'not sent';
    const lines = actions.flatMap(({ kind, index, id, value }) => [
      JSON.stringify({ [kind]: { _index: index, _id: id } }),
      ...(value === undefined ? [] : [JSON.stringify({ value, text: `value ${value} of document ${id}` })]),
    ]);
    const response = await fetch(`${member.node.url}/_bulk?timeout=${WRITE_TIMEOUT}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    if (!response.ok) return `${response.status} ${text}`;
    const { items } = JSON.parse(text) as { items: Record<string, ItemAnswer>[] };
    return items.map((item) => Object.values(item)[0] ?? { status: 0 });
  }

  private note(action: Action, answer: ItemAnswer | string | undefined): void {
    const { kind, index, id, value } = action;
    const ledger = this.ledgers.get(index);
    if (ledger === undefined) return;
    const before = ledger.valueOf(id);
    const { status, error } = typeof answer === 'object' ? answer : { status: 0, error: undefined };
    ledger.remember(id, `${kind} ${value ?? ''}: ${JSON.stringify(answer).slice(0, 300)}`);
    // A delete that finds nothing is done.
    const isDone = error === undefined && (status === 200 || status === 201 || (status === 404 && kind === 'delete'));
    if (kind === 'create' && status === 409) {
      // Creations are not repeated by the cluster: an absent document cannot be in the way.
      if (before === undefined) this.wrong.push(`${index}/${id} was refused as existing, but is absent`);
    } else if (isDone) {
      if (kind === 'create' && before !== undefined) this.wrong.push(`${index}/${id} was created over ${before}`);
      this.acknowledged++;
      ledger.acknowledge(id, value);
    } else {
      this.inDoubt++;
      ledger.doubt(id, value);
    }
  }
}
