/** The hits of a search of another cluster, page after page, as a scroll of that one. */
import type { ExactJsonValue } from '../../base/json.js';
import { askRemote, type RemoteCluster } from '../../transport/remote-cluster.js';
import type { HitSource, SourcePage } from './job.js';
import { membersOf, readString, readText } from './json-members.js';
import { readPage } from './page.js';

const SECOND_MS = 1_000;

export interface RemoteSearch {
  readonly indices: readonly string[];
  readonly body: ExactJsonValue;
  readonly pageSize: number;
  readonly keepAliveMs: number;
}

export class RemoteSource implements HitSource {
  private readonly cluster: RemoteCluster;
  private readonly search: RemoteSearch;
  private scrollId: string | undefined;

  constructor(cluster: RemoteCluster, search: RemoteSearch) {
    this.cluster = cluster;
    this.search = search;
  }

  async next(keepMs: number): Promise<SourcePage | undefined> {
    const { indices, body, pageSize, keepAliveMs } = this.search;
    const scroll = `${Math.ceil((keepAliveMs + keepMs) / SECOND_MS)}s`;
    if (this.scrollId !== undefined) {
      return this.read(await askRemote(this.cluster, 'POST', '/_search/scroll', { scroll, scroll_id: this.scrollId }));
    }
    const names = indices.map((name) => encodeURIComponent(name)).join(',');
    const path = `/${names}/_search?scroll=${scroll}&size=${pageSize}&sort=_doc&version=true`;
    return this.read(await askRemote(this.cluster, 'POST', path, body));
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
      failures: [],
      isTimedOut: timedOut !== undefined && readText(bytes, timedOut) === 'true',
    };
  }
}
