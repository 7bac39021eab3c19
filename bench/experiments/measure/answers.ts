/** What queries find: times count only where every point with the same documents finds the same. */
import type { BenchCluster } from '../../cluster/nodes.js';
import type { Query } from '../data/queries.js';
import { fingerprint } from '../point.js';

/** Of each kind; the times come from all. */
const CHECKED_PER_KIND = 8;
/** Hits of which the ids are compared; more are compared by their number. */
const IDS_MAX = 100;

interface Found {
  readonly timed_out: boolean;
  readonly _shards: { readonly failed: number };
  readonly hits: {
    readonly total: { readonly value: number };
    readonly hits: readonly { readonly _id: string }[];
  };
}

/** A fingerprint of the answers by kind of query. Throws where a query fails, or is not answered by all shards. */
export async function answersOf(
  cluster: BenchCluster,
  index: string,
  queries: readonly Query[],
): Promise<Readonly<Record<string, string>>> {
  const answers = new Map<string, unknown[]>();
  for (const { kind, body } of queries) {
    const known = answers.get(kind) ?? [];
    if (known.length >= CHECKED_PER_KIND) continue;
    // Which hits are the best depends on the shards, whose statistics scores are made of; which documents match does not.
    const { query, post_filter: filter, runtime_mappings: runtime, knn } = body;
    const asked = { query: query ?? { match_all: {} }, post_filter: filter, runtime_mappings: runtime };
    const whole = { ...asked, size: IDS_MAX, _source: false, track_total_hits: true };
    // Neighbours that are found approximately may differ.
    if (knn === undefined) known.push(essence(await cluster.ask('POST', `/${index}/_search`, whole)));
    answers.set(kind, known);
  }
  return Object.fromEntries([...answers].map(([kind, found]) => [kind, fingerprint(found)]));
}

function essence(answer: object): unknown {
  const { timed_out: isCut, _shards: shards, hits } = answer as Found;
  if (isCut || shards.failed > 0) throw new Error(`not a whole answer: ${JSON.stringify(answer).slice(0, 500)}`);
  const { value } = hits.total;
  return value > IDS_MAX ? value : [value, hits.hits.map(({ _id: id }) => id).sort()];
}

export async function checkCount(cluster: BenchCluster, index: string, documents: number): Promise<void> {
  const { count } = (await cluster.ask('GET', `/${index}/_count`)) as unknown as { count: number };
  if (count !== documents) throw new Error(`${count} documents are there, ${documents} were sent`);
}
