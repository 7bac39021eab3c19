/** Patterns of names as automata: those with wildcards, and regular expressions in what `namePatterns` takes of them. */

/** Undefined stands for a character that no pattern names. */
type Symbol = string | undefined;

interface Test {
  readonly characters: ReadonlySet<string>;
  /** All others match instead. */
  readonly isNegated: boolean;
}

interface Edge {
  readonly test: Test;
  readonly to: number;
}

/** States are in order, without doubles. */
export interface Automaton {
  /** That are named, in any pattern. */
  readonly characters: ReadonlySet<string>;
  /** How many states there are. */
  readonly size: number;
  start(): readonly number[];
  step(states: readonly number[], symbol: Symbol): readonly number[];
  accepts(states: readonly number[]): boolean;
}

export const STATES_MAX = 5_000;
const REPEATS_MAX = 100;
const RANGE_MAX = 512;

const ANY: Test = { characters: new Set(), isNegated: true };

/** Of texts that one of the patterns matches. Undefined where a pattern has something that is not known here, or is too large. */
export function parsePattern(patterns: readonly string[]): Automaton | undefined {
  const net = new Net();
  try {
    for (const pattern of patterns) {
      const isRegex = pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/');
      const end = isRegex
        ? new RegexReader(net, pattern.slice(1, -1)).read(net.begin)
        : readWildcards(net, pattern, net.begin);
      net.link(end, net.end);
    }
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
  return net;
}

class Unreadable extends Error {}

class Net implements Automaton {
  readonly characters = new Set<string>();
  readonly begin: number;
  readonly end: number;
  private readonly edges: Edge[][] = [];
  private readonly links: number[][] = [];

  constructor() {
    this.begin = this.state();
    this.end = this.state();
  }

  get size(): number {
    return this.edges.length;
  }

  state(): number {
    if (this.edges.length >= STATES_MAX) throw new Unreadable();
    this.links.push([]);
    return this.edges.push([]) - 1;
  }

  link(from: number, to: number): void {
    this.links[from]?.push(to);
  }

  /** Gives the state behind a character that passes the test. */
  edge(from: number, test: Test): number {
    const to = this.state();
    this.edges[from]?.push({ test, to });
    for (const character of test.characters) this.characters.add(character);
    return to;
  }

  start(): readonly number[] {
    return this.closed([this.begin]);
  }

  step(states: readonly number[], symbol: Symbol): readonly number[] {
    const reached: number[] = [];
    for (const state of states) {
      for (const { test, to } of this.edges[state] ?? []) if (passes(test, symbol)) reached.push(to);
    }
    return this.closed(reached);
  }

  accepts(states: readonly number[]): boolean {
    return states.includes(this.end);
  }

  private closed(states: readonly number[]): readonly number[] {
    const all = new Set(states);
    // What is added while the set is walked is walked as well.
    for (const state of all) for (const next of this.links[state] ?? []) all.add(next);
    return [...all].sort((left, right) => left - right);
  }
}

function passes({ characters, isNegated }: Test, symbol: Symbol): boolean {
  return symbol === undefined ? isNegated : characters.has(symbol) !== isNegated;
}

function only(character: string): Test {
  return { characters: new Set([character]), isNegated: false };
}

function readWildcards(net: Net, pattern: string, begin: number): number {
  let state = begin;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') state = anyNumber(net, state, (from) => net.edge(from, ANY));
    else if (character === '?') state = net.edge(state, ANY);
    else
      state = net.edge(state, only(character === '\\' && at + 1 < pattern.length ? pattern.charAt(++at) : character));
  }
  return state;
}

type Part = (from: number) => number;

/** The part as often as one likes, also not at all. */
function anyNumber(net: Net, from: number, part: Part): number {
  const loop = net.state();
  net.link(from, loop);
  net.link(part(loop), loop);
  const after = net.state();
  net.link(loop, after);
  return after;
}

function maybe(net: Net, from: number, part: Part): number {
  const after = net.state();
  net.link(from, after);
  net.link(part(from), after);
  return after;
}

/** Characters, classes, groups, alternatives and repetitions. */
class RegexReader {
  private readonly net: Net;
  private readonly text: string;
  private at = 0;

  constructor(net: Net, text: string) {
    this.net = net;
    this.text = text;
  }

  read(begin: number): number {
    const part = this.alternatives();
    if (this.at < this.text.length) throw new Unreadable();
    return part(begin);
  }

  private alternatives(): Part {
    const choices = [this.sequence()];
    while (this.take('|')) choices.push(this.sequence());
    return (from) => {
      const after = this.net.state();
      for (const choice of choices) {
        // Of its own, so that what loops in one choice does not lead into another.
        const begin = this.net.state();
        this.net.link(from, begin);
        this.net.link(choice(begin), after);
      }
      return after;
    };
  }

  private sequence(): Part {
    const parts: Part[] = [];
    while (this.at < this.text.length && !'|)'.includes(this.text.charAt(this.at)))
      parts.push(this.repeated(this.atom()));
    return (from) => parts.reduce((state, part) => part(state), from);
  }

  private atom(): Part {
    const character = this.text.charAt(this.at++);
    switch (character) {
      case '(': {
        const inner = this.alternatives();
        if (!this.take(')')) throw new Unreadable();
        return inner;
      }
      case '[':
        return this.one(this.characterClass());
      case '.':
        return this.one(ANY);
      case '\\':
        return this.one(only(this.escaped()));
      case '*':
      case '+':
      case '?':
      case '{':
        throw new Unreadable();
      default:
        return this.one(only(character));
    }
  }

  private one(test: Test): Part {
    return (from) => this.net.edge(from, test);
  }

  private repeated(part: Part): Part {
    const { net } = this;
    let result = part;
    for (;;) {
      const inner = result;
      if (this.take('*')) result = (from) => anyNumber(net, from, inner);
      else if (this.take('+')) result = (from) => anyNumber(net, inner(from), inner);
      else if (this.take('?')) result = (from) => maybe(net, from, inner);
      else if (this.text.charAt(this.at) === '{') result = this.counted(inner);
      else return result;
    }
  }

  private counted(part: Part): Part {
    const match = /^\{(\d{1,3})(,(\d{1,3})?)?\}/.exec(this.text.slice(this.at));
    if (match === null) throw new Unreadable();
    this.at += match[0].length;
    const least = Number(match[1]);
    const most = match[2] === undefined ? least : match[3] === undefined ? Infinity : Number(match[3]);
    if (least > REPEATS_MAX || (most !== Infinity && most > REPEATS_MAX) || most < least) throw new Unreadable();
    return (from) => {
      let state = from;
      for (let count = 0; count < least; count++) state = part(state);
      if (most === Infinity) return anyNumber(this.net, state, part);
      for (let count = least; count < most; count++) state = maybe(this.net, state, part);
      return state;
    };
  }

  private characterClass(): Test {
    const isNegated = this.take('^');
    const characters = new Set<string>();
    for (let isFirst = true; isFirst || this.text.charAt(this.at) !== ']'; isFirst = false) {
      const first = this.classCharacter();
      const isRange = this.text.charAt(this.at) === '-' && this.text.charAt(this.at + 1) !== ']';
      if (!isRange) {
        characters.add(first);
        continue;
      }
      this.at++;
      const [from, to] = [first.charCodeAt(0), this.classCharacter().charCodeAt(0)];
      if (to < from || to - from > RANGE_MAX) throw new Unreadable();
      for (let code = from; code <= to; code++) characters.add(String.fromCharCode(code));
    }
    this.at++;
    return { characters, isNegated };
  }

  private classCharacter(): string {
    const character = this.text.charAt(this.at++);
    if (character === '') throw new Unreadable();
    if (character === '[') throw new Unreadable();
    return character === '\\' ? this.escaped() : character;
  }

  /** Letters and digits behind a backslash stand for classes. */
  private escaped(): string {
    const character = this.text.charAt(this.at++);
    if (character === '' || /[A-Za-z0-9]/.test(character)) throw new Unreadable();
    return character;
  }

  private take(character: string): boolean {
    if (this.text.charAt(this.at) !== character) return false;
    this.at++;
    return true;
  }
}
