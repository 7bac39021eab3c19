/**
 * `npm run conformance [-- runner arguments]`: starts a node and runs the YAML REST tests of the areas that exist so far.
 *
 * The tests and their runner are not part of this project: the folder is `QUARRY_CONFORMANCE`, else `../shared/conformance`.
 * Without it this prints a message and succeeds. Arguments such as `--include GLOB` replace the default areas.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SetupError, capture, root, run, setUp } from './lib.mjs';

/** Folders of API areas that the present version covers. */
const areas = [
  ...['bulk', 'count', 'create', 'delete', 'exists', 'get', 'get_source', 'index', 'info', 'mget', 'update', 'range'],
  ...['cat.count', 'cat.health', 'cat.indices', 'cat.segments', 'cat.shards', 'cluster.health'],
  ...['indices.analyze', 'indices.delete', 'indices.exists', 'indices.flush', 'indices.forcemerge', 'indices.get'],
  ...[
    'indices.get_field_mapping',
    'indices.get_mapping',
    'indices.get_settings',
    'indices.open',
    'indices.put_mapping',
  ],
  ...['indices.put_settings', 'indices.refresh', 'indices.segments', 'indices.stats', 'search', 'search.aggregation'],
];

const conformance = path.resolve(root, process.env.QUARRY_CONFORMANCE ?? '../shared/conformance');

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function untilReady(url, node) {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (node.exitCode !== null) throw new SetupError('the node ended before it answered');
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new SetupError('the node did not answer within 30 s');
}

await run(async () => {
  if (!existsSync(path.join(conformance, 'run_yaml_tests.py'))) {
    console.log(`conformance tests are not at ${conformance}: skipped (set QUARRY_CONFORMANCE to their folder)`);
    return;
  }
  setUp();
  const scratch = mkdtempSync(path.join(tmpdir(), 'quarry-conformance-'));
  const port = await freePort();
  const settings = [
    `http.port=${port}`,
    `path.data=${scratch}/data`,
    `path.logs=${scratch}/logs`,
    `path.repo=${scratch}/repo`,
  ];
  settings.push('node.attr.testattr=test', 'compatibility.distribution=opensearch');
  const node = spawn(process.execPath, ['dist/cli/main.js', ...settings.flatMap((setting) => ['-E', setting])], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await untilReady(`http://127.0.0.1:${port}/`, node);
    const given = process.argv.slice(2);
    const selection = given.length > 0 ? given : areas.flatMap((area) => ['--include', `opensearch-3.1.0/${area}/*`]);
    const { code } = await capture('python3', [
      path.join(conformance, 'run_yaml_tests.py'),
      ...['--base-url', `http://127.0.0.1:${port}`, '--tests', path.join(conformance, 'tests')],
      ...['--api', path.join(conformance, 'api'), '--exclude-file', path.join(conformance, 'opensearch-only.txt')],
      ...['--assume-version', '3.1.0', '--list-fail'],
      ...selection,
    ]);
    process.exitCode = code;
  } finally {
    node.kill('SIGTERM');
    await new Promise((resolve) => (node.exitCode === null ? node.once('exit', resolve) : resolve()));
    rmSync(scratch, { recursive: true, force: true });
  }
});
