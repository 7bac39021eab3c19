/**
 * Requests of searches by the million: good ones of every kind of query, aggregation and part, with a few things changed. They are
 * read as a node reads them, and searched by a real node: whatever they are, they are answered, and no answer says that the node is at fault.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Chance } from '../../bench/compare/chance.js';
import { randomDocuments } from '../../bench/compare/documents.js';
import { randomRequest } from '../../bench/compare/requests.js';
import { INDICES, Side, someIds } from '../../bench/compare/sides.js';
import type { JsonObject } from '../../bench/json.js';
import { QuarryError } from '../../src/base/errors.js';
import type { Json, TestNode } from '../api/node-harness.js';
import { parseText } from '../search/helpers.js';
import { fuzz, FUZZ_TIMEOUT_MS } from './fuzz.js';
import { JsonMutator } from './mutate-json.js';
import { heldByNode, startMeasured } from './node-memory.js';

const LEARNED = 2_000;
const KEPT = 5_000;
const DOCUMENTS = 60;
/** Searches of one request. */
const AT_ONCE = 50;
/** Of one bad answer. */
const SHOWN_CHARACTERS = 2_000;
/** Otherwise a single search may be answered with megabytes. */
const SIZE_MAX = 100;

const mutator = new JsonMutator();

beforeAll(() => {
  const chance = new Chance(7);
  for (let number = 0; number < LEARNED; number++) mutator.learn(randomRequest(number, chance).body);
});

/** Most inputs change one of these: to make a good one takes as long as to read it. */
const kept: JsonObject[] = [];

function good(chance: Chance): JsonObject {
  if (chance.yes(0.1)) return randomRequest(chance.below(2 ** 30), chance).body;
  const number = chance.below(KEPT);
  return (kept[number] ??= randomRequest(number, new Chance(number)).body);
}

function request(chance: Chance): JsonObject {
  const whole = good(chance);
  return chance.yes(0.95) ? mutator.mutate(whole, chance) : whole;
}

/** Whether a node reads it; throws where it is neither read nor refused. */
function isRead(body: JsonObject): boolean {
  const text = JSON.stringify(body);
  try {
    parseText(text);
    return true;
  } catch (error) {
    if (error instanceof QuarryError && error.status < 500) return false;
    throw new Error(`${text} is not refused but ends with ${String(error)}`, { cause: error });
  }
}

test(
  'requests are read',
  async () => {
    await fuzz({ what: 'query DSL, read' }, (chance) => {
      isRead(request(chance));
    });
  },
  FUZZ_TIMEOUT_MS,
);

describe('searched by a node', () => {
  let node: TestNode;

  beforeAll(async () => {
    // What is kept on purpose is full soon, so that what grows later is something else.
    node = await startMeasured({ 'indices.requests.cache.size': '1mb' });
    const chance = new Chance(3);
    const documents = randomDocuments(chance, DOCUMENTS);
    const side = new Side('quarry', node.url);
    await side.fill(documents, someIds(documents, chance));
    await side.close();
    await node.put('/_cluster/settings', { persistent: { 'indices.breaker.fielddata.limit': '16mb' } });
  }, 120_000);

  afterAll(async () => {
    await node.stop();
  });

  function check(body: JsonObject, answer: Json): void {
    const text = JSON.stringify(answer);
    const isFault = /"internal_error"|panic in a native kernel/.test(text);
    if ((answer.status ?? 200) < 500 && !isFault) return;
    throw new Error(`${JSON.stringify(body)} is answered with ${text.slice(0, SHOWN_CHARACTERS)}`);
  }

  test(
    'requests are answered',
    async () => {
      const heldBytes = (): Promise<number> => heldByNode(node);
      await fuzz({ what: 'query DSL, searched', each: AT_ONCE, heldBytes }, async (first, number) => {
        const chances = Array.from({ length: AT_ONCE }, () => new Chance(first.below(2 ** 31)));
        const bodies = chances.map((chance) => {
          const body = request(chance);
          return typeof body['size'] === 'number' && body['size'] > SIZE_MAX ? { ...body, size: SIZE_MAX } : body;
        });
        const index = INDICES[(number / AT_ONCE) % INDICES.length];
        // One that is refused is refused with all that come with it.
        const read = bodies.filter(isRead);
        const lines = read.flatMap((body) => [{ index }, body]).map((line) => `${JSON.stringify(line)}\n`);
        const headers = { 'content-type': 'application/x-ndjson' };
        const answer = await node.post('/_msearch?max_concurrent_searches=2', lines.join(''), headers);
        expect([200, 400], answer.text.slice(0, SHOWN_CHARACTERS)).toContain(answer.status);
        if (answer.status === 200) {
          const { responses } = answer.json();
          for (const [at, body] of read.entries()) check(body, responses[at]);
          return;
        }
        for (const body of read) check(body, (await node.post(`/${index}/_search`, body)).json());
      });
      expect(node.process.exitCode).toBeNull();
      expect((await node.logged()).map(({ msg }) => msg)).not.toContain('worker crashed');
    },
    FUZZ_TIMEOUT_MS,
  );
});
