/** Runs `quarry-load` (`native-bindings/timing`), a client that costs next to nothing, against a node. */
import { spawn } from 'node:child_process';

export interface Measured {
  readonly answers: number;
  readonly failed: number;
  readonly seconds: number;
  /** Microseconds, as the other times. */
  readonly p50: number;
  readonly p99: number;
}

export interface LoadRun {
  /** As `encodeRequests` writes them; sent again and again. */
  readonly requests: Buffer;
  readonly connections: number;
  /** Requests a second; 0: one follows the answer to the one before. */
  readonly rate: number;
  readonly seconds: number;
}

/** `program` is what `buildProgram` gave for `quarry-load`. An answer without success is an error; no answer at all in the time is none. */
export async function runLoad(
  program: string,
  url: string,
  { requests, connections, rate, seconds }: LoadRun,
): Promise<Measured> {
  const args = [new URL(url).host, String(connections), String(seconds), String(rate)];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(requests);
  let output = '';
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error('the load ended early');
  const measured = JSON.parse(output) as Measured;
  if (measured.failed > 0) throw new Error(`${measured.failed} of ${measured.answers} requests failed`);
  return measured;
}
