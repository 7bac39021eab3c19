/** The file of a run: it goes on where it was, and with nothing else. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Measurement, Point, PointSpec } from '../../../bench/experiments/point.js';
import { pointOf } from '../../../bench/experiments/point.js';
import { readRun, ResultsFile, RESULTS_FORMAT, type RunHeader } from '../../../bench/experiments/results.js';
import { runPoints } from '../../../bench/experiments/runner.js';

const HEADER: RunHeader = {
  format: RESULTS_FORMAT,
  experiment: 'capacity',
  seed: 1,
  options: { size: 'small' },
  dataset: { name: 'd', origin: 'file', fingerprint: 'f', documents: 1, bytes: 1, queries: 1 },
  machine: { name: 'm', system: 's', processor: 'p', processors: 1, memoryBytes: 1, fileSystem: 'f' },
  versions: { quarry: '1' },
  commit: 'c',
  command: 'npm run experiment',
  startedAt: '2026-01-01T00:00:00.000Z',
};

function points(count: number): readonly Point[] {
  const base = { sweep: 's', nodes: 1, shards: 1, processors: 1, nodeSettings: {}, indexSettings: {}, variant: 'v' };
  return Array.from({ length: count }, (_, x): Point => {
    const spec: PointSpec = { ...base, label: String(x), x, documents: 10, measures: [] };
    return pointOf(spec, 1);
  });
}

const MEASURED: Measurement = { figures: { storeBytes: 1 }, kinds: {}, curves: {}, answers: { kind: 'same' } };

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'quarry-results-'));
  file = path.join(folder, 'results.jsonl');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The ids that were measured. */
async function go(count: number, pointsMax: number, measured: () => Measurement = () => MEASURED): Promise<string[]> {
  const results = new ResultsFile(file, HEADER);
  const ids: string[] = [];
  const measure = (point: Point): Promise<Measurement> => {
    ids.push(point.id);
    return Promise.resolve(measured());
  };
  const quiet = { weigh: () => 1, say: () => undefined, now: () => 0 };
  try {
    await runPoints({ points: points(count), results, measure, pointsMax, ...quiet });
  } finally {
    results.close();
  }
  return ids;
}

test('a run that was stopped goes on with what is left', async () => {
  const all = points(5).map(({ id }) => id);
  expect(await go(5, 2)).toEqual(all.slice(0, 2));
  expect(await go(5, Infinity)).toEqual(all.slice(2));
  expect(await go(5, Infinity)).toEqual([]);
  expect(readRun(file).points.map(({ id }) => id)).toEqual(all);
});

test('a line that was cut off is measured again', async () => {
  await go(3, 2);
  appendFileSync(file, '{"id":"cut');
  expect(await go(3, Infinity)).toHaveLength(1);
  expect(readRun(file).points).toHaveLength(3);
  expect(readFileSync(file, 'utf8')).not.toContain('"cut');
});

test.each([
  ['seed', { ...HEADER, seed: 2 }, 'seed was [1] and is [2]'],
  ['commit', { ...HEADER, commit: 'd' }, 'commit was [c] and is [d]'],
  ['option', { ...HEADER, options: { size: 'full' } }, '--size was [small] and is [full]'],
  ['data', { ...HEADER, dataset: { ...HEADER.dataset, fingerprint: 'g' } }, 'data was [d f] and is [d g]'],
])('a run with another %s is refused', async (_what, other, difference) => {
  await go(1, 1);
  expect(() => new ResultsFile(file, other)).toThrow(difference);
  expect(readRun(file).points).toHaveLength(1);
});

test('a file that is no run is refused with its place', async () => {
  appendFileSync(file, '{"format":0}\n');
  expect(() => readRun(file)).toThrow('another version');
  rmSync(file);
  await go(1, 1);
  appendFileSync(file, 'no JSON\n');
  expect(() => readRun(file)).toThrow('line 3');
});

test('answers that differ between points with the same documents end the run, and the point is not kept', async () => {
  await go(2, 1);
  await expect(go(2, 1, () => ({ ...MEASURED, answers: { kind: 'other' } }))).rejects.toThrow('finds other documents');
  expect(readRun(file).points).toHaveLength(1);
});
