/**
 * Inputs made by chance: for some seconds among the other tests, by the million when somebody asks for it.
 *
 * `QUARRY_FUZZ_INPUTS` says how many inputs of a kind are tried, `QUARRY_FUZZ_SEED` and `QUARRY_FUZZ_FROM` which: an input that
 * fails is told with the numbers that make it again.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { Chance } from '../../bench/compare/chance.js';

/** Of each kind, where nobody says how many inputs are tried. */
const USUAL_MS = 8_000;
/** Of processors: an input that takes longer is taken for one that hangs. What a process waits for, the test's own timeout ends. */
const INPUT_MS_MAX = 60_000;
/** Inputs between two looks at the clock of the test, so that the runner hears of it. */
const TURN = 1_000;
/** Fewer inputs do not tell whether memory grows. */
const JUDGED_INPUTS_MIN = 1_000_000;
const GROWTH_BYTES_MAX = 64 * 1024 * 1024;
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
  /** What is held when the run is judged; the heap of this process where nobody says. */
  readonly heldBytes?: () => number | Promise<number>;
}

/**
 * Tries inputs. `one` makes those with the given numbers from chance, each by {@link chanceOf}, and throws where something is wrong
 * with what they do.
 */
export async function fuzz(
  { what, each = 1, heldBytes = heapBytes }: FuzzRun,
  one: (chance: Chance, number: number) => void | Promise<void>,
): Promise<void> {
  const inputs = given('QUARRY_FUZZ_INPUTS');
  const [seed, from] = [given('QUARRY_FUZZ_SEED') ?? 1, given('QUARRY_FUZZ_FROM') ?? 0];
  const startedMs = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedMs) / 1_000);
  const isEnough = (): boolean => (inputs === undefined ? performance.now() - startedMs >= USUAL_MS : done >= inputs);
  let [done, slowestMs, toldMs, warmBytes] = [0, 0, startedMs, 0];
  while (!isEnough()) {
    const number = from + done;
    const [beforeMs, beforeCpu] = [performance.now(), process.cpuUsage()];
    try {
      const result = one(new Chance(seed * 1_000_003 + number), number);
      if (result instanceof Promise) await result;
    } catch (error) {
      console.log(`${what}: QUARRY_FUZZ_SEED=${seed} QUARRY_FUZZ_FROM=${number} QUARRY_FUZZ_INPUTS=${each}`);
      throw error;
    }
    const tookMs = performance.now() - beforeMs;
    if (tookMs > INPUT_MS_MAX && process.cpuUsage(beforeCpu).user / 1_000 > INPUT_MS_MAX) {
      throw new Error(`${what}: input ${number} of seed ${seed} took ${tookMs} ms`);
    }
    slowestMs = Math.max(slowestMs, tookMs);
    const before = done;
    done += each;
    if (Math.floor(before / TURN) < Math.floor(done / TURN)) await new Promise((resolve) => setImmediate(resolve));
    const quarter = (inputs ?? 0) / 4;
    if (before < quarter && done >= quarter) warmBytes = await heldBytes();
    if (performance.now() - toldMs > PROGRESS_MS) {
      toldMs = performance.now();
      console.log(`${what}: ${done} inputs in ${seconds()} s`);
    }
  }
  const range = `seed ${seed} from ${from}`;
  console.log(`${what}: ${done} inputs in ${seconds()} s, ${range}, the slowest took ${slowestMs.toFixed(1)} ms`);
  if ((inputs ?? 0) < JUDGED_INPUTS_MIN) return;
  const growth = (await heldBytes()) - warmBytes;
  console.log(`${what}: memory grew by ${growth} bytes over the last three quarters`);
  expect(growth).toBeLessThan(GROWTH_BYTES_MAX);
}

/** What is left of the heap, and outside of it, when all that can go is gone. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
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
