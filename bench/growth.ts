/**
 * Work that grows faster than what is asked for: requests of one kind, each twice as large as the one before, by the processor time that they take.
 * Linear work takes twice as much at twice the size, the square of it four times; what is told is the exponent between the two largest sizes. Sizes grow
 * until a request takes long enough to be measured, or is refused.
 */
import { Client } from 'undici';
import { aggregationProbes } from './growth/aggregations.js';
import { documentProbes } from './growth/documents.js';
import { indexProbes } from './growth/indices.js';
import { INDEX, list, named, words, type GrowingRequest, type Probe } from './growth/probe.js';
import { queryProbes } from './growth/queries.js';
import { processorMs, startQuarry, type Server } from './servers.js';

const PROBES: readonly Probe[] = [...queryProbes, ...aggregationProbes, ...documentProbes, ...indexProbes];
const SMALLEST = 32;
const DOCUMENTS = 50;
const FIELDS = 400;
/** Requests of each size, of which the cheapest counts: others may pay for what they find new. */
const TURNS = 3;
/** By how much more than proportional a kind may grow before it is named: caches end, trees get higher. */
const EXPONENT_MAX = 1.45;
const REQUEST_BYTES_MAX = 8_000_000;

interface Called {
  readonly status: number;
  readonly tookMs: number;
  readonly text: string;
}

async function call(client: Client, server: Server, { method, path, body }: GrowingRequest): Promise<Called> {
  const isLines = body?.endsWith('\n') === true;
  const headers = { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' };
  const before = processorMs(server.pid);
  const answer = await client.request({ method, path, ...(body === undefined ? {} : { body, headers }) });
  const text = await answer.body.text();
  return { status: answer.statusCode, tookMs: processorMs(server.pid) - before, text };
}

async function fill(client: Client, server: Server): Promise<void> {
  const text = { type: 'text', fields: { k: { type: 'keyword' } } };
  const properties = {
    ...{ n: { type: 'long' }, k: { type: 'keyword' }, t: { type: 'text' }, d: { type: 'date' }, i: { type: 'ip' } },
    ...{ g: { type: 'geo_point' }, s: { type: 'geo_shape' }, o: { type: 'nested' }, q: { type: 'percolator' } },
    ...{
      v: { type: 'text', term_vector: 'with_positions_offsets' },
      j: { type: 'flattened' },
      c: { type: 'completion' },
    },
    ...{ e: { type: 'dense_vector', dims: 3, index: true, similarity: 'l2_norm' } },
    ...named(FIELDS, () => text, 'f'),
  };
  const settings = {
    number_of_shards: 1,
    number_of_replicas: 0,
    'index.mapping.total_fields.limit': 10_000,
    'index.max_docvalue_fields_search': 10_000,
    'index.max_script_fields': 10_000,
  };
  const made = await call(client, server, {
    method: 'PUT',
    path: `/${INDEX}`,
    body: JSON.stringify({ settings, mappings: { properties } }),
  });
  if (made.status !== 200) throw new Error(`the index was not made: ${made.text}`);
  const lines = list(DOCUMENTS, (at) => at).flatMap((at) => [
    { index: { _id: String(at) } },
    {
      ...{
        n: at,
        k: `v${at % 10}`,
        t: words(30),
        v: words(30),
        d: at * 86_400_000,
        i: `10.0.0.${at}`,
        g: [at % 90, at % 45],
      },
      ...{ o: [{ k: `v${at}` }], e: [at, 1, 2], f1: `w${at}`, f2: 'w1 w2' },
    },
  ]);
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const filled = await call(client, server, { method: 'POST', path: `/${INDEX}/_bulk?refresh=true`, body });
  if (filled.status !== 200 || filled.text.includes('"errors":true'))
    throw new Error(`the index was not filled: ${filled.text}`);
}

interface Measured {
  readonly name: string;
  /** The largest size that was answered. */
  readonly n: number;
  readonly tookMs: number;
  /** Undefined where nothing took long enough to tell. */
  readonly exponent: number | undefined;
  readonly end: string;
}

/** `enoughMs`: at this processor time a size is large enough. */
async function measure(
  client: Client,
  server: Server,
  probe: Probe,
  enoughMs: number,
  largest: number,
): Promise<Measured> {
  let round = 0;
  const cost = async (n: number): Promise<Called> => {
    let best: Called | undefined;
    for (let turn = 0; turn < TURNS; turn++) {
      const request = probe.request(n, round);
      if ((request.body?.length ?? 0) > REQUEST_BYTES_MAX)
        return { status: 413, tookMs: 0, text: 'larger than the bench sends' };
      const called = await call(client, server, request);
      if (probe.made !== undefined)
        await client.request({ method: 'DELETE', path: probe.made(round) }).then(({ body }) => body.dump());
      round++;
      if (called.status > 299) return called;
      if (best === undefined || called.tookMs < best.tookMs) best = called;
      if (called.tookMs > 10 * enoughMs) break;
    }
    return best as Called;
  };
  let [n, before, last] = [SMALLEST, 0, 0];
  let end = 'large enough';
  for (;;) {
    if (n > Math.min(probe.most ?? largest, largest)) {
      end = 'largest size';
      break;
    }
    const { status, tookMs, text } = await cost(n);
    if (status > 299) {
      end = `${status} at ${n}: ${text.slice(0, 120)}`;
      break;
    }
    [before, last] = [last, tookMs];
    if (tookMs >= enoughMs) {
      n *= 2;
      break;
    }
    n *= 2;
  }
  const isTold = before >= enoughMs / 8 && last > 0;
  const exponent = isTold ? Math.log2(last / before) : last >= enoughMs ? Infinity : undefined;
  return { name: probe.name, n: n / 2, tookMs: last, exponent, end };
}

/** `enough`: milliseconds; `largest`: size; `only`: of all kinds every so-manyth. */
export default async function growth({
  enough = 400,
  largest = 1 << 20,
  only = 1,
}: Partial<Record<string, number>>): Promise<void> {
  const server = await startQuarry([
    'node.processors=2',
    'action.destructive_requires_name=false',
    // Limits would end most kinds before they are large enough to be measured.
    'indices.query.bool.max_clause_count=1000000',
    'script.max_compilations_rate=1000000/1m',
  ]);
  const client = new Client(server.url, { headersTimeout: 0, bodyTimeout: 0 });
  try {
    await fill(client, server);
    const pattern = process.env['QUARRY_GROWTH'];
    const probes = PROBES.filter(
      ({ name }, at) => at % only === 0 && (pattern === undefined || name.includes(pattern)),
    );
    let worst = 0;
    for (const probe of probes) {
      const { name, n, tookMs, exponent, end } = await measure(client, server, probe, enough, largest);
      const isFast = exponent !== undefined && exponent > EXPONENT_MAX;
      if (isFast) worst++;
      const told = exponent === undefined ? '   -' : exponent.toFixed(2).padStart(4);
      console.log(
        `${isFast ? '!' : ' '} ${told}  ${name.padEnd(46)} ${String(n).padStart(8)} ${tookMs.toFixed(0).padStart(6)} ms  ${end}`,
      );
    }
    console.log(`${worst} of ${probes.length} kinds grow faster than what they are asked for`);
  } finally {
    await client.close();
    await server.stop();
  }
}
