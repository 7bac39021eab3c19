/** Draws documents, mapping and analyzers from an index of a running cluster, over the API that Quarry and its peers share. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { at, isArray, isObject, type Json, type JsonObject } from '../../json.js';
import { readDocuments } from './files.js';

export interface DrawnIndex {
  readonly name: string;
  readonly lines: readonly Buffer[];
  readonly mappings: JsonObject;
  readonly settings: JsonObject;
}

const PAGE = 1_000;

/** Settings of an index that say what its documents mean; where and how it lies is the experiment's. */
const KEPT_SETTINGS = ['analysis', 'mapping', 'similarity'];

/**
 * The first `count` documents in the order in which the index has them. What was drawn is kept in `folder` and taken from there
 * the next time: the index may have changed.
 */
export async function drawFromIndex(address: string, count: number, folder: string): Promise<DrawnIndex> {
  const url = parseAddress(address);
  const name = decodeURIComponent(url.pathname.slice(1));
  const documents = path.join(folder, `drawn-${count}.ndjson`);
  const about = path.join(folder, `drawn-${count}.json`);
  if (!existsSync(about)) {
    const ask = client(url);
    const { mappings, settings } = await describe(ask, name);
    writeFileSync(documents, (await draw(ask, name, count)).map((line) => `${line}\n`).join(''));
    // Last: without it nothing was drawn.
    writeFileSync(about, JSON.stringify({ mappings, settings }));
  }
  const { mappings, settings } = JSON.parse(readFileSync(about, 'utf8')) as Pick<DrawnIndex, 'mappings' | 'settings'>;
  return { name, mappings, settings, lines: await readDocuments(documents, count) };
}

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isIndex = url !== undefined && /^https?:$/u.test(url.protocol) && /^\/[^/_][^/]*$/u.test(url.pathname);
  if (!isIndex) throw new Error(`[${address}] is no address of an index, such as http://localhost:9200/my-index`);
  return url;
}

type Ask = (method: string, target: string, body?: object) => Promise<Json>;

function client({ origin, username, password }: URL): Ask {
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const headers = {
    'content-type': 'application/json',
    ...(username === '' ? {} : { authorization: `Basic ${credentials}` }),
  };
  return async (method, target, body) => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${origin}${target}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${origin}${target}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as Json;
  };
}

async function describe(ask: Ask, name: string): Promise<Pick<DrawnIndex, 'mappings' | 'settings'>> {
  const answer = await ask('GET', `/${encodeURIComponent(name)}`);
  const indices = isObject(answer) ? Object.values(answer) : [];
  if (indices.length !== 1) throw new Error(`[${name}] means ${indices.length} indices; one is needed`);
  const mappings = at(indices[0], 'mappings');
  const settings = at(indices[0], 'settings', 'index');
  if (!isObject(mappings) || !isObject(settings)) throw new Error(`[${name}] has no mapping`);
  const kept = KEPT_SETTINGS.flatMap((each): [string, Json][] => {
    const value = settings[each];
    return value === undefined ? [] : [[each, value]];
  });
  return { mappings, settings: { index: Object.fromEntries(kept) } };
}

async function draw(ask: Ask, name: string, count: number): Promise<readonly string[]> {
  const first = { size: Math.min(PAGE, count), sort: ['_doc'], _source: true };
  let page = await ask('POST', `/${encodeURIComponent(name)}/_search?scroll=2m`, first);
  const lines: string[] = [];
  for (;;) {
    const hits = at(page, 'hits', 'hits');
    const scrollId = at(page, '_scroll_id');
    if (!isArray(hits) || typeof scrollId !== 'string')
      throw new Error(`[${name}]: no hits in ${JSON.stringify(page)}`);
    for (const hit of hits.slice(0, count - lines.length)) lines.push(JSON.stringify(at(hit, '_source') ?? {}));
    if (hits.length === 0 || lines.length >= count) {
      await ask('DELETE', '/_search/scroll', { scroll_id: [scrollId] });
      break;
    }
    page = await ask('POST', '/_search/scroll', { scroll: '2m', scroll_id: scrollId });
  }
  if (lines.length === 0) throw new Error(`[${name}] holds no documents`);
  return lines;
}
