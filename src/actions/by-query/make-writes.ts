/** From hits to writes: documents go from the bytes of a page to the shards without being read. */
import { illegalArgument } from '../../base/errors.js';
import type { PlacedAction } from '../../native/describe-items.js';
import type { DocumentAction, VersionType } from '../../native/descriptor.js';
import type { ManyWrites } from '../documents/bulk.js';
import type { MadeWrites } from './job.js';
import type { Hit, Page } from './page.js';

/** Names of indices as they are met. */
export class IndexNames {
  readonly names: string[] = [];

  placeOf(name: string): number {
    const known = this.names.indexOf(name);
    return known === -1 ? this.names.push(name) - 1 : known;
  }
}

export function deletions(page: Page, hits: readonly Hit[]): MadeWrites {
  const indices = new IndexNames();
  const actions = hits.map((hit): PlacedAction => ({
    ...unchanged(hit, 'delete'),
    index: indices.placeOf(hit.index),
    start: 0,
    length: 0,
  }));
  return made({ body: page.bytes, indexNames: indices.names, actions });
}

/** Indexes documents again, as they are. */
export function rewrites(page: Page, hits: readonly Hit[]): MadeWrites {
  const indices = new IndexNames();
  const actions = hits.map((hit): PlacedAction => ({
    ...unchanged(hit, 'index'),
    index: indices.placeOf(hit.index),
    ...sourceOf(hit),
  }));
  return made({ body: page.bytes, indexNames: indices.names, actions });
}

export interface Destination {
  readonly index: string;
  readonly opType: 'index' | 'create';
  readonly versionType: VersionType;
  /** `keep`, `discard`, or the routing of all after `=`. */
  readonly routing: string;
  /** An ingest pipeline; absent: that of the index. */
  readonly pipeline?: string;
}

export function copies(page: Page, hits: readonly Hit[], destination: Destination): MadeWrites {
  const actions = hits.map((hit): PlacedAction => ({ ...copied(hit, destination), index: 0, ...sourceOf(hit) }));
  return made({ body: page.bytes, indexNames: [destination.index], actions });
}

export function copied(hit: Hit, { opType, versionType, routing: rule }: Destination): DocumentAction {
  const routing = rule === 'keep' ? hit.routing : rule === 'discard' ? undefined : rule.slice(1);
  return {
    action: opType,
    id: hit.id,
    ...(routing === undefined ? {} : { routing }),
    ...(versionType === 'internal' ? {} : { version: hit.version, versionType }),
  };
}

/** Only where nobody wrote to it since it was found. */
export function unchanged(hit: Hit, action: 'delete' | 'index'): DocumentAction {
  const { id, routing, seqNo: ifSeqNo, primaryTerm: ifPrimaryTerm } = hit;
  return { action, id, ifSeqNo, ifPrimaryTerm, ...(routing === undefined ? {} : { routing }) };
}

export function sourceOf({ index, id, source }: Hit): { readonly start: number; readonly length: number } {
  if (source === undefined) throw illegalArgument(`[${index}][${id}] didn't store _source`);
  return { start: source.start, length: source.end - source.start };
}

function made(writes: ManyWrites): MadeWrites {
  return { writes, noops: 0 };
}
