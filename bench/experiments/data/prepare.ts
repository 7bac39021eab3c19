/** From what was given to what points need: a mapping and queries are found where there are none. */
import { BenchCluster } from '../../cluster/nodes.js';
import { at, isObject, type JsonObject } from '../../json.js';
import { loadDocuments } from '../measure/load-documents.js';
import type { PointData } from '../measure/measure-point.js';
import type { Dataset } from './dataset.js';
import { makeQueries } from './queries.js';

/** Documents that a node maps by itself where no mapping was given. */
const LEARNT_FROM = 2_000;
const INDEX = 'learnt';

export async function prepare(dataset: Dataset, seed: number): Promise<PointData> {
  const { lines, settings } = dataset;
  const mappings = dataset.mappings ?? (await learnMappings(lines));
  const queries = dataset.queries ?? makeQueries(mappings, lines, seed);
  return { lines, mappings, settings, queries };
}

/** The fields that a node makes of the documents as they come. */
async function learnMappings(lines: readonly Buffer[]): Promise<JsonObject> {
  const cluster = await BenchCluster.start(1);
  try {
    const documents = Math.min(LEARNT_FROM, lines.length);
    const { url } = cluster.some();
    await loadDocuments({ url, index: INDEX, lines, documents, change: undefined, writers: 1, steady: undefined });
    const answer = (await cluster.ask('GET', `/${INDEX}/_mapping`)) as JsonObject;
    const mappings = at(answer, INDEX, 'mappings');
    if (!isObject(mappings)) throw new Error('the documents have no field');
    return mappings;
  } finally {
    await cluster.stop();
  }
}
