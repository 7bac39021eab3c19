/** Indices some of whose shards wait for a place, in the order in which they get one. */
import type { IndexMetadata } from '../state.js';
import { indexFacts } from './index-facts.js';

/** So many that are left out again are not worth another list. */
const STALE_MIN = 64;

export class PendingIndices {
  private readonly members = new Map<string, IndexMetadata>();
  /** In order; those that wait no more stay until there are many. */
  private listed: IndexMetadata[] = [];
  private readonly inList = new Set<IndexMetadata>();

  add(index: IndexMetadata): void {
    this.members.set(index.name, index);
    if (this.inList.has(index)) return;
    this.inList.add(index);
    this.listed.splice(this.placeOf(index), 0, index);
  }

  remove({ name }: IndexMetadata): void {
    this.members.delete(name);
    if (this.listed.length > 2 * this.members.size + STALE_MIN) this.forgetStale();
  }

  get size(): number {
    return this.members.size;
  }

  /** Nothing is added or removed meanwhile. */
  *inOrder(): Iterable<IndexMetadata> {
    if (this.members.size === 0) return;
    for (const index of this.listed) if (this.isMember(index)) yield index;
  }

  private isMember(index: IndexMetadata): boolean {
    return this.members.get(index.name) === index;
  }

  private forgetStale(): void {
    this.listed = this.listed.filter((index) => this.isMember(index));
    this.inList.clear();
    for (const index of this.listed) this.inList.add(index);
  }

  private placeOf(index: IndexMetadata): number {
    let [from, to] = [0, this.listed.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.listed[middle];
      if (other !== undefined && byPriority(other, index) <= 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Higher `index.priority` first, then newer indices. */
export function byPriority(left: IndexMetadata, right: IndexMetadata): number {
  const priority = indexFacts(right).priority - indexFacts(left).priority;
  return priority || right.creationDateMs - left.creationDateMs || (left.name < right.name ? 1 : -1);
}
