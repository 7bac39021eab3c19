/** A `_termvectors` request, alone or in a list. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { Place } from '../../search/body/place.js';
import { readBoolean, readInt, readStrings, readText } from '../../search/body/read.js';

/** What one document asks; members that a document does not name come from the request around it. */
export interface TermVectorsDraft {
  index?: string;
  id?: string;
  doc?: JsonObject;
  fields?: readonly string[];
  routing?: string;
  version?: number;
  versionType?: 'internal' | 'external' | 'external_gte';
  realtime?: boolean;
  offsets?: boolean;
  positions?: boolean;
  payloads?: boolean;
  termStatistics?: boolean;
  fieldStatistics?: boolean;
  analyzers?: Readonly<Record<string, string>>;
  filter?: TermFilterPlan;
}

interface TermFilterPlan {
  readonly max_num_terms: number;
  readonly min_term_freq: number;
  readonly max_term_freq: number;
  readonly min_doc_freq: number;
  readonly max_doc_freq: number;
  readonly min_word_length: number;
  readonly max_word_length: number;
}

const INT_MAX = 0x7fff_ffff;
const FILTER_DEFAULTS: TermFilterPlan = {
  max_num_terms: 25,
  min_term_freq: 1,
  max_term_freq: INT_MAX,
  min_doc_freq: 1,
  max_doc_freq: INT_MAX,
  min_word_length: 0,
  max_word_length: 0,
};

type Reader = (draft: TermVectorsDraft, value: Place) => void;

const READERS: Readonly<Record<string, Reader>> = {
  _index: (draft, value) => {
    draft.index = readText(value);
  },
  _id: (draft, value) => {
    draft.id = readText(value);
  },
  doc: (draft, value) => {
    if (!value.isObject) throw value.error('[doc] must be an object');
    draft.doc = value.value as JsonObject;
  },
  fields: (draft, value) => {
    draft.fields = readStrings(value);
  },
  routing: (draft, value) => {
    draft.routing = readText(value);
  },
  version: (draft, value) => {
    draft.version = readInt(value);
  },
  version_type: (draft, value) => {
    draft.versionType = versionTypeOf(readText(value));
  },
  offsets: (draft, value) => {
    draft.offsets = readBoolean(value);
  },
  positions: (draft, value) => {
    draft.positions = readBoolean(value);
  },
  payloads: (draft, value) => {
    draft.payloads = readBoolean(value);
  },
  term_statistics: (draft, value) => {
    draft.termStatistics = readBoolean(value);
  },
  field_statistics: (draft, value) => {
    draft.fieldStatistics = readBoolean(value);
  },
  per_field_analyzer: (draft, value) => {
    draft.analyzers = Object.fromEntries(value.members().map(([field, name]) => [field, readText(name)]));
  },
  filter: (draft, value) => {
    draft.filter = readFilter(value);
  },
};

/** Reads what a body says over what is known before. */
export function readTermVectors(body: Place, draft: TermVectorsDraft): TermVectorsDraft {
  for (const [name, value] of body.members()) {
    const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (read === undefined) {
      throw new QuarryError('parse_exception', `The parameter [${name}] is not valid for a term vector request!`);
    }
    read(draft, value);
  }
  return draft;
}

function readFilter(place: Place): TermFilterPlan {
  const filter: Record<string, number> = {};
  for (const [name, value] of place.members()) {
    if (!Object.hasOwn(FILTER_DEFAULTS, name)) {
      throw new QuarryError(
        'parse_exception',
        `The parameter [${name}] is not valid for a filter of a term vector request!`,
      );
    }
    const number = readInt(value);
    filter[name] = number;
    if (number < 0) throw illegalArgument(`[${name}] of a filter cannot be negative`);
  }
  return { ...FILTER_DEFAULTS, ...filter };
}

function versionTypeOf(text: string): 'internal' | 'external' | 'external_gte' {
  if (text === 'internal' || text === 'external' || text === 'external_gte') return text;
  throw illegalArgument(`No version type match [${text}]`);
}

/** The plan of the kernels; `fields` are those with term vectors where the request names none. */
export function termVectorsPlan(draft: TermVectorsDraft, fields: readonly string[]): Uint8Array {
  const plan = {
    fields: draft.fields ?? fields,
    analyzers: draft.analyzers ?? {},
    positions: draft.positions ?? true,
    offsets: draft.offsets ?? true,
    term_statistics: draft.termStatistics ?? false,
    field_statistics: draft.fieldStatistics ?? true,
    ...(draft.filter === undefined ? {} : { filter: draft.filter }),
  };
  return Buffer.from(JSON.stringify(plan), 'utf8');
}
