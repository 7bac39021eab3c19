/**
 * Starts a node of the bundled program, and keeps the code that the engine has made of it once it is ready: a third of what
 * a start costs is to compile it (docs/decisions/0015-one-bundle-per-kind-of-thread.md).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeMark, program, root } from '../lib.mjs';

const READY_MS_MAX = 60_000;
/** What nearly every node is asked: the code for it is kept too, so that first requests are as quick as later ones. */
const REQUESTS = [
  ['PUT', '/recorded', { mappings: { properties: { words: { type: 'text' }, group: { type: 'keyword' } } } }],
  ['POST', '/recorded/_bulk?refresh=true', [{ index: { _id: '1' } }, { words: 'a b', group: 'c', count: 1 }]],
  ['PUT', '/recorded/_doc/2?refresh=true', { words: 'b', group: 'd', count: 2 }],
  ['GET', '/recorded/_doc/1'],
  ['GET', '/recorded/_search?q=words:a'],
  ['POST', '/recorded/_search', { query: { match: { words: 'b' } }, aggs: { groups: { terms: { field: 'group' } } } }],
  ['GET', '/_cluster/health?wait_for_status=yellow'],
  ['GET', '/'],
  ['DELETE', '/recorded'],
];
const recorder = fileURLToPath(new URL('record-code.cjs', import.meta.url));

const scratch = mkdtempSync(path.join(tmpdir(), 'quarry-code-'));
try {
  await record();
  // Goes with the code, when the program is bundled anew.
  writeFileSync(path.join(root, codeMark), process.version);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function record() {
  const node = startNode();
  const timer = setTimeout(() => node.kill('SIGKILL'), READY_MS_MAX);
  const ended = once(node, 'close');
  try {
    const url = await Promise.race([addressOf(node), ended.then(([code]) => endedEarly(code))]);
    for (const [method, target, body] of REQUESTS) await request(method, `${url}${target}`, body);
    node.send('write');
    await Promise.race([once(node, 'message'), ended.then(([code]) => endedEarly(code))]);
  } finally {
    node.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }
}

function startNode() {
  const folders = [`path.data=${scratch}/data`, `path.logs=${scratch}/logs`, `path.config=${scratch}`];
  const settings = ['http.port=0', 'transport.port=0', ...folders].flatMap((setting) => ['-E', setting]);
  const args = ['--require', recorder, path.join(root, program), ...settings];
  // The engine refuses the code where it has other flags than when it made it.
  const env = { ...process.env, NODE_OPTIONS: '' };
  return spawn(process.execPath, args, { cwd: scratch, env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

async function addressOf(node) {
  let output = '';
  for await (const bytes of node.stdout.setEncoding('utf8')) {
    output += bytes;
    const [, url] = / is ready at (\S+)\n/.exec(output) ?? [];
    if (url !== undefined) return url;
  }
  return new Promise(() => undefined);
}

function endedEarly(code) {
  throw new Error(`the node whose code was to be kept ended with ${code}`);
}

async function request(method, url, body) {
  const lines = Array.isArray(body) ? body.map((line) => `${JSON.stringify(line)}\n`).join('') : JSON.stringify(body);
  const headers = { 'content-type': Array.isArray(body) ? 'application/x-ndjson' : 'application/json' };
  const response = await fetch(url, { method, ...(body === undefined ? {} : { headers, body: lines }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${text}`);
}
