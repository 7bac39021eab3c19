/** Indices made and deleted, snapshots made, restored and deleted, and what operators look at. */
import { at, type JsonObject } from '../../json.js';
import { same } from '../client.js';
import { refresh, type Lane, type NamedStep } from '../lane.js';
import { INDEX_BODY, randomDocument } from '../model.js';

const DOCUMENTS = 5;

async function indices({ client, chance, index }: Lane): Promise<void> {
  const name = `${index}-brief-${chance.below(5)}`;
  await client.expect(200, 'PUT', `/${name}`, { ...INDEX_BODY, aliases: { [`${name}-alias`]: {} } });
  for (let id = 0; id < DOCUMENTS; id++) {
    await client.expect(201, 'PUT', `/${name}/_doc/${id}?refresh=true`, { ...randomDocument(chance) });
  }
  const more = { properties: { [`more${chance.below(9)}`]: { type: 'date' } } };
  await client.expect(200, 'PUT', `/${name}/_mapping`, more);
  same('documents of a new index', at(await client.post(`/${name}-alias/_count`), 'count'), DOCUMENTS);
  await client.expect(200, 'DELETE', `/${name}`);
}

/** By one client alone: two may not change the repository at once. */
async function snapshots(lane: Lane): Promise<void> {
  const { client, model, index, isFirst } = lane;
  if (!isFirst) return;
  await refresh(lane);
  const snapshot = '/_snapshot/soak/one';
  const made = await client.expect(200, 'PUT', `${snapshot}?wait_for_completion=true`, { indices: index });
  same('a snapshot', at(made, 'snapshot', 'state'), 'SUCCESS');
  const copy = `${index}-restored`;
  const restore: JsonObject = { indices: index, rename_pattern: '.+', rename_replacement: copy };
  await client.post(`${snapshot}/_restore?wait_for_completion=true`, restore);
  same('documents that were restored', at(await client.post(`/${copy}/_count`), 'count'), model.count);
  await client.expect(200, 'DELETE', `/${copy}`);
  await client.expect(200, 'DELETE', snapshot);
}

async function look({ client }: Lane): Promise<void> {
  for (const path of ['/_nodes/stats', '/_cluster/stats', '/_cat/indices', '/_cluster/state', '/_prometheus/metrics']) {
    await client.expect(200, 'GET', path);
  }
  // Others make indices meanwhile, whose shards have to be opened.
  const health = await client.expect(200, 'GET', '/_cluster/health?wait_for_status=green&timeout=60s');
  same('health', at(health, 'status'), 'green');
}

export const KEEPING: readonly NamedStep[] = [
  { name: 'indices made and deleted', weight: 2, run: indices },
  { name: 'snapshots', weight: 1, run: snapshots },
  { name: 'statistics', weight: 1, run: look },
];
