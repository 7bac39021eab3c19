/**
 * `npm run conformance [-- runner arguments]`: starts a node and runs the YAML REST tests of the areas that exist so far.
 *
 * The tests and their runner are not part of this project: the folder is `QUARRY_CONFORMANCE`, else `../shared/conformance`.
 * Without it this prints a message and succeeds. Areas are whole folders; a test that needs a feature of a later version
 * stands in test/conformance/later.json with that feature, and the run fails on every other failure, and on a listed test that
 * passes. Arguments such as `--include GLOB` replace the default areas.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, isClean, judge } from './conformance-verdict.mjs';
import { SetupError, capture, program, root, run, setUp } from './lib.mjs';

/** Folders of API areas that the present version covers, in the tests of one server version. */
const serverAreas = [
  ...['bulk', 'count', 'create', 'delete', 'exists', 'get', 'get_source', 'index', 'info', 'mget', 'update', 'range'],
  ...['cat.count', 'cat.health', 'cat.indices', 'cat.segments', 'cat.shards', 'cluster.health'],
  ...[
    'indices.analyze',
    'indices.clear_cache',
    'indices.delete',
    'indices.exists',
    'indices.flush',
    'indices.forcemerge',
    'indices.get',
  ],
  ...['indices.get_field_mapping', 'indices.get_mapping', 'indices.get_settings', 'indices.open'],
  ...['indices.put_mapping', 'indices.put_settings', 'indices.refresh', 'indices.segments', 'indices.stats'],
  ...[
    'indices.get_alias',
    'indices.put_alias',
    'indices.delete_alias',
    'indices.exists_alias',
    'indices.update_aliases',
  ],
  ...['indices.get_template', 'indices.get_index_template', 'indices.put_index_template'],
  ...['indices.simulate_template', 'indices.simulate_index_template', 'cluster.component_template'],
  ...[
    'cat.aliases',
    'cat.templates',
    'indices.rollover',
    'indices.shrink',
    'indices.split',
    'indices.clone',
    'indices.delete_index_template',
  ],
  ...['search', 'search.aggregation', 'search.highlight', 'search.inner_hits', 'search_shards'],
  ...['msearch', 'scroll', 'pit', 'field_caps'],
  ...['termvectors', 'mtermvectors', 'explain', 'indices.validate_query', 'mlt'],
  'suggest',
  ...['tasks.cancel', 'tasks.get', 'tasks.list'],
  ...['cat.allocation', 'cat.nodeattrs', 'cat.repositories', 'cat.snapshots', 'cat.thread_pool'],
  ...['cluster.allocation_explain', 'cluster.pending_tasks', 'cluster.remote_info', 'cluster.reroute', 'cluster.state'],
  ...['indices.recovery', 'indices.sort', 'nodes.info', 'nodes.stats'],
];

/** The same for the tests that official clients share. */
const clientAreas = [
  ...['count', 'delete', 'exists', 'exists_source', 'get.yml', 'get_source', 'index', 'mget.yml', 'search', 'update'],
  ...['field_caps', 'mtermvectors', 'scroll', 'termvectors', 'explain', 'msearch_template.yml', 'terms_enum'],
  ...['cat/circuit_breaker.yml', 'cat/fielddata.yml', 'cat/pending_tasks.yml', 'cat/plugins.yml', 'cat/recovery.yml'],
  ...['cat/repositories.yml', 'cat/snapshots.yml', 'cluster', 'nodes', 'validate_query'],
  ...['cat/count.yml', 'cat/indices.yml', 'cat/nodes.yml', 'cat/segments.yml', 'cat/shards.yml', 'cat/thread_pool.yml'],
  ...['cat/tasks.yml', 'tasks.yml', 'reindex/*', 'update_by_query/*'],
  ...['indices/analyze.yml', 'indices/delete.yml', 'indices/exists.yml', 'indices/flush.yml', 'indices/get.yml'],
  ...['indices/template.yml', 'indices/index_template.yml', 'indices/rollover.yml', 'indices/resolve.yml'],
  'indices/resolve_cluster.yml',
  ...['migration/10_basic.yml', 'migration/30_create_from.yml', 'migration/40_post_feature_upgrade.yml'],
  ...['indices/block.yml', 'indices/data_streams_stack.yml', 'indices/data_stream_mappings.yml'],
  ...[
    'indices/block.yml',
    'indices/data_streams_stack.yml',
    'indices/data_stream_mappings.yml',
    'indices/data_stream_settings.yml',
  ],
  ...['indices/20_data_lifecycle.yml'],
  ...['indices/simulate_template.yml', 'indices/simulate_index_template.yml'],
  ...['indices/get_field_mapping.yml', 'indices/refresh.yml', 'indices/segments.yml', 'indices/settings.yml'],
];

const includes = [
  ...serverAreas.map((area) => `opensearch-3.1.0/${area}/*`),
  ...clientAreas.map((area) => `elasticsearch-clients-tests/${area}`),
];

const later = JSON.parse(readFileSync(path.join(root, 'test/conformance/later.json'), 'utf8'));

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
  const node = spawn(process.execPath, [program, ...settings.flatMap((setting) => ['-E', setting])], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await untilReady(`http://127.0.0.1:${port}/`, node);
    const given = process.argv.slice(2);
    const selection = given.length > 0 ? given : includes.flatMap((glob) => ['--include', glob]);
    const result = path.join(scratch, 'result.json');
    const excludes = ['opensearch-only.txt', 'excludes-clients-tests.txt'];
    await capture('python3', [
      path.join(conformance, 'run_yaml_tests.py'),
      ...['--base-url', `http://127.0.0.1:${port}`, '--tests', path.join(conformance, 'tests')],
      ...['--api', path.join(conformance, 'api')],
      ...excludes.flatMap((file) => ['--exclude-file', path.join(conformance, file)]),
      ...['--assume-version', '3.1.0', '--list-fail', '--json', result],
      ...selection,
    ]);
    if (!existsSync(result)) throw new SetupError('the runner of the conformance tests ended without a result');
    const verdict = judge(JSON.parse(readFileSync(result, 'utf8')).tests, later);
    console.log(['', ...describe(verdict)].join('\n'));
    process.exitCode = isClean(verdict) ? 0 : 1;
  } finally {
    node.kill('SIGTERM');
    await new Promise((resolve) => (node.exitCode === null ? node.once('exit', resolve) : resolve()));
    rmSync(scratch, { recursive: true, force: true });
  }
});
