/**
 * The query language and the aggregations of Quarry beside those of OpenSearch: the same random documents, the same random searches, and
 * where the answers differ.
 *
 * `npm run bench -- compare --full [seed=N] [requests=N] [only=FAMILY] [quarry=URL] [peer=URL]`. A difference is printed with the number of its request: the same
 * seed and number make it again (`from=NUMBER requests=1`).
 */
import { untold } from './compare/broken.js';
import { Chance } from './compare/chance.js';
import { differenceOf, type Difference, type SearchAnswer } from './compare/difference.js';
import { randomDocuments, type ComparedDocument } from './compare/documents.js';
import { at, isObject, type Json, type JsonObject } from './json.js';
import { knownReason } from './compare/known.js';
import { matchesPlainly } from './compare/plain.js';
import { randomRequest, type ComparedRequest } from './compare/requests.js';
import { shrink } from './compare/shrink.js';
import { INDICES, Side, someIds, type IndexName } from './compare/sides.js';
import { startOpenSearch, startQuarry, type Server } from './servers.js';
import { Tally } from './compare/tally.js';

const SHOWN_CHARACTERS = 700;
/** Differences of one class that are shrunk and printed. */
const SHOWN_OF_CLASS = 2;

interface Comparison {
  readonly ours: Side;
  readonly theirs: Side | undefined;
  /** Those that are searched: without the deleted ones. */
  readonly documents: readonly ComparedDocument[];
  readonly seed: number;
  readonly tally: Tally;
}

type Options = Readonly<Record<string, string>>;

export default async function main(size: Readonly<Record<string, number>>, options: Options = {}): Promise<void> {
  const { documents: documentCount = 200, requests = 1_000, from = 0, seed = 1 } = size;
  const [quarry, opensearch] = [await quarryAt(options), await peerAt(options)];
  const ours = new Side('quarry', quarry.url);
  const theirs = opensearch === undefined ? undefined : new Side('opensearch', opensearch.url);
  const chance = new Chance(seed);
  const documents = randomDocuments(chance, documentCount);
  const removed = someIds(documents, chance);
  const kept = documents.filter(({ id }) => !removed.has(id));
  const comparison: Comparison = { ours, theirs, documents: kept, seed, tally: new Tally() };
  try {
    if (options['keep'] === undefined) for (const side of [ours, theirs]) await side?.fill(documents, removed);
    for (let number = from; number < from + requests; number++) {
      const request = randomRequest(number, new Chance(seed * 1_000_003 + number));
      if (options['only'] !== undefined && !request.family.startsWith(options['only'])) continue;
      await compare(comparison, number, request);
    }
    comparison.tally.print();
    if (theirs === undefined && comparison.tally.differences > 0) throw new Error('answers are wrong');
  } finally {
    await ours.close();
    await theirs?.close();
    await quarry.stop();
    await opensearch?.stop();
  }
}

type Started = Pick<Server, 'url' | 'stop'>;
const running = (url: string): Started => ({ url, stop: () => Promise.resolve() });

async function quarryAt({ quarry }: Options): Promise<Started> {
  return quarry === undefined ? startQuarry() : running(quarry);
}

async function peerAt({ peer }: Options): Promise<Started | undefined> {
  return peer === undefined ? startOpenSearch('1g') : running(peer);
}

async function compare(comparison: Comparison, number: number, request: ComparedRequest): Promise<void> {
  const { family, body } = request;
  const { tally, seed } = comparison;
  const index = INDICES[number % INDICES.length] ?? 'compare-one';
  const found = await differenceAt(comparison, index, request);
  if (found === undefined) {
    tally.agreed(family);
    return;
  }
  const reason = knownReason(body, found, request.broken !== undefined);
  if (reason !== undefined) {
    tally.known(family, reason);
    return;
  }
  if (tally.differs(family, found.kind) > SHOWN_OF_CLASS) return;
  const smallest = await shrink(body, async (smaller) => {
    const other = await differenceAt(comparison, index, { ...request, body: smaller });
    // What shrinking leaves out breaks good requests too.
    return other?.kind === found.kind && knownReason(smaller, other, true) === undefined;
  });
  const shown = (await differenceAt(comparison, index, { ...request, body: smallest })) ?? found;
  console.log(`${family}: ${shown.kind} (seed=${seed} from=${number} ${index})`);
  console.log(`  ${JSON.stringify(smallest)}`);
  console.log(`  quarry     ${brief(shown.ours)}\n  opensearch ${brief(shown.theirs)}`);
}

async function differenceAt(
  { ours, theirs, documents }: Comparison,
  index: IndexName,
  { body, broken: wrong, way }: ComparedRequest,
): Promise<Difference | undefined> {
  const [left, right] = await Promise.all([ours.search(index, body, way), theirs?.search(index, body, way)]);
  return (
    broken(left) ??
    wrongTotal(left, body, documents) ??
    (right === undefined ? undefined : differenceOf(left, right, body)) ??
    (right === undefined || wrong === undefined ? undefined : untold(wrong, left, right))
  );
}

/** Where it is plain which documents match: another number of them. */
function wrongTotal(
  { status, body: answer }: SearchAnswer,
  { query, post_filter: filter, min_score: least }: JsonObject,
  documents: readonly ComparedDocument[],
): Difference | undefined {
  if (status !== 200 || !isObject(query) || filter !== undefined || least !== undefined) return undefined;
  const matches = documents.map(({ id, source }) => matchesPlainly(source, query, id));
  if (matches.includes(undefined) || at(answer, 'hits', 'total', 'relation') !== 'eq') return undefined;
  const [found, expected] = [at(answer, 'hits', 'total', 'value'), matches.filter((each) => each).length];
  return found === expected ? undefined : { kind: 'total', ours: found, theirs: expected };
}

/** What no request may be answered with. */
function broken({ status, body }: SearchAnswer): Difference | undefined {
  const failed = JSON.stringify(body).includes('"failures"');
  return status >= 500 || (status === 200 && failed)
    ? { kind: `status ${status}${failed ? ' with failures' : ''}`, ours: body, theirs: undefined }
    : undefined;
}

const brief = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, SHOWN_CHARACTERS);
