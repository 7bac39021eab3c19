/**
 * Inputs made by chance: for some seconds among the other tests, by the million when somebody asks for it.
 *
 * `QUARRY_FUZZ_INPUTS` says how many inputs of a kind are tried, `QUARRY_FUZZ_SEED` and `QUARRY_FUZZ_FROM` which: an input that
 * fails is told with the numbers that make it again. The inputs of a seed begin 1,000,003 after those of the one before: beyond a
 * million, go on where the last ended rather than with another seed.
 */
import { expect } from 'vitest';
import { Chance } from '../../bench/compare/chance.js';
import { slopeOf, type Point } from '../../bench/soak/slope.js';
import { collectGarbage } from '../collect-garbage.js';

/** Of each kind, where nobody says how many inputs are tried. */
const USUAL_MS = 8_000;
/** Of processors: an input that takes longer is taken for one that hangs. What a process waits for, the test's own timeout ends. */
const INPUT_MS_MAX = 60_000;
/** Inputs between two looks at the clock of the test, so that the runner hears of it. */
const TURN = 1_000;
/** Fewer inputs do not tell whether memory grows. */
const JUDGED_INPUTS_MIN = 1_000_000;
const GROWTH_BYTES_MAX = 32 * 1024 * 1024;
/** Looks at what is held, of which the first quarter is not judged. */
const LOOKS = 80;
const PROGRESS_MS = 60_000;

/** Time enough for any number of inputs. */
export const FUZZ_TIMEOUT_MS = given('QUARRY_FUZZ_INPUTS') === undefined ? 240_000 : 48 * 3_600_000;

function given(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`[${name}] is no number: [${text}]`);
  return value;
}

export interface FuzzRun {
  readonly what: string;
  /** So many inputs are tried by each call. */
  readonly each?: number;
  /** What is held now; the heap of this process where nobody says. */
  readonly heldBytes?: () => number | Promise<number>;
}

type One = (chance: Chance, number: number) => void | Promise<void>;

/** As {@link tryInputs}; where there are many, errors have no stacks, which take longer than to refuse an input. One alone has them. */
export async function fuzz(run: FuzzRun, one: One): Promise<void> {
  const { stackTraceLimit } = Error;
  const { each = 1 } = run;
  if ((given('QUARRY_FUZZ_INPUTS') ?? 0) > each) Error.stackTraceLimit = 0;
  try {
    await tryInputs(run, one);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Tries inputs. `one` makes that with the number, or as many as `each` from it on, and throws where something is wrong with what they do. */
async function tryInputs({ what, each = 1, heldBytes = heapBytes }: FuzzRun, one: One): Promise<void> {
  const inputs = given('QUARRY_FUZZ_INPUTS');
  const [seed, from] = [given('QUARRY_FUZZ_SEED') ?? 1, given('QUARRY_FUZZ_FROM') ?? 0];
  const isJudged = inputs !== undefined && inputs >= JUDGED_INPUTS_MIN;
  const startedMs = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedMs) / 1_000);
  const isEnough = (): boolean => (inputs === undefined ? performance.now() - startedMs >= USUAL_MS : done >= inputs);
  let [done, slowestMs, toldMs] = [0, 0, startedMs];
  // To ask for processor time takes longer than most inputs: it is asked for once in a turn.
  let [turnMs, turnCpu] = [startedMs, process.cpuUsage()];
  const held: Point[] = [];
  while (!isEnough()) {
    const number = from + done;
    const beforeMs = performance.now();
    try {
      const result = one(new Chance(seed * 1_000_003 + number), number);
      if (result instanceof Promise) await result;
    } catch (error) {
      console.log(`${what}: QUARRY_FUZZ_SEED=${seed} QUARRY_FUZZ_FROM=${number} QUARRY_FUZZ_INPUTS=${each}`);
      throw error;
    }
    const tookMs = performance.now() - beforeMs;
    // What came before it in the turn used no more than the time that this took.
    if (tookMs > INPUT_MS_MAX && process.cpuUsage(turnCpu).user / 1_000 - (beforeMs - turnMs) > INPUT_MS_MAX) {
      throw new Error(`${what}: input ${number} of seed ${seed} took ${tookMs} ms`);
    }
    slowestMs = Math.max(slowestMs, tookMs);
    const before = done;
    done += each;
    if (Math.floor(before / TURN) < Math.floor(done / TURN)) {
      await new Promise((resolve) => setImmediate(resolve));
      [turnMs, turnCpu] = [performance.now(), process.cpuUsage()];
    }
    if (isJudged && Math.floor((before * LOOKS) / inputs) < Math.floor((done * LOOKS) / inputs)) {
      held.push({ seconds: (performance.now() - startedMs) / 1_000, value: await heldBytes() });
    }
    if (performance.now() - toldMs > PROGRESS_MS) {
      toldMs = performance.now();
      const { value } = held.at(-1) ?? {};
      const told = value === undefined ? '' : `, ${(value / 1e6).toFixed(1)} MB are held`;
      console.log(`${what}: ${done} inputs in ${seconds()} s${told}`);
    }
  }
  const range = `seed ${seed} from ${from}`;
  console.log(`${what}: ${done} inputs in ${seconds()} s, ${range}, the slowest took ${slowestMs.toFixed(1)} ms`);
  if (isJudged) judgeMemory(what, held.slice(LOOKS / 4));
}

/** What a process holds goes up and down: its slope counts. */
function judgeMemory(what: string, held: readonly Point[]): void {
  const hours = ((held.at(-1)?.seconds ?? 0) - (held[0]?.seconds ?? 0)) / 3_600;
  const { level, low, high } = slopeOf(held, 0);
  const told = [level, low * hours, high * hours].map((bytes) => (bytes / 1e6).toFixed(1));
  console.log(`${what}: ${told[0]} MB are held, and ${told[1]} to ${told[2]} MB more (95%) than after a quarter`);
  expect(low * hours).toBeLessThan(GROWTH_BYTES_MAX);
}

/** What is left of the heap, and outside of it, when all that can go is gone. */
async function heapBytes(): Promise<number> {
  await collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const EDGES = ['\0', '\x1f', '\x7f', '\u00a0', '\u2028', '\ud83d', '\ude00', '😀', 'é', '\ufeff', '\uffff'];

/** Changes one to six places of a text; `pieces` are put in now and then. */
export function damaged(text: string, chance: Chance, pieces: readonly string[]): string {
  let value = text;
  for (let times = chance.between(1, 6); times > 0; times--) {
    const at = chance.below(value.length + 1);
    const end = Math.min(value.length, at + chance.below(12));
    value = chance.one(
      () => value.slice(0, at) + value.slice(end),
      () => value.slice(0, at),
      () => value.slice(0, at) + value.slice(at, end) + value.slice(at),
      () => value.slice(0, at) + chance.pick(pieces) + value.slice(at),
      () => value.slice(0, at) + chance.pick(pieces) + value.slice(end),
      () => value.slice(0, at) + chance.pick(EDGES) + value.slice(at),
      () => value.slice(0, at) + String.fromCharCode(chance.below(128)) + value.slice(at + 1),
    );
  }
  return value;
}
