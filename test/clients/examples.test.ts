/** Every example runs as its first lines say, and prints what it shows. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { isInstalled, runTool } from './run-tool.js';

const MAIN = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));
const BOOKS = '1: The Left Hand of Darkness (1969)\nUrsula K. Le Guin: 1\n';
const hasPython = isInstalled('python3', ['-c', 'import elasticsearch']);

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(async () => {
  await node.stop();
});

test('index and search in JavaScript', async () => {
  expect(await run(['javascript.mjs'])).toBe(BOOKS);
});

test.skipIf(!hasPython)(
  `index and search in Python${hasPython ? '' : ' (not installed: pip install elasticsearch==8.17.0)'}`,
  async () => {
    expect(await runTool('python3', [example('python_client.py')], { QUARRY_URL: node.url })).toBe(BOOKS);
  },
);

test('bulk load of a file', async () => {
  const [refused, loaded, large] = (await run(['bulk-load.mjs', example('cities.csv')])).split('\n');
  expect(refused).toMatch(/^refused Nowhere: .*\[population\]/u);
  expect([loaded, large]).toEqual(['5 of 6 documents', '3 cities above ten million']);
});

test('alert by percolation', async () => {
  const lines = (await run(['percolation-alert.mjs'])).trimEnd().split('\n').sort();
  expect(lines).toEqual([
    'out-of-memory tells operations of "killed: out of memory"',
    'slow-checkout tells payments of "paid"',
  ]);
});

test('vector search', async () => {
  expect((await run(['vector-search.mjs'])).trimEnd().split('\n')).toEqual([
    'nearest: dark red, crimson, navy',
    'nearest cold ones: navy, dark violet',
    'with words: dark violet, dark red, crimson',
  ]);
});

describe('three nodes', () => {
  let home: string;
  let cluster: ChildProcess;
  let urls: readonly string[];

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'quarry-example-'));
    const settings = {
      'path.data': join(home, 'data'),
      'path.logs': join(home, 'logs'),
      'http.port': '0',
      'transport.port': '0',
      'cluster.routing.allocation.disk.threshold_enabled': 'false',
    };
    const args = Object.entries(settings).flatMap(([key, value]) => ['-E', `${key}=${value}`]);
    // The ports that the command found free may be taken by another test before the nodes have them.
    for (let tries = 1; ; tries++) {
      cluster = spawn(process.execPath, [MAIN, 'start', '--nodes', '3', ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const found = await addressesOf(cluster, 3);
      urls = found.urls;
      if (urls.length === 3) return;
      if (tries === 3 || !found.printed.includes('in use')) throw new Error(`a node ended: ${found.printed}`);
      await endOf(cluster);
    }
  }, 120_000);

  afterAll(async () => {
    await endOf(cluster);
    await rm(home, { recursive: true, force: true });
  }, 120_000);

  test('copies on different nodes, one answer from all', async () => {
    const lines = (await run(['three-nodes.mjs'], { QUARRY_URLS: urls.join(',') })).trimEnd().split('\n');
    expect(lines).toEqual([
      '3 nodes, 6 copies of 3 shards, green',
      ...['0', '1', '2'].map((shard) => `shard ${shard}: 2 copies on 2 nodes`),
      ...[1, 2, 3].map((at) => `node ${at} counts 20`),
    ]);
  }, 120_000);
});

function example(name: string): string {
  return fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
}

/** What an example prints. The node of this file is the one that it asks. */
function run(
  [name = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  return runTool(process.execPath, [example(name), ...args], { QUARRY_URL: node.url, ...environment });
}

/**
 * The addresses that the nodes print when they are ready, fewer where one of them ended before. What they print later is read too: they end where
 * nobody reads.
 */
function addressesOf(child: ChildProcess, count: number): Promise<{ urls: readonly string[]; printed: string }> {
  return new Promise((resolve) => {
    let printed = '';
    child.stdout?.on('data', (piece: Buffer) => {
      printed += piece.toString();
      const urls = [...new Set(printed.match(/http:\/\/[\d.]+:\d+/gu))];
      if (urls.length === count || / ended with /u.test(printed)) resolve({ urls, printed });
    });
    child.once('exit', () => {
      resolve({ urls: [], printed });
    });
  });
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
