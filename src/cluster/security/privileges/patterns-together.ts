/**
 * Whether several patterns together match everything that one does: `a*` and `b*` cover `/[ab].+/`. Both sides become automata, and all states in
 * which the two can be after the same text are looked at. That may take exponential time, so there is a budget.
 */
import { illegalArgument } from '../../../base/errors.js';
import { parsePattern, STATES_MAX, type Automaton } from './pattern-automaton.js';

/** Steps of automata that one request may take. */
const STEPS_MAX = 2_000_000;

/** Automata that are kept for further questions. */
const KNOWN_MAX = 16;

export class PatternCover {
  private stepsLeft = STEPS_MAX;
  private readonly unreadable = new Set<string>();
  /** Automata of what roles have, by their patterns: the same ones are compared with each question. */
  private readonly known = new Map<string, Automaton | undefined>();

  /** Throws `illegal_argument_exception` when the budget is used up. */
  covers(patterns: readonly string[], pattern: string): boolean {
    const narrow = this.built([pattern]);
    const wide = this.wideOf(patterns);
    // What cannot be read covers nothing for sure.
    if (narrow === undefined || wide === undefined) return false;
    const symbols = [...new Set([...narrow.characters, ...wide.characters]), OTHER];
    const start = [narrow.start(), wide.start()] as const;
    const seen = new Set([keyOf(start)]);
    const open: (readonly [readonly number[], readonly number[]])[] = [start];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [here, there] = next;
      if (narrow.accepts(here) && !wide.accepts(there)) return false;
      for (const symbol of symbols) {
        this.take(here.length + there.length);
        const pair = [narrow.step(here, symbol), wide.step(there, symbol)] as const;
        this.take(pair[0].length + pair[1].length);
        const key = keyOf(pair);
        if (pair[0].length === 0 || seen.has(key)) continue;
        seen.add(key);
        open.push(pair);
      }
    }
    return true;
  }

  private wideOf(patterns: readonly string[]): Automaton | undefined {
    const key = JSON.stringify(patterns);
    if (this.known.size >= KNOWN_MAX && !this.known.has(key)) this.known.clear();
    if (!this.known.has(key)) this.known.set(key, this.built(patterns));
    return this.known.get(key);
  }

  private built(patterns: readonly string[]): Automaton | undefined {
    const key = JSON.stringify(patterns);
    if (this.unreadable.has(key)) return undefined;
    const automaton = parsePattern(patterns);
    // One that is not known was given up at its limit at the latest.
    this.take(automaton?.size ?? STATES_MAX);
    if (automaton === undefined) this.unreadable.add(key);
    return automaton;
  }

  private take(steps: number): void {
    this.stepsLeft -= steps;
    if (this.stepsLeft >= 0) return;
    throw illegalArgument(
      'the patterns of the roles, and those that are asked about, are too complex to be compared in one request',
    );
  }
}

/** Stands for all characters that no pattern names. */
const OTHER: Parameters<Automaton['step']>[1] = undefined;

function keyOf([here, there]: readonly [readonly number[], readonly number[]]): string {
  return `${here.join(',')};${there.join(',')}`;
}
