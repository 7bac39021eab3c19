/** Seeded choices, in the words that generators of documents and requests need. */
import { seededRandom, type Random } from '../../src/base/random.js';
import type { Json, JsonObject } from '../json.js';

const STEPS = 1 << 24;

/** A member that is there with a probability; its value is made only then. */
export type Option = readonly [probability: number, value: () => Json];

export class Chance {
  private readonly random: Random;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** 0 inclusive to `bound` exclusive. */
  below(bound: number): number {
    return this.random.below(bound);
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + this.random.below(most - least + 1);
  }

  /** 0 inclusive to 1 exclusive. */
  fraction(): number {
    return this.random.below(STEPS) / STEPS;
  }

  yes(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.random.below(choices.length)];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  }

  /** One of several ways, carried out. */
  one<T>(...ways: readonly (() => T)[]): T {
    return this.pick(ways)();
  }

  times<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: this.between(least, most) }, make);
  }

  /** Up to `most` different ones, at least one, in any order. */
  some<T>(choices: readonly T[], most: number): T[] {
    const left = [...choices];
    const chosen: T[] = [];
    for (let wanted = this.between(1, Math.min(most, left.length)); wanted > 0; wanted--)
      chosen.push(...left.splice(this.random.below(left.length), 1));
    return chosen;
  }

  /** Those members that chance lets in. */
  options(members: Readonly<Record<string, Option>>): JsonObject {
    const chosen: Record<string, Json> = {};
    for (const [name, [probability, value]] of Object.entries(members))
      if (this.yes(probability)) chosen[name] = value();
    return chosen;
  }
}
