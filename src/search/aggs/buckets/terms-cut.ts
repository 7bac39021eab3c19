/** How many buckets of terms there are, in which order, of at least how many documents. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readLong, readText } from '../../body/read.js';
import type { OptionReaders } from '../../query/query-parser.js';
import { atLeast } from '../aggregation-parser.js';
import type { OrderPlan } from '../aggregation-plan.js';
import { readOrder, withKey } from './order.js';

const SIZE_DEFAULT = 10;
const COLLECT_MODES: ReadonlySet<string> = new Set(['depth_first', 'breadth_first']);

/** Buckets that a shard hands on: more than shown, so that a term that is second in each shard can come first in all. */
export function defaultShardSize(size: number): number {
  return Math.min(0x7fff_ffff, Math.floor(size * 1.5 + 10));
}

export interface TermsCutPlan {
  readonly size: number;
  readonly shard_size: number;
  readonly min_doc_count: number;
  readonly shard_min_doc_count: number;
  readonly order: readonly OrderPlan[];
  readonly show_term_doc_count_error: boolean;
}

export class TermsCutOptions {
  readonly #name: string;
  #size = SIZE_DEFAULT;
  #shardSize: number | undefined;
  #minDocCount = 1;
  #shardMinDocCount = 0;
  #order: readonly OrderPlan[] = withKey([{ by: 'count', ascending: false }]);
  #showError = false;
  #isBreadthFirst = false;

  constructor(name: string) {
    this.#name = name;
  }

  get readers(): OptionReaders {
    const name = this.#name;
    return {
      size: (value) => void (this.#size = atLeast(readInt(value), 1, 'size', name)),
      shard_size: (value) => void (this.#shardSize = atLeast(readInt(value), 1, 'shard_size', name)),
      min_doc_count: (value) => void (this.#minDocCount = atLeast(readLong(value), 0, 'min_doc_count', name)),
      shard_min_doc_count: (value) => {
        this.#shardMinDocCount = atLeast(readLong(value), 0, 'shard_min_doc_count', name);
      },
      order: (value) => void (this.#order = readOrder(value)),
      show_term_doc_count_error: (value) => void (this.#showError = readBoolean(value)),
      collect_mode: (value) => {
        this.#isBreadthFirst = checkChoice(value, COLLECT_MODES) === 'breadth_first';
      },
    };
  }

  /** Aggregations below `terms` see the documents of those buckets alone that a shard hands on; `multi_terms` has one way, with the same answer. */
  get isBreadthFirst(): boolean {
    return this.#isBreadthFirst;
  }

  /** By key, the first of a shard are among the first of all. */
  #defaultShardSize(): number {
    return this.#order[0]?.by === 'key' ? this.#size : defaultShardSize(this.#size);
  }

  plan(): TermsCutPlan {
    return {
      size: this.#size,
      shard_size: Math.max(this.#size, this.#shardSize ?? this.#defaultShardSize()),
      min_doc_count: this.#minDocCount,
      shard_min_doc_count: Math.min(this.#shardMinDocCount, this.#minDocCount),
      order: this.#order,
      show_term_doc_count_error: this.#showError,
    };
  }
}

export function checkChoice(place: Place, choices: ReadonlySet<string>): string {
  const text = readText(place);
  if (!choices.has(text)) {
    throw illegalArgument(`[${text}] is not a valid [${place.step}]: one of [${[...choices].join(', ')}]`);
  }
  return text;
}
