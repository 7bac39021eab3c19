/** `percolate`: documents whose stored query matches one of the documents of the request. */
import { illegalArgument } from '../../../base/errors.js';
import { stringifyJson } from '../../../base/json.js';
import type { Place } from '../../body/place.js';
import { readText } from '../../body/read.js';
import type { DocumentLookupPlan, PercolatePlan } from '../../plan/query-plan.js';
import { CommonOptions, type Draft, type OptionReaders, type QueryParser } from '../query-parser.js';

const NAME = 'percolate';
/** Each shard parses all of them. */
const DOCUMENTS_MAX = 10_000;
/** Characters of all of them: plans go to every shard. */
const CHARS_MAX = 64 * 1024 * 1024;
/** Where documents come from: exactly one of these says it. */
const ORIGINS = ['document', 'documents', 'id'] as const;

class PercolateBody {
  readonly #plan: Draft<PercolatePlan> = {};
  readonly #lookup: Draft<DocumentLookupPlan> = {};
  readonly #given: string[] = [];

  read(place: Place, common: OptionReaders): void {
    const readers: OptionReaders = {
      ...common,
      field: (value) => void (this.#plan.field = readText(value)),
      name: (value) => void (this.#plan.name = readText(value)),
      document: (value) => void (this.#plan.documents = [readDocument(value)]),
      documents: (value) => void (this.#plan.documents = readDocuments(value)),
      index: (value) => void (this.#lookup.index = readText(value)),
      id: (value) => void (this.#lookup.id = readText(value)),
      routing: (value) => void (this.#lookup.routing = readText(value)),
      preference: (value) => void (this.#lookup.preference = readText(value)),
      version: (value) => void (this.#lookup.version = readVersion(value)),
    };
    for (const [name, value] of place.members()) {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      if (read === undefined) throw value.errorWithPlace(`[${NAME}] unknown field [${name}]`);
      read(value);
      this.#given.push(name);
    }
  }

  plan(): PercolatePlan {
    const { field, documents = [], name } = this.#plan;
    if (field === undefined) throw illegalArgument('Required [field]');
    const origins = ORIGINS.filter((origin) => this.#given.includes(origin));
    if (origins.length === 0) {
      throw illegalArgument(`Required one of fields [${ORIGINS.join(', ')}], but none were specified. `);
    }
    if (origins.length > 1) {
      throw illegalArgument(`The following fields are not allowed together: [${origins.join(', ')}] `);
    }
    const lookup = this.#lookupPlan();
    if (lookup === undefined && documents.length === 0) throw illegalArgument('no document to percolate');
    return {
      field,
      documents,
      ...(lookup === undefined ? {} : { lookup }),
      ...(name === undefined ? {} : { name }),
    };
  }

  #lookupPlan(): DocumentLookupPlan | undefined {
    const { index, id } = this.#lookup;
    if (id !== undefined) {
      if (index === undefined) throw illegalArgument('[index] is a required argument');
      return { ...this.#lookup, index, id };
    }
    const [idle] = Object.keys(this.#lookup);
    if (idle !== undefined) throw illegalArgument(`[${NAME}] takes [${idle}] only together with [id]`);
    return undefined;
  }
}

export const percolateQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    const body = new PercolateBody();
    body.read(place, common.readers);
    return common.named({ percolate: { ...body.plan(), ...common.boosted } });
  },
};

function readDocument(place: Place): string {
  if (place.isObject) return stringifyJson(place.exactValue());
  throw place.errorWithPlace(`[${NAME}] document doesn't support values of type: ${place.token}`);
}

function readDocuments(place: Place): readonly string[] {
  const items = place.items();
  if (items.length > DOCUMENTS_MAX) {
    throw illegalArgument(`[documents] has [${items.length}] documents, but may have [${DOCUMENTS_MAX}] at most`);
  }
  const documents = items.map(readDocument);
  const characters = documents.reduce((sum, { length }) => sum + length, 0);
  if (characters <= CHARS_MAX) return documents;
  throw illegalArgument(`[documents] has [${characters}] characters, but may have [${CHARS_MAX}] at most`);
}

function readVersion(place: Place): string {
  const text = readText(place);
  if (/^\d{1,19}$/.test(text)) return text;
  throw place.errorWithPlace(`[${NAME}] failed to parse field [version]`);
}
