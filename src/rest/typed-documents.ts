/**
 * `_type` in answers about documents: who asks for the API of version 7 (`compatible-with=7`) has it, since its clients
 * refuse documents without one. All documents are of the type `_doc`.
 */
import { JsonCursor } from './json-cursor.js';

/** Endpoints, by their names, whose answers tell of documents. A document alone (`_source`) has no type. */
const ABOUT_DOCUMENTS: ReadonlySet<string> = new Set([
  ...['index', 'create', 'get', 'delete', 'update', 'bulk', 'mget', 'explain', 'termvectors', 'mtermvectors'],
  ...['search', 'msearch', 'scroll', 'search_template', 'msearch_template', 'ingest.simulate'],
  ...['async_search.submit', 'async_search.get'],
]);

export const OLDEST_API = '7';

export function tellsOfDocuments(endpoint: string): boolean {
  return ABOUT_DOCUMENTS.has(endpoint);
}

/** The JSON text with `_type` behind the `_index` of each document. The text must be valid JSON. */
export function withTypes(json: string): string {
  return new TypeWriter(json).run();
}

class TypeWriter extends JsonCursor {
  run(): string {
    return this.value();
  }

  private value(): string {
    this.skipSpace();
    const opening = this.json.charAt(this.at);
    if (opening === '{') return this.object();
    if (opening === '[') return this.array();
    return this.skipValue();
  }

  private object(): string {
    const members = new Map<string, string>();
    this.at++;
    for (;;) {
      this.skipSpace();
      if (this.take('}')) break;
      if (this.take(',')) continue;
      const name = this.skipValue();
      this.skipSpace();
      this.at++; // the colon
      // What a document holds is the user's; hits within it are documents again.
      const isOfUser = members.has(INDEX) && members.has(ID) && name !== INNER_HITS;
      members.set(name, isOfUser ? this.skipValue() : this.value());
    }
    const isDocument = members.has(INDEX) && members.has(ID) && !members.has(TYPE);
    const written = [...members].map(([name, text]) =>
      isDocument && name === INDEX ? `${name}:${text},${TYPE}:"_doc"` : `${name}:${text}`,
    );
    return `{${written.join(',')}}`;
  }

  private array(): string {
    const items: string[] = [];
    this.at++;
    for (;;) {
      this.skipSpace();
      if (this.take(']')) break;
      if (!this.take(',')) items.push(this.value());
    }
    return `[${items.join(',')}]`;
  }
}

/** Names as they stand in the text. */
const INDEX = '"_index"';
const ID = '"_id"';
const TYPE = '"_type"';
const INNER_HITS = '"inner_hits"';
