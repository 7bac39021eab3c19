/** Documents, mapping and queries of an experiment. */
import { readCorpus, type CorpusName } from '../../corpus.js';
import { isObject, type JsonObject } from '../../json.js';
import { mappings as corpusMappings } from '../../search/requests.js';
import { fingerprint } from '../point.js';
import { readDocuments, readJsonObject, readText } from './files.js';
import { drawFromIndex } from './running-index.js';
import { parseQueries, type Query } from './queries.js';

export interface Dataset {
  readonly name: string;
  readonly origin: string;
  /** One JSON document each. */
  readonly lines: readonly Buffer[];
  readonly bytes: number;
  /** As the body of a new index has it; undefined: fields are mapped as they come. */
  readonly mappings: JsonObject | undefined;
  /** Of the index beyond those that an experiment sets: analyzers, limits. */
  readonly settings: JsonObject;
  /** Undefined: they are made for the mapping. */
  readonly queries: readonly Query[] | undefined;
}

export interface DataOptions {
  readonly corpus?: CorpusName;
  readonly documents?: string;
  readonly mapping?: string;
  readonly queries?: string;
  /** Address of an index, `http://host:9200/index`. */
  readonly from?: string;
}

/** At most so many documents. `folder` is the run's own: what was drawn from an index is kept there, so that it is the same when the run goes on. */
export async function readDataset(options: DataOptions, count: number, folder: string): Promise<Dataset> {
  const dataset = await documentsOf(options, count, folder);
  const withMapping = options.mapping === undefined ? dataset : { ...dataset, ...readMapping(options.mapping) };
  if (options.queries === undefined) return withMapping;
  return { ...withMapping, queries: parseQueries(readText(options.queries), options.queries) };
}

async function documentsOf({ corpus, documents, from }: DataOptions, count: number, folder: string): Promise<Dataset> {
  if (documents !== undefined) {
    const lines = await readDocuments(documents, count);
    return datasetOf(nameOfFile(documents), 'file', lines, undefined, {});
  }
  if (from !== undefined) {
    const { name, lines, mappings, settings } = await drawFromIndex(from, count, folder);
    return datasetOf(name, 'running index', lines, mappings, settings);
  }
  const { name, source, lines } = await readCorpus(corpus ?? 'wiki', count);
  return datasetOf(name, source, lines, { dynamic: false, properties: corpusMappings[name] as JsonObject }, {});
}

function datasetOf(
  name: string,
  origin: string,
  lines: readonly Buffer[],
  mappings: JsonObject | undefined,
  settings: JsonObject,
): Dataset {
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return { name, origin, lines, bytes, mappings, settings, queries: undefined };
}

/** `{"mappings": ..., "settings": ...}` as for a new index, or the mapping alone. */
function readMapping(file: string): Pick<Dataset, 'mappings' | 'settings'> {
  const parsed = readJsonObject(file);
  const mappings = parsed['mappings'] ?? parsed;
  if (!isObject(mappings) || !isObject(mappings['properties'])) {
    throw new Error(`[${file}] has no [properties], neither itself nor below [mappings]`);
  }
  const settings = parsed['settings'];
  return { mappings, settings: isObject(settings) ? settings : {} };
}

function nameOfFile(file: string): string {
  return file.replace(/^.*[/\\]/u, '').replace(/\.(nd)?jsonl?$/u, '');
}

const FINGERPRINTED = 1_000;

/** Tells apart what is measured: figures of other documents, mappings or queries are no figures of these. */
export function fingerprintOf({ lines, bytes, mappings, settings, queries }: Dataset): string {
  const some = lines.slice(0, FINGERPRINTED).map((line) => line.toString());
  return fingerprint([some, lines.length, bytes, mappings ?? null, settings, queries ?? null]);
}
