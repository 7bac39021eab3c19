/**
 * A node with many small indices: what one more costs, what requests cost that have nothing to do with the others, how long a start takes until
 * every shard serves, and how much memory each takes. Times are those of a client; processor time is that of all threads of the node.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchNode } from './cluster/nodes.js';
import { quantile } from './quantile.js';
import { freePort, privateMegabytes, processorMs } from './servers.js';

/** Creations and requests of which the median is told. */
const SAMPLES = 25;
const FEW_SAMPLES = 5;
/** Creations at once where nobody times them. */
const FILLERS = 16;
/** After a start, until memory is looked at. */
const IDLE_MS = 2_000;
const STEPS = [250, 1_000, 2_500, 5_000];

const NEW_INDEX = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: { properties: { message: { type: 'text' }, at: { type: 'date' }, host: { type: 'keyword' } } },
  aliases: { everything: {} },
};

function nameOf(number: number): string {
  return `logs-${String(number).padStart(6, '0')}`;
}

class Client {
  readonly node: BenchNode;

  constructor(node: BenchNode) {
    this.node = node;
  }

  async ask(method: string, target: string, body?: string | object): Promise<string> {
    const response = await fetch(`${this.node.url}${target}`, {
      method,
      headers: { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text.slice(0, 500)}`);
    return text;
  }

  async create(number: number): Promise<void> {
    const answer = await this.ask('PUT', `/${nameOf(number)}`, NEW_INDEX);
    if (!answer.includes('"shards_acknowledged":true')) throw new Error(`${nameOf(number)}: ${answer}`);
  }

  /** Elapsed milliseconds in the median, and processor milliseconds in the mean. */
  async time(work: (at: number) => Promise<unknown>, samples = SAMPLES): Promise<string> {
    const elapsed: number[] = [];
    const before = processorMs(this.node.pid);
    for (let at = 0; at < samples; at++) {
      const startedMs = performance.now();
      await work(at);
      elapsed.push(performance.now() - startedMs);
    }
    const busyMs = (processorMs(this.node.pid) - before) / samples;
    return `${quantile(elapsed, 0.5).toFixed(1)} ms elapsed, ${busyMs.toFixed(1)} ms of processors`;
  }
}

async function fill(client: Client, from: number, to: number): Promise<void> {
  let next = from;
  const one = async (): Promise<void> => {
    while (next < to) await client.create(next++);
  };
  await Promise.all(Array.from({ length: FILLERS }, one));
}

interface TimedRequest {
  readonly what: string;
  readonly method: string;
  readonly target: string;
  readonly body?: (at: number) => string | object;
  readonly samples?: number;
}

const QUERY = { query: { match: { message: 'word' } } };
const REQUESTS: readonly TimedRequest[] = [
  {
    what: 'bulk of one document',
    method: 'POST',
    target: `/${nameOf(0)}/_bulk`,
    body: (at) => `{"index":{"_id":"${at}"}}\n{"message":"a word","host":"h"}\n`,
  },
  { what: 'search of one index', method: 'POST', target: `/${nameOf(0)}/_search`, body: () => QUERY },
  { what: 'search of ten indices', method: 'POST', target: `/${nameOf(0).slice(0, -1)}*/_search`, body: () => QUERY },
  {
    what: 'one more field',
    method: 'PUT',
    target: `/${nameOf(0)}/_mapping`,
    body: (at) => ({ properties: { [`field-${Date.now()}-${at}`]: { type: 'long' } } }),
  },
  { what: 'health', method: 'GET', target: '/_cluster/health', samples: FEW_SAMPLES },
  { what: '_cat/indices', method: 'GET', target: '/_cat/indices', samples: FEW_SAMPLES },
  { what: '_field_caps of all', method: 'GET', target: '/_field_caps?fields=message', samples: FEW_SAMPLES },
];

async function requests(client: Client): Promise<void> {
  for (const { what, method, target, body, samples } of REQUESTS) {
    console.log(`  ${what.padEnd(22)} ${await client.time((at) => client.ask(method, target, body?.(at)), samples)}`);
  }
}

/** Stopped, started, and waited for until every shard serves. */
async function restart(client: Client, count: number): Promise<void> {
  const { node } = client;
  await node.end('SIGTERM');
  const startedMs = performance.now();
  await node.start();
  const health = await client.ask('GET', '/_cluster/health?wait_for_status=green&timeout=600s');
  const elapsedMs = performance.now() - startedMs;
  if (!health.includes(`"active_shards":${count},`)) throw new Error(`not green with ${count}: ${health}`);
  const busyMs = processorMs(node.pid);
  await sleep(IDLE_MS);
  const figures = [
    `${elapsedMs.toFixed(0)} ms elapsed`,
    `${busyMs.toFixed(0)} ms of processors`,
    `${privateMegabytes(node.pid).toFixed(0)} MB private`,
  ];
  console.log(`  ${'start to green'.padEnd(22)} ${figures.join(', ')}`);
}

/** Fills the node up to so many, then measures. */
async function measure(client: Client, from: number, count: number): Promise<void> {
  await fill(client, from, count - SAMPLES);
  const creation = await client.time((at) => client.create(count - SAMPLES + at));
  console.log(`${count} indices`);
  console.log(`  ${'one more index'.padEnd(22)} ${creation}`);
  await requests(client);
  await restart(client, count);
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { indices = 2 * SAMPLES, deleted = SAMPLES } = size;
  const scratch = mkdtempSync(path.join(tmpdir(), 'quarry-bench-indices-'));
  const port = await freePort();
  const node = new BenchNode('one', port, [
    `http.port=${port}`,
    `path.data=${scratch}/data`,
    `path.logs=${scratch}/logs`,
    'node.processors=2',
    'cluster.max_shards_per_node=100000',
    'action.destructive_requires_name=false',
  ]);
  const client = new Client(node);
  try {
    await node.start();
    let from = 0;
    for (const count of [...STEPS.filter((step) => step < indices), indices]) {
      await measure(client, from, count);
      from = count;
    }
    const width = String(deleted).length - 1;
    const pattern = `${nameOf(0).slice(0, -width)}*`;
    console.log(`DELETE /${pattern}: ${await client.time(() => client.ask('DELETE', `/${pattern}`), 1)}`);
  } finally {
    await node.end('SIGKILL');
    rmSync(scratch, { recursive: true, force: true });
  }
}
