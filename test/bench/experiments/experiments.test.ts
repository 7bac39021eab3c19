/** Experiments in their small sizes, on documents of ours and of others: points, resuming, reports, comparing. No time is looked at. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRun, type MeasuredPoint } from '../../../bench/experiments/results.js';
import { TestNode } from '../../api/node-harness.js';
import { BROWSER, faint, NO_LANGUAGE, openBrowser, openTab, unnamed } from '../../console/browser.js';

const RUN_MS_MAX = 300_000;
const DOCUMENTS = 120;
const MAPPING = { mappings: { properties: { words: { type: 'text' }, group: { type: 'keyword' } } } };
const environment = { ...process.env, QUARRY_CORPORA: '/nonexistent' };
const run = promisify(execFile);

let folder: string;

function place(name: string): string {
  return path.join(folder, name);
}

async function experiment(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['src/setup/experiment.mjs', ...args], { env: environment });
  return stdout;
}

/** What it says where it fails. */
async function failing(...args: readonly string[]): Promise<string> {
  try {
    await run(process.execPath, ['src/setup/experiment.mjs', ...args], { env: environment });
  } catch (error) {
    return (error as { stderr: string }).stderr;
  }
  throw new Error(`${args.join(' ')} did not fail`);
}

function documents(): readonly object[] {
  const at = (from: number): string =>
    Array.from({ length: 8 }, (_, word) => `w${(from * 7 + word * word) % 30}`).join(' ');
  return Array.from({ length: DOCUMENTS }, (_, number) => ({ words: at(number), group: `g${number % 4}` }));
}

function lines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** The documents in all shards of a plan. How many shards there are depends on how fast the machine searched. */
function documentsOf(plan: string): number {
  const [, shards, documents, thousand] = /^(\d+) shards? of ([\d.]+)(k?) documents/mu.exec(plan) ?? [];
  return Number(shards) * Number(documents) * (thousand === 'k' ? 1_000 : 1);
}

function figures(points: readonly MeasuredPoint[], name: string): readonly (number | undefined)[] {
  return points.map((point) => point.figures[name]);
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'quarry-experiments-'));
  writeFileSync(place('documents.ndjson'), lines(documents()));
  writeFileSync(place('mapping.json'), JSON.stringify(MAPPING));
  const named = { name: 'a word', body: { query: { match: { words: 'w1' } } } };
  writeFileSync(place('queries.ndjson'), lines([named, { size: 0, aggs: { groups: { terms: { field: 'group' } } } }]));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('capacity, on documents, mapping and searches of a user', () => {
  const args = (): string[] => {
    const data = ['--documents', place('documents.ndjson'), '--mapping', place('mapping.json')];
    return [
      'capacity',
      '--size',
      'small',
      ...data,
      '--queries',
      place('queries.ndjson'),
      '--output',
      place('capacity'),
    ];
  };

  test(
    'stops and goes on, measures every point, and tells the same answers everywhere',
    async () => {
      expect(await experiment(...args(), '--points', '2')).toContain('[2/');
      const before = readRun(place('capacity/results.jsonl')).points;
      expect(before).toHaveLength(2);
      expect(await experiment(...args())).toMatch(/^2 of \d+ points are measured already$/mu);
      const { points, header } = readRun(place('capacity/results.jsonl'));
      expect(points.slice(0, 2)).toEqual(before);
      expect(new Set(points.map(({ spec }) => spec.sweep))).toEqual(new Set(['documents', 'shards', 'fields']));
      expect(header.dataset).toMatchObject({ documents: DOCUMENTS, origin: 'file', queries: 2 });
      for (const name of ['storeBytes', 'memoryBytes', 'documentsPerSecond', 'writeAmplification']) {
        expect(figures(points, name).every((value) => (value ?? 0) > 0)).toBe(true);
      }
      const ofDocuments = points.filter(({ spec }) => spec.sweep === 'documents');
      expect(ofDocuments.map(({ spec }) => spec.documents).sort((a, b) => a - b)).toEqual([DOCUMENTS / 2, DOCUMENTS]);
      for (const name of ['searchMedianMs', 'searchP99Ms', 'searchesPerSecond', 'greenMs', 'servingBytes']) {
        expect(figures(ofDocuments, name).every((value) => (value ?? 0) > 0)).toBe(true);
      }
      expect(Object.keys(ofDocuments[0]?.kinds ?? {})).toEqual(['a word', 'queries']);
    },
    RUN_MS_MAX,
  );

  test(
    'that is stopped in the middle of a point leaves no node and no data, and goes on',
    async () => {
      const scratch = place('scratch');
      mkdirSync(scratch);
      const options = { env: { ...environment, TMPDIR: scratch } };
      const command = ['src/setup/experiment.mjs', ...args(), '--output', place('stopped')];
      const child = spawn(process.execPath, command, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
      const output = createInterface({ input: child.stdout });
      for await (const line of output) if (line.startsWith('[2/')) break;
      while (readdirSync(scratch).length === 0) await sleep(20);
      child.kill('SIGTERM');
      expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(143);
      expect(readdirSync(scratch)).toEqual([]);
      const { points } = readRun(place('stopped/results.jsonl'));
      expect(points.length).toBeGreaterThanOrEqual(2);
      const told = await experiment(...args(), '--output', place('stopped'), '--points', '1');
      expect(told).toMatch(new RegExp(`^${points.length} of \\d+ points are measured already$`, 'mu'));
    },
    RUN_MS_MAX,
  );

  test('another run does not go into the same folder', async () => {
    expect(await failing(...args(), '--seed', '2')).toContain('seed was [1] and is [2]');
  });

  test('the report needs nothing but itself, and has the machine and the command', () => {
    const page = readFileSync(place('capacity/report.html'), 'utf8');
    expect(page).not.toMatch(/(?:src|href)="(?!#)/u);
    for (const text of [
      'Documents in one shard',
      'Fields and settings',
      'without group',
      process.version,
      '--queries',
    ]) {
      expect(page).toContain(text);
    }
  });

  test.skipIf(BROWSER === undefined).each(['light', 'dark'] as const)(
    'the report is drawn and can be read, %s',
    async (shade) => {
      const browser = await openBrowser();
      try {
        const { page, complaints } = await openTab(browser, shade);
        await page.goto(`file://${place('capacity/report.html')}`);
        expect(await page.locator('.plot canvas').count()).toBeGreaterThan(8);
        expect(await unnamed(page)).toEqual([]);
        expect(await faint(page)).toEqual([]);
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  test.skipIf(BROWSER === undefined)('the report is drawn where the system has no language', async () => {
    const browser = await openBrowser();
    try {
      const { page, complaints } = await openTab(browser, 'light', undefined, NO_LANGUAGE);
      await page.goto(`file://${place('capacity/report.html')}`);
      expect(await page.locator('.plot canvas').count()).toBeGreaterThan(8);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test('a run compared with itself has changed nothing, and with another one is told apart', async () => {
    const same = await experiment('compare-runs', place('capacity'), place('capacity'));
    expect(same).toContain('0 changed');
    const [header = '', ...points] = readFileSync(place('capacity/results.jsonl'), 'utf8').trim().split('\n');
    const repeats = [1, 2, 3, 4].flatMap((repeat) =>
      points.map((line) => ({ ...(JSON.parse(line) as MeasuredPoint), repeat })),
    );
    const larger = repeats.map((point) => ({
      ...point,
      figures: { ...point.figures, storeBytes: 2 * (point.figures['storeBytes'] ?? 0) },
    }));
    writeFileSync(place('before.jsonl'), `${header}\n${lines(repeats)}`);
    writeFileSync(place('after.jsonl'), `${header}\n${lines(larger)}`);
    const output = ['--output', place('comparison')];
    const told = await experiment('compare-runs', place('before.jsonl'), place('after.jsonl'), ...output);
    expect(told).toMatch(/disk +\+100 % .*: worse/u);
    expect(readFileSync(place('comparison/report.html'), 'utf8')).toContain('+100 %');
  });
});

test(
  'merging, on what a running index has',
  async () => {
    const node = await TestNode.start();
    try {
      await node.request('PUT', '/mine', { mappings: MAPPING.mappings });
      const bulk = documents().map((each) => `{"index":{}}\n${JSON.stringify(each)}\n`);
      await node.request('POST', '/mine/_bulk?refresh=true', bulk.join(''));
      const from = ['--from', `${node.url}/mine`, '--output', place('merging')];
      await experiment('merging', '--size', 'small', '--sweeps', 'tiers,buffer', ...from);
    } finally {
      await node.stop();
    }
    const { points, header } = readRun(place('merging/results.jsonl'));
    expect(header.dataset).toMatchObject({ name: 'mine', origin: 'running index', documents: DOCUMENTS });
    expect(new Set(points.map(({ spec }) => spec.sweep))).toEqual(new Set(['tiers', 'buffer']));
    for (const { figures: found, curves } of points) {
      expect(found['flushedBytes']).toBeGreaterThan(0);
      expect(found['writeAmplification']).toBeGreaterThanOrEqual(1);
      expect(curves['segments']?.length).toBeGreaterThan(0);
    }
    expect(existsSync(place('merging/report.html'))).toBe(true);
  },
  RUN_MS_MAX,
);

test(
  'tuning keeps the default where one run of each candidate tells nothing',
  async () => {
    const data = [
      '--documents',
      place('documents.ndjson'),
      '--mapping',
      place('mapping.json'),
      '--output',
      place('tune'),
    ];
    const told = await experiment(
      'tune',
      '--size',
      'small',
      '--segments-per-tier',
      '4',
      '--floor-segment',
      '2mb',
      ...data,
    );
    expect(told).toMatch(/^fewest bytes written: keep the default/mu);
    expect(readFileSync(place('tune/report.html'), 'utf8')).toContain('keep the default');
  },
  RUN_MS_MAX,
);

test(
  'scaling, on documents of ours and over two nodes',
  async () => {
    const output = ['--output', place('scaling')];
    await experiment('scaling', '--size', 'small', '--corpus', 'logs', '--sweeps', 'nodes', ...output);
    const { points } = readRun(place('scaling/results.jsonl'));
    expect(points.map(({ spec }) => spec.nodes).sort()).toEqual([1, 2]);
    expect(figures(points, 'searchesPerSecond').every((value) => (value ?? 0) > 0)).toBe(true);
  },
  RUN_MS_MAX,
);

test(
  'a plan for many documents, from a sample of a few, and another one from the same measurements',
  async () => {
    const data = ['--sample', place('documents.ndjson'), '--mapping', place('mapping.json'), '--output', place('plan')];
    const plan = ['plan', '--size', 'small', '--documents', '1e5', '--p99', '10h', ...data];
    const told = await experiment(...plan);
    expect(documentsOf(told) / 1e5).toBeCloseTo(1, 1);
    for (const part of [/^write amplification: [\d.]+ \(/mu, /^check, disk: foretold/mu]) {
      expect(told).toMatch(part);
    }
    expect(readFileSync(place('plan/report.html'), 'utf8')).toContain('Growth of one shard');
    const other = await experiment(...plan.map((word) => (word === '1e5' ? '2e5' : word)));
    expect(other).toContain('7 of 7 points are measured already');
    expect(documentsOf(other) / 2e5).toBeCloseTo(1, 1);
  },
  RUN_MS_MAX,
);

test.each([
  [['capacity', '--count', '0'], '[0] is not a number of at least 1'],
  [['capacity', '--sweeps', 'colours'], 'there is no [colours], but documents, shards, fields'],
  [['capacity', '--documents', '/nonexistent'], '[/nonexistent] cannot be read'],
  [['capacity', '--from', 'http://localhost:9200/'], 'no address of an index'],
  [['capacity', '--from', 'http://localhost/x', '--documents', 'f'], 'cannot be used with'],
  [['merging', '--updates', '120%'], '[120%] is not a share'],
  [['plan', '--documents', 'many'], '[many] is not a number'],
  [['plan', '--documents', '1e6', '--replicas', '11'], 'at most 10'],
  [['plan'], "required option '--documents <number>'"],
  [['report', '/nonexistent'], 'no such file'],
  [['colours'], "unknown command 'colours'"],
])('%j is refused in a sentence', async (args, reason) => {
  expect(
    await failing(...args, ...(args[0] === 'report' || args[0] === 'colours' ? [] : ['--output', place('none')])),
  ).toContain(reason);
});
