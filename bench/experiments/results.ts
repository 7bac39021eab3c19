/**
 * The file of a run: a line that says what the run is, then a line for each point, added when it was measured. A run that was stopped
 * goes on where it was; a line that was cut off when it was killed counts as not measured.
 */
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Measurement, Point } from './point.js';
import type { Provenance } from './provenance.js';

/** What has to be the same for a run to go on. */
export interface RunHeader extends Provenance {
  readonly format: number;
  readonly experiment: string;
  readonly seed: number;
  /** All that the points depend on, in the words of the command line. */
  readonly options: Readonly<Record<string, string>>;
  readonly dataset: {
    readonly name: string;
    readonly origin: string;
    readonly fingerprint: string;
    readonly documents: number;
    readonly bytes: number;
    readonly queries: number;
  };
}

export interface MeasuredPoint extends Point, Measurement {
  readonly startedAt: string;
  readonly tookMs: number;
}

export interface Run {
  readonly header: RunHeader;
  readonly points: readonly MeasuredPoint[];
}

export const RESULTS_FORMAT = 1;

/** A run as its file has it. Throws with the place where the file is none. */
export function readRun(file: string): Run {
  const { run } = parse(readFileSync(file, 'utf8'), file);
  return run;
}

interface Parsed {
  readonly run: Run;
  /** Bytes of whole lines. */
  readonly wholeBytes: number;
}

function parse(text: string, file: string): Parsed {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [first, ...others] = whole.split('\n').filter((line) => line !== '');
  if (first === undefined) throw new Error(`[${file}] holds no run`);
  const header = parseLine(first, file, 1) as RunHeader;
  if (header.format !== RESULTS_FORMAT) {
    throw new Error(`[${file}] is no run of an experiment, or one of another version: format [${header.format}]`);
  }
  const points = others.map((line, at) => parseLine(line, file, at + 2) as MeasuredPoint);
  return { run: { header, points }, wholeBytes: Buffer.byteLength(whole) };
}

function parseLine(line: string, file: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new Error(`[${file}] line ${number} is not JSON`);
  }
}

/** Adds points to the file of a run; each is on disk when `add` returns. */
export class ResultsFile {
  readonly earlier: readonly MeasuredPoint[];
  private readonly descriptor: number;

  /** Begins a file, or goes on with one of the same run; throws where it is of another one, and says what differs. */
  constructor(file: string, header: RunHeader) {
    if (!existsSync(file)) {
      this.earlier = [];
      this.descriptor = openSync(file, 'a');
      this.write(header);
      return;
    }
    const { run, wholeBytes } = parse(readFileSync(file, 'utf8'), file);
    const differences = differencesOf(run.header, header);
    if (differences.length > 0) {
      throw new Error(
        `[${file}] is of another run (${differences.join('; ')}): give another --output, or --fresh to begin anew`,
      );
    }
    this.earlier = run.points;
    this.descriptor = openSync(file, 'r+');
    ftruncateSync(this.descriptor, wholeBytes);
    closeSync(this.descriptor);
    this.descriptor = openSync(file, 'a');
  }

  add(point: MeasuredPoint): void {
    this.write(point);
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private write(line: object): void {
    writeSync(this.descriptor, `${JSON.stringify(line)}\n`);
    fsyncSync(this.descriptor);
  }
}

/** Points of one file have to be comparable: the same program on the same machine with the same data. */
function differencesOf(before: RunHeader, now: RunHeader): readonly string[] {
  const parts = ({ experiment, seed, options, dataset, commit, machine }: RunHeader): [string, unknown][] => [
    ['experiment', experiment],
    ['seed', seed],
    ['commit', commit],
    ['data', `${dataset.name} ${dataset.fingerprint}`],
    ['machine', machine.name],
    ...Object.entries(options).map(([name, value]): [string, unknown] => [`--${name}`, value]),
  ];
  const former = new Map(parts(before));
  const newer = new Map(parts(now));
  return [...new Set([...former.keys(), ...newer.keys()])].flatMap((name) => {
    const [old, current] = [former.get(name), newer.get(name)];
    return old === current ? [] : [`${name} was [${text(old)}] and is [${text(current)}]`];
  });
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
