/**
 * `npm run conformance [-- runner arguments]`: starts nodes and runs the YAML REST tests, all of them.
 *
 * The tests and their runner are not part of this project: the folder is `QUARRY_CONFORMANCE`, else `../shared/conformance`.
 * Without it this prints a message and succeeds. A test that needs what is not there stands in test/conformance/later.json with
 * that, and the run fails on every other failure, and on a listed test that passes. Arguments such as `--include GLOB` pick tests.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, isClean, judge } from './conformance-verdict.mjs';
import { SetupError, capture, program, root, run, setUp } from './lib.mjs';

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

/** Tests in these folders get a node of their own. */
const SECURED = 'security';
/** Of endpoints that only nodes have that answer as Elasticsearch. */
const OF_ELASTICSEARCH = 'migration';

/** `folder`: whose tests the node is for, all but those of the others where it has none. Later settings win. */
const SETUPS = [
  { settings: [], picks: () => [SECURED, OF_ELASTICSEARCH].flatMap((folder) => ['--exclude', `*/${folder}/*`]) },
  {
    // The tests send no credentials but those that they are about.
    folder: SECURED,
    settings: ['security.enabled=true', 'security.anonymous.roles=superuser'],
    picks: (scratch) => ['--files-from', filesOf(SECURED, scratch)],
  },
  {
    folder: OF_ELASTICSEARCH,
    settings: ['compatibility.distribution=elasticsearch'],
    picks: (scratch) => ['--files-from', filesOf(OF_ELASTICSEARCH, scratch)],
  },
];

const folderOf = (file) => [SECURED, OF_ELASTICSEARCH].find((folder) => file.includes(`/${folder}/`));

function filesOf(folder, scratch) {
  const files = readdirSync(path.join(conformance, 'tests'), { recursive: true, encoding: 'utf8' });
  const list = path.join(scratch, `${folder}.txt`);
  writeFileSync(list, files.filter((file) => file.endsWith('.yml') && folderOf(file) === folder).join('\n'));
  return list;
}

/** Results of the tests that the set-up is for and the arguments leave; none where that is no test. */
async function resultsWith({ settings, picks }, args) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'quarry-conformance-'));
  const port = await freePort();
  const all = [
    `http.port=${port}`,
    `path.data=${scratch}/data`,
    `path.logs=${scratch}/logs`,
    `path.repo=${scratch}/repo`,
    'node.attr.testattr=test',
    'compatibility.distribution=opensearch',
    ...settings,
  ];
  const node = spawn(process.execPath, [program, ...all.flatMap((setting) => ['-E', setting])], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await untilReady(`http://127.0.0.1:${port}/`, node);
    const result = path.join(scratch, 'result.json');
    const excludes = ['opensearch-only.txt', 'excludes-clients-tests.txt'];
    await capture('python3', [
      path.join(conformance, 'run_yaml_tests.py'),
      ...['--base-url', `http://127.0.0.1:${port}`, '--tests', path.join(conformance, 'tests')],
      ...['--api', path.join(conformance, 'api')],
      ...excludes.flatMap((file) => ['--exclude-file', path.join(conformance, file)]),
      ...['--assume-version', '3.1.0', '--list-fail', '--json', result],
      ...picks(scratch),
      ...args,
    ]);
    return existsSync(result) ? JSON.parse(readFileSync(result, 'utf8')).tests : [];
  } finally {
    node.kill('SIGTERM');
    await new Promise((resolve) => (node.exitCode === null ? node.once('exit', resolve) : resolve()));
    rmSync(scratch, { recursive: true, force: true });
  }
}

await run(async () => {
  if (!existsSync(path.join(conformance, 'run_yaml_tests.py'))) {
    console.log(`conformance tests are not at ${conformance}: skipped (set QUARRY_CONFORMANCE to their folder)`);
    return;
  }
  setUp();
  const tests = [];
  for (const setup of SETUPS) {
    const results = await resultsWith(setup, process.argv.slice(2));
    // The runner lists what one leaves to the others as skipped.
    tests.push(...results.filter(({ file }) => folderOf(file) === setup.folder));
  }
  if (tests.length === 0) throw new SetupError('the runner of the conformance tests ended without a result');
  const verdict = judge(tests, later);
  console.log(['', ...describe(verdict)].join('\n'));
  process.exitCode = isClean(verdict) ? 0 : 1;
});
