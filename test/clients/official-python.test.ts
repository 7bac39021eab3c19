/** The official Python client (tried with 8.17.0) in a script as Curator would run it, see `housekeeping.py`. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { isInstalled, runTool } from './run-tool.js';

const isThere = isInstalled('python3', ['-c', 'import elasticsearch']);
const SCRIPT = fileURLToPath(new URL('housekeeping.py', import.meta.url));

describe.skipIf(!isThere)(`the Python client${isThere ? '' : ' (not installed: pip install elasticsearch)'}`, () => {
  let node: TestNode;

  beforeAll(async () => {
    node = await TestNode.start();
  });

  afterAll(async () => {
    await node.stop();
  });

  it('keeps house among daily indices', async () => {
    const names = ['logs-2024.01.01', 'logs-2024.01.02', 'logs-2024.01.03'];
    expect(JSON.parse(await runTool('python3', [SCRIPT, node.url]))).toEqual({
      version: '8.19.0',
      scanned: 6,
      recent: names,
      docs: Object.fromEntries(names.map((name, at) => [name, at + 1])),
      sized: true,
      states: Object.fromEntries(names.map((name) => [name, 'open'])),
      alias: ['logs-2024.01.01'],
      segments: 1,
      swapped: ['logs-2024.01.03'],
      rolled: [true, 'rolled-000002'],
      closed: 'close',
      nodes: 1,
      allocation: true,
      clusterStats: true,
      gone: 'index_not_found_exception',
    });
    expect((await node.get('/_cat/indices?h=index')).text).toBe('logs-2024.01.03\n');
  }, 120_000);
});
