/** Searches of every kind, whose answers the documents decide. */
import { at, isArray, type Json, type JsonObject } from '../../json.js';
import { same } from '../client.js';
import { textAt } from '../answers.js';
import { refresh, type Lane, type NamedStep } from '../lane.js';
import { GROUPS, randomDocument, randomId, randomWord } from '../model.js';

const PAGE = 250;
/** So often a client does not close what it has opened, and leaves that to the node. */
const ABANDONED = 0.25;
const KEEP_ALIVE = '1m';

const total = (answer: Json): Json | undefined => at(answer, 'hits', 'total', 'value');

function hitsOf(answer: Json): readonly Json[] {
  const hits = at(answer, 'hits', 'hits');
  return isArray(hits) ? hits : [];
}

function search({ client, index }: Lane, body: JsonObject): Promise<Json> {
  return client.post(`/${index}/_search`, { track_total_hits: true, ...body });
}

async function queries(lane: Lane): Promise<void> {
  const { chance, model } = lane;
  await refresh(lane);
  const [group, word, from] = [chance.pick(GROUPS), randomWord(chance), chance.below(1_000)];
  const byTerm = await search(lane, { query: { term: { group } }, sort: [{ n: 'asc' }], size: 3 });
  const ofGroup = model.where((document) => document.group === group).map(([, { n }]) => n);
  same('a term', total(byTerm), ofGroup.length);
  const least = ofGroup.sort((left, right) => left - right).slice(0, 3);
  same(
    'the least numbers',
    hitsOf(byTerm).map((hit) => at(hit, 'sort', 0)),
    least,
  );
  const both = { bool: { must: [{ match: { words: word } }], filter: [{ range: { n: { gte: from } } }] } };
  const byWord = await search(lane, { query: both, highlight: { fields: { words: {} } }, size: 5 });
  const withWord = model.where(({ words, n }) => n >= from && words.split(' ').includes(word));
  same('a word and a range', total(byWord), withWord.length);
  const phrase = `${word} ${randomWord(chance)}`;
  const byPhrase = await search(lane, { query: { match_phrase: { words: phrase } }, size: 0 });
  same('a phrase', total(byPhrase), model.where(({ words }) => ` ${words} `.includes(` ${phrase} `)).length);
}

async function aggregations(lane: Lane): Promise<void> {
  await refresh(lane);
  const sum = { s: { sum: { field: 'n' } }, c: { cardinality: { field: 'words.raw' } } };
  const aggs = {
    groups: { terms: { field: 'group', size: 20, order: { _key: 'asc' } }, aggs: sum },
    steps: { histogram: { field: 'n', interval: 100 } },
  };
  const answer = await search(lane, { size: 0, aggs });
  const buckets = at(answer, 'aggregations', 'groups', 'buckets');
  const found = (isArray(buckets) ? buckets : []).map((bucket) => [
    at(bucket, 'key'),
    { count: at(bucket, 'doc_count'), sum: at(bucket, 's', 'value') },
  ]);
  same('groups', Object.fromEntries(found), lane.model.groups());
}

async function scripts(lane: Lane): Promise<void> {
  const { chance, model } = lane;
  await refresh(lane);
  const below = chance.below(1_000);
  const answer = await search(lane, {
    size: 2,
    runtime_mappings: { twice: { type: 'long', script: { source: "emit(doc['n'].value * 2)" } } },
    query: {
      script_score: {
        query: { range: { twice: { lt: below } } },
        script: { source: "doc['n'].value + params.more", params: { more: 1 } },
      },
    },
    script_fields: { sum: { script: { source: "doc['n'].value + doc['group'].value.length()" } } },
  });
  const found = model.where(({ n }) => n * 2 < below).map(([, { n }]) => n);
  same('a runtime field', total(answer), found.length);
  if (found.length > 0) same('the best score', at(hitsOf(answer)[0], '_score'), Math.max(...found) + 1);
}

async function scroll(lane: Lane): Promise<void> {
  const { client, chance, model, index } = lane;
  await refresh(lane);
  const seen = new Set<string>();
  let page = await client.post(`/${index}/_search?scroll=${KEEP_ALIVE}`, { size: PAGE, sort: ['_doc'] });
  const isAbandoned = chance.yes(ABANDONED);
  for (;;) {
    const hits = hitsOf(page);
    for (const hit of hits) seen.add(textAt(hit, '_id'));
    const scrollId = at(page, '_scroll_id') ?? null;
    if (isAbandoned) return;
    if (hits.length === 0) {
      same('documents of a scroll', seen.size, model.count);
      await client.expect(200, 'DELETE', '/_search/scroll', { scroll_id: scrollId });
      return;
    }
    page = await client.post('/_search/scroll', { scroll: KEEP_ALIVE, scroll_id: scrollId });
  }
}

/** What is written later is not seen. */
async function pointInTime(lane: Lane): Promise<void> {
  const { client, chance, model, index } = lane;
  await refresh(lane);
  const before = model.count;
  const id = at(await client.post(`/${index}/_pit?keep_alive=${KEEP_ALIVE}`), 'id') ?? null;
  const [removed, added] = [randomId(chance), `later-${chance.below(100)}`];
  await client.ask('DELETE', `/${index}/_doc/${removed}`);
  model.delete(removed);
  const document = randomDocument(chance);
  await client.ask('PUT', `/${index}/_doc/${added}`, { ...document });
  model.put(added, document);
  await refresh(lane);
  const pit = { id, keep_alive: KEEP_ALIVE };
  const answer = await client.post('/_search', { size: 0, track_total_hits: true, pit });
  same('documents of a point in time', total(answer), before);
  if (!chance.yes(ABANDONED)) await client.expect(200, 'DELETE', '/_pit', { id });
}

async function several({ client, index, model }: Lane): Promise<void> {
  const lines = [...GROUPS].flatMap((group) => [
    { index },
    { size: 0, track_total_hits: true, query: { term: { group } } },
  ]);
  await client.post(`/${index}/_refresh`);
  const answer = await client.post('/_msearch', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const responses = at(answer, 'responses');
  same(
    'several searches',
    (isArray(responses) ? responses : []).map(total),
    [...GROUPS].map((group) => model.groups()[group]?.count ?? 0),
  );
}

export const SEARCHING: readonly NamedStep[] = [
  { name: 'queries', weight: 25, run: queries },
  { name: 'aggregations', weight: 10, run: aggregations },
  { name: 'several searches', weight: 4, run: several },
  { name: 'scripts', weight: 5, run: scripts },
  { name: 'scrolls', weight: 2, run: scroll },
  { name: 'points in time', weight: 3, run: pointInTime },
];
