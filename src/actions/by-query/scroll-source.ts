/** The hits of a search of this cluster, page after page, as a scroll. */
import type { ActionContext } from '../context.js';
import { asParts } from '../security/authority.js';
import { releaseHeld, nextPage } from '../searches/contexts/scroll.js';
import { search, type SearchAnswer, type SearchRequest } from '../searches/search.js';
import type { HitSource, SourcePage } from './job.js';
import { readPage } from './page.js';

const NO_HITS = Buffer.from('{"total":0,"hits":[]}', 'utf8');

export class ScrollSource implements HitSource {
  readonly isWork = true;
  private readonly request: SearchRequest;
  private readonly keepAliveMs: number;
  private scrollId: string | undefined;

  /** The request opens a scroll. */
  constructor(request: SearchRequest, keepAliveMs: number) {
    this.request = request;
    this.keepAliveMs = keepAliveMs;
  }

  async next(keepMs: number, job: ActionContext): Promise<SourcePage | undefined> {
    // What the query looks up elsewhere is read, whatever is done to its hits.
    const context = asParts(job, 'indices:data/read/search');
    const keepAliveMs = this.keepAliveMs + keepMs;
    const { scrollId } = this;
    if (scrollId !== undefined) return pageOf(await nextPage({ scrollId, keepAliveMs, totalAsInt: true }, context));
    const { scroll } = this.request;
    const request = scroll === undefined ? this.request : { ...this.request, scroll: { ...scroll, keepAliveMs } };
    const answer = await search(request, context);
    this.scrollId = answer.scrollId;
    return pageOf(answer);
  }

  async close(context: ActionContext): Promise<void> {
    if (this.scrollId !== undefined) await releaseHeld([this.scrollId], 'scroll', context).catch(() => 0);
  }
}

function pageOf({ result, shards }: SearchAnswer): SourcePage {
  const page = readPage(result?.hits ?? NO_HITS);
  return { page, failures: shards.failures, isTimedOut: result?.timedOut ?? false };
}
