/** What `--nodes` makes of the common settings, and that the processes live and end together. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { localNodes, type LocalClusterBase } from '../../src/cli/local-cluster.js';
import { runCommand } from '../api/node-harness.js';

const MAIN = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));
const BASE: LocalClusterBase = {
  given: new Set(['http.port', 'path.data']),
  dataPath: '/data',
  logsPath: 'logs',
  transportHost: '127.0.0.1',
  processors: 8,
};
const PORTS = [
  { http: 9200, transport: 9300 },
  { http: 9201, transport: 9302 },
  { http: 9204, transport: 9303 },
];

it('each node has a name, ports and directories of its own, and all know each other', () => {
  const nodes = localNodes(BASE, PORTS);
  expect(nodes.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3']);
  expect(nodes[1]?.settings).toEqual({
    'node.name': 'n2',
    'path.data': '/data/nodes/n2',
    'path.logs': 'logs/n2',
    'http.port': '9201',
    'transport.port': '9302',
    'discovery.seed_hosts': '127.0.0.1:9300,127.0.0.1:9302,127.0.0.1:9303',
    'cluster.initial_master_nodes': 'n1,n2,n3',
    'node.processors': '3',
  });
});

it('processors that were given are given to each', () => {
  const [node] = localNodes({ ...BASE, given: new Set(['node.processors']) }, PORTS);
  expect(node?.settings['node.processors']).toBeUndefined();
});

it.each(['node.name', 'discovery.seed_hosts', 'cluster.initial_master_nodes'])('[%s] is refused', (key) => {
  expect(() => localNodes({ ...BASE, given: new Set([key]) }, PORTS)).toThrow(
    `setting [${key}] cannot be given together with [--nodes]`,
  );
});

it('counts that make no sense are refused', async () => {
  for (const count of ['0', '17', 'three']) {
    const { code, output } = await runCommand(['start', '--nodes', count]);
    expect(code).toBe(1);
    expect(output).toContain('1 to 16 are expected.');
  }
});

it('the nodes end with the process that started them', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quarry-local-'));
  const settings = { 'path.data': join(home, 'data'), 'path.logs': join(home, 'logs'), 'http.port': '0' };
  const args = Object.entries({ ...settings, 'transport.port': '0' }).flatMap(([key, value]) => [
    '-E',
    `${key}=${value}`,
  ]);
  const child = spawn(process.execPath, [MAIN, 'start', '--nodes', '2', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (piece: Buffer) => (printed += piece.toString()));
  while (!['n1', 'n2'].every((name) => printed.includes(`[${name}] is ready at http://`)))
    await once(child.stdout, 'data');
  expect(printed).toMatch(/^\[n1\] process \d+, transport port \d+, data .*nodes\/n1$/m);
  expect((await readdir(join(home, 'data', 'nodes'))).sort()).toEqual(['n1', 'n2']);
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  for (const name of ['n1', 'n2']) expect(printed).toContain(`[${name}] ended with code 0`);
  await rm(home, { recursive: true });
});
