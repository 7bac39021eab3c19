/** Items of a bulk that never reach a shard: those that failed before, and those that a pipeline dropped. */
import { asQuarryError } from '../../base/error-wire.js';
import type { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { ItemAnswers, SplitBulk } from '../../native/bulk.js';
import { actionAt, actionOfItem, idOfItem, indexOfItem } from '../../native/descriptor.js';
import { renderItemError } from './item-error.js';

/** In place of an id that nothing was written with. */
const UNMADE_ID = 'auto-generated';
/** Of a document that was not written. */
const UNSET_VERSION = -3;

export class FinishedItems {
  readonly #split: SplitBulk;
  readonly #errors = new Map<number, QuarryError>();
  readonly #dropped: ReadonlySet<number>;

  constructor(split: SplitBulk, dropped: readonly number[], failed: ReadonlyMap<number, QuarryError>) {
    this.#split = split;
    this.#dropped = new Set(dropped);
    for (const [item, error] of failed) this.add(item, error);
  }

  get errorCount(): number {
    return this.#errors.size;
  }

  has(item: number): boolean {
    return this.#errors.has(item) || this.#dropped.has(item);
  }

  /** Of all of them, ascending. */
  places(): Uint32Array {
    return Uint32Array.from([...this.#errors.keys(), ...this.#dropped]).sort();
  }

  add(item: number, error: QuarryError): void {
    this.#errors.set(item, error);
  }

  attempt(item: number, check: () => void): void {
    try {
      check();
    } catch (error) {
      this.add(item, asQuarryError(error));
    }
  }

  answers(): readonly ItemAnswers[] {
    const places = this.places();
    if (places.length === 0) return [];
    const rendered = Array.from(places, (item) => Buffer.from(JSON.stringify(this.#render(item)), 'utf8'));
    let end = 0;
    return [
      { items: Buffer.concat(rendered), ends: Uint32Array.from(rendered, (json) => (end += json.length)), places },
    ];
  }

  #render(item: number): JsonObject {
    const index = this.#split.indexNames[indexOfItem(this.#split, item)] ?? '';
    const action = actionOfItem(this.#split, item);
    const id = idOfItem(this.#split, item);
    const error = this.#errors.get(item);
    if (error !== undefined) return renderItemError({ action, index, id }, error, false);
    const { autoId, version } = actionAt(this.#split, item);
    const answer = droppedDocument(index, autoId === true ? UNMADE_ID : id, version);
    return { [action]: { ...answer, status: 200 } };
  }
}

/** The answer about a document that a pipeline dropped. */
export function droppedDocument(index: string, id: string | undefined, version?: bigint): JsonObject {
  return {
    _index: index,
    _id: id ?? UNMADE_ID,
    _version: Number(version ?? UNSET_VERSION),
    result: 'noop',
    _shards: { total: 0, successful: 0, failed: 0 },
  };
}
