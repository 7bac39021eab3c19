/** Documents written, changed and deleted, one at a time, in bulks, by scripts and by queries. */
import { at, isArray, type Json } from '../../json.js';
import { same } from '../client.js';
import { refresh, type Lane, type NamedStep } from '../lane.js';
import { GROUPS, randomDocument, randomId, type SoakDocument } from '../model.js';

const BULK_ITEMS = 40;
const NUMBERS_DELETED = 20;

interface Item {
  readonly lines: readonly Json[];
  readonly status: number;
}

function item({ chance, model }: Lane): Item {
  const id = randomId(chance);
  const known = model.get(id);
  if (chance.yes(0.1)) {
    model.delete(id);
    return { lines: [{ delete: { _id: id } }], status: known === undefined ? 404 : 200 };
  }
  if (chance.yes(0.25)) {
    const n = chance.below(1_000);
    if (known !== undefined) model.put(id, { ...known, n });
    return { lines: [{ update: { _id: id } }, { doc: { n } }], status: known === undefined ? 404 : 200 };
  }
  const document = randomDocument(chance);
  model.put(id, document);
  return { lines: [{ index: { _id: id } }, { ...document }], status: known === undefined ? 201 : 200 };
}

async function bulk(lane: Lane): Promise<void> {
  const items = Array.from({ length: BULK_ITEMS }, () => item(lane));
  const lines = items.flatMap((each) => each.lines).map((line) => `${JSON.stringify(line)}\n`);
  const answer = await lane.client.post(`/${lane.index}/_bulk`, lines.join(''));
  const found = at(answer, 'items');
  const statuses = (isArray(found) ? found : []).map((each) => at(Object.values(each as object)[0] as Json, 'status'));
  same(
    'items of a bulk',
    statuses,
    items.map(({ status }) => status),
  );
}

async function single(lane: Lane): Promise<void> {
  const { client, chance, model, index } = lane;
  const id = randomId(chance);
  const document = randomDocument(chance);
  await client.expect(model.get(id) === undefined ? 201 : 200, 'PUT', `/${index}/_doc/${id}`, { ...document });
  model.put(id, document);
  same('a document by id', at(await client.expect(200, 'GET', `/${index}/_doc/${id}`), '_source'), document);
}

async function byScript({ client, chance, model, index }: Lane): Promise<void> {
  const id = randomId(chance);
  const known = model.get(id);
  const script = {
    source: 'ctx._source.n = (ctx._source.n + params.more) % 1000',
    params: { more: chance.below(100) },
  };
  const status = known === undefined ? 404 : 200;
  await client.expect(status, 'POST', `/${index}/_update/${id}`, { script });
  if (known !== undefined) model.put(id, { ...known, n: (known.n + script.params.more) % 1_000 });
}

async function byQuery(lane: Lane): Promise<void> {
  const { client, chance, model, index } = lane;
  await refresh(lane);
  const group = chance.pick(GROUPS);
  const changed = model.where((document) => document.group === group);
  const body = { query: { term: { group } }, script: { source: 'ctx._source.n = 999 - ctx._source.n' } };
  const answer = await client.post(`/${index}/_update_by_query?refresh=true`, body);
  same('documents changed by query', at(answer, 'updated'), changed.length);
  for (const [id, document] of changed) model.put(id, { ...document, n: 999 - document.n });
  const from = chance.below(1_000);
  const isGone = ({ n }: SoakDocument): boolean => n >= from && n < from + NUMBERS_DELETED;
  const gone = model.where(isGone);
  const range = { query: { range: { n: { gte: from, lt: from + NUMBERS_DELETED } } } };
  const deleted = await client.post(`/${index}/_delete_by_query?refresh=true`, range);
  same('documents deleted by query', at(deleted, 'deleted'), gone.length);
  for (const [id] of gone) model.delete(id);
}

export const WRITING: readonly NamedStep[] = [
  { name: 'bulks', weight: 30, run: bulk },
  { name: 'single writes', weight: 10, run: single },
  { name: 'updates by scripts', weight: 6, run: byScript },
  { name: 'updates and deletions by query', weight: 1, run: byQuery },
];
