/** The hits of a search of another cluster, page after page, as a scroll of that one. */
import { parseJson, type ExactJsonValue } from '../../base/json.js';
import { askRemote, type RemoteCluster } from '../../transport/remote-cluster.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import type { Cancellation } from '../../base/cancellation.js';
import type { Clock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import type { ActionContext } from '../context.js';
import type { ShardFailure } from '../searches/shards/shard-failures.js';
import type { HitSource, SourcePage } from './job.js';
import { membersOf, readString, readText, type Span } from './json-members.js';
import { readPage } from './page.js';

const SECOND_MS = 1_000;
/** A request that is under way is given up within this time when the job is cancelled. */
const LOOK_MS = 100;

export interface RemoteSearch {
  readonly indices: readonly string[];
  readonly body: ExactJsonValue;
  readonly pageSize: number;
  readonly keepAliveMs: number;
}

export class RemoteSource implements HitSource {
  readonly isWork = false;
  private readonly cluster: RemoteCluster;
  private readonly search: RemoteSearch;
  private scrollId: string | undefined;

  constructor(cluster: RemoteCluster, search: RemoteSearch) {
    this.cluster = cluster;
    this.search = search;
  }

  async next(keepMs: number, { cancellation, clock }: ActionContext): Promise<SourcePage | undefined> {
    const watch = watchCancellation(cancellation, clock);
    try {
      return this.read(await this.ask(keepMs, watch.signal));
    } finally {
      watch.stop();
    }
  }

  private ask(keepMs: number, signal: AbortSignal): Promise<Uint8Array> {
    const { indices, body, pageSize, keepAliveMs } = this.search;
    const scroll = `${Math.ceil((keepAliveMs + keepMs) / SECOND_MS)}s`;
    if (this.scrollId !== undefined) {
      return askRemote(this.cluster, 'POST', '/_search/scroll', { scroll, scroll_id: this.scrollId }, signal);
    }
    const names = indices.map((name) => encodeURIComponent(name)).join(',');
    const more = 'sort=_doc&version=true&allow_partial_search_results=false';
    return askRemote(this.cluster, 'POST', `/${names}/_search?scroll=${scroll}&size=${pageSize}&${more}`, body, signal);
  }

  async close(): Promise<void> {
    if (this.scrollId === undefined) return;
    await askRemote(this.cluster, 'DELETE', '/_search/scroll', { scroll_id: [this.scrollId] }).catch(() => undefined);
  }

  private read(bytes: Uint8Array): SourcePage {
    const members = membersOf(bytes, 0);
    const scrollId = members.get('_scroll_id');
    if (scrollId !== undefined) this.scrollId = readString(bytes, scrollId);
    const hits = members.get('hits');
    const timedOut = members.get('timed_out');
    return {
      page: hits === undefined ? { bytes, hits: [], total: 0 } : readPage(bytes, hits.start),
      failures: failuresOf(bytes, members.get('_shards')),
      isTimedOut: timedOut !== undefined && readText(bytes, timedOut) === 'true',
    };
  }
}

/** Shards that did not answer: what they hold would be missing from the copy, though nobody said so. */
function failuresOf(bytes: Uint8Array, span: Span | undefined): readonly ShardFailure[] {
  if (span === undefined) return [];
  const shards = parseJson(readText(bytes, span));
  if (!isJsonObject(shards) || typeof shards['failed'] !== 'number' || shards['failed'] <= 0) return [];
  const listed = Array.isArray(shards['failures'])
    ? (shards['failures'] as readonly JsonValue[]).filter(isJsonObject)
    : [];
  return (listed.length > 0 ? listed : [{}]).map(failureOf);
}

function failureOf({ index, shard, node, reason }: JsonObject): ShardFailure {
  const { type = 'unknown', reason: why = 'it does not tell why' } = isJsonObject(reason) ? reason : {};
  const key = {
    index: typeof index === 'string' ? index : '',
    indexUuid: '',
    shard: typeof shard === 'number' ? shard : -1,
  };
  const error = new QuarryError(
    'i_o_exception',
    `a shard of the remote cluster failed: [${textOf(type)}] ${textOf(why)}`,
  );
  return { key, error, nodeId: typeof node === 'string' ? node : undefined };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function watchCancellation(
  cancellation: Cancellation,
  clock: Clock,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  let stop = (): void => undefined;
  const look = (): void => {
    if (cancellation.isCancelled) controller.abort();
    else stop = clock.schedule(LOOK_MS, look);
  };
  look();
  return {
    signal: controller.signal,
    stop: () => {
      stop();
    },
  };
}
