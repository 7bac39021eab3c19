/**
 * What clients know of the documents that they wrote: the last acknowledged state of each, and what an unanswered request may have
 * made of it. Documents in doubt are not written again before somebody has looked: what is known of all others is exact.
 */

/** The number that a document holds; `undefined`: there is none. */
export type Value = number | undefined;

/** What is remembered of a document, for the sentence about it. */
const MEMORIES_MAX = 6;

export class Ledger {
  readonly #certain = new Map<string, number>();
  readonly #doubtful = new Map<string, Set<Value>>();
  readonly #memories = new Map<string, string[]>();

  /** In words, what was done to the document. */
  remember(id: string, what: string): void {
    const memories = this.#memories.get(id) ?? [];
    memories.push(`at ${new Date().toISOString()} ${what}`);
    this.#memories.set(id, memories.slice(-MEMORIES_MAX));
  }

  /** Of a document that is not in doubt. */
  valueOf(id: string): Value {
    return this.#certain.get(id);
  }

  isInDoubt(id: string): boolean {
    return this.#doubtful.has(id);
  }

  acknowledge(id: string, value: Value): void {
    if (value === undefined) this.#certain.delete(id);
    else this.#certain.set(id, value);
  }

  /** Nobody answered, or with an error that leaves open what was done. */
  doubt(id: string, value: Value): void {
    this.#doubtful.set(id, new Set([this.#certain.get(id), value]));
  }

  /** What contradicts what was answered, as sentences; from here on what was found is what is known. */
  settle(found: ReadonlyMap<string, number>): readonly string[] {
    const wrong: string[] = [];
    for (const id of new Set([...this.#certain.keys(), ...this.#doubtful.keys(), ...found.keys()])) {
      const allowed = this.#doubtful.get(id) ?? new Set([this.#certain.get(id)]);
      const actual = found.get(id);
      if (allowed.has(actual)) continue;
      const memories = this.#memories.get(id)?.join('\n  ') ?? 'nothing is remembered';
      wrong.push(
        `document ${id} is ${shown(actual)}, but ${[...allowed].map(shown).join(' or ')} was written:\n  ${memories}`,
      );
    }
    this.#doubtful.clear();
    this.#certain.clear();
    for (const [id, value] of found) this.#certain.set(id, value);
    return wrong;
  }
}

function shown(value: Value): string {
  return value === undefined ? 'absent' : String(value);
}
