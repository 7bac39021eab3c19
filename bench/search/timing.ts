/** Times one search at several servers side by side, with a client that costs next to nothing (`native-bindings/timing`). */
import { runProgramMeanwhile } from '../programs.js';

export interface Latency {
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The body of the last answer. */
  readonly answer: Buffer;
}

export interface Effort {
  /** Requests to each server before anything is measured: a virtual machine compiles what runs often. */
  readonly warmUps: number;
  /** How often the servers take turns: what else the machine does meanwhile then falls on each of them. */
  readonly turns: number;
  /** Requests measured in a turn. */
  readonly rounds: number;
}

/** Before each turn, since the other server had the caches. */
const ROUNDS_TO_TAKE_OVER = 5;

interface Turn {
  readonly milliseconds: readonly number[];
  readonly answer: Buffer;
}

function requestOf(host: string, path: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'utf8');
}

async function turn(
  program: string,
  url: string,
  path: string,
  body: string,
  warmUps: number,
  rounds: number,
): Promise<Turn> {
  const { host } = new URL(url);
  const input = requestOf(host, path, body);
  const output = await runProgramMeanwhile(program, [host, String(warmUps), String(rounds)], input);
  const lineEnd = output.indexOf('\n');
  const { status, nanoseconds } = JSON.parse(output.toString('utf8', 0, lineEnd)) as {
    readonly status: number;
    readonly nanoseconds: readonly number[];
  };
  const answer = output.subarray(lineEnd + 1);
  if (status !== 200) throw new Error(`${path}: ${status} ${answer.toString('utf8', 0, 500)}`);
  return { milliseconds: nanoseconds.map((each) => each / 1e6), answer };
}

function latencyOf(turns: readonly Turn[]): Latency {
  const times = turns.flatMap(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? NaN;
  return { medianMs: at(0.5), p99Ms: at(0.99), answer: turns.at(-1)?.answer ?? Buffer.alloc(0) };
}

/** One latency for each of `urls`, in their order. Throws on an answer other than 200. */
export async function timeSearch(
  program: string,
  urls: readonly string[],
  path: string,
  body: string,
  { warmUps, turns, rounds }: Effort,
): Promise<Latency[]> {
  for (const url of urls) await turn(program, url, path, body, warmUps, 1);
  const taken = urls.map((): Turn[] => []);
  for (let count = 0; count < turns; count++) {
    for (const [index, url] of urls.entries()) {
      taken[index]?.push(await turn(program, url, path, body, ROUNDS_TO_TAKE_OVER, rounds));
    }
  }
  return taken.map(latencyOf);
}
