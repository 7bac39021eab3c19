/** What hits show: read alike in a search and in a `top_hits` aggregation. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readBoolean } from '../body/read.js';
import type { FetchPlan, FieldAndFormatPlan, ScriptFieldPlan, SourceFilterPlan } from '../plan/search-plan.js';
import type { ParseQuery } from '../query/query-parser.js';
import type { SearchSettings } from '../settings.js';
import { checkDocvalueFields, readFieldsAndFormats, readStoredFields, type StoredFields } from './fields.js';
import { readHighlight } from './highlight.js';
import { checkScriptFields, readScriptFields } from './script-fields.js';
import { readSourceFilter } from './source-filter.js';

/** What a request says of its hits; absent members take the API's defaults. */
export interface FetchDraft {
  source?: SourceFilterPlan;
  docvalue_fields?: readonly FieldAndFormatPlan[];
  fields?: readonly FieldAndFormatPlan[];
  stored_fields?: StoredFields;
  explain?: boolean;
  script_fields?: readonly ScriptFieldPlan[];
  version?: boolean;
  seq_no_primary_term?: boolean;
  /** Read when the settings that bound it are known. */
  highlight?: Place;
}

/** One reader for each key. */
export const FETCH_KEYS: Readonly<Record<string, (draft: FetchDraft, value: Place) => void>> = {
  _source: (draft, value) => {
    draft.source = readSourceFilter(value);
  },
  docvalue_fields: (draft, value) => {
    draft.docvalue_fields = readFieldsAndFormats(value, 'docvalue_fields');
  },
  fields: (draft, value) => {
    draft.fields = readFieldsAndFormats(value, 'fields');
  },
  stored_fields: (draft, value) => {
    draft.stored_fields = readStoredFields(value);
  },
  script_fields: (draft, value) => {
    draft.script_fields = readScriptFields(value);
  },
  version: (draft, value) => {
    draft.version = readBoolean(value);
  },
  seq_no_primary_term: (draft, value) => {
    draft.seq_no_primary_term = readBoolean(value);
  },
  highlight: (draft, value) => {
    if (!value.isObject) throw value.error(`Expected [START_OBJECT] in [highlight] but found [${value.token}]`);
    draft.highlight = value;
  },
  explain: (draft, value) => {
    draft.explain = readBoolean(value);
  },
};

/** `exclude_vectors` is about the hits of the search itself. */
export function innerFetchPlan(draft: FetchDraft, settings: SearchSettings, parseQuery: ParseQuery): FetchPlan {
  if (draft.source?.exclude_vectors === true) {
    throw illegalArgument('[_source.exclude_vectors] is not supported in [inner_hits] and [top_hits]');
  }
  return fetchPlan(draft, settings, parseQuery);
}

export function fetchPlan(draft: FetchDraft, settings: SearchSettings, parseQuery: ParseQuery): FetchPlan {
  const { docvalue_fields, fields, script_fields, stored_fields, explain, version, seq_no_primary_term, highlight } =
    draft;
  if (docvalue_fields !== undefined) checkDocvalueFields(docvalue_fields, settings);
  if (script_fields !== undefined) checkScriptFields(script_fields, settings);
  return {
    source: sourcePlan(draft),
    ...(docvalue_fields === undefined ? {} : { docvalue_fields }),
    ...(fields === undefined ? {} : { fields }),
    ...(stored_fields === undefined
      ? {}
      : { stored_fields: stored_fields.names, no_stored_fields: stored_fields.none }),
    ...(explain === undefined ? {} : { explain }),
    ...(highlight === undefined ? {} : { highlight: readHighlight(highlight, settings, parseQuery) }),
    ...(script_fields === undefined ? {} : { script_fields }),
    ...(version === undefined ? {} : { version }),
    ...(seq_no_primary_term === undefined ? {} : { seq_no_primary_term }),
  };
}

/** With `stored_fields` or `script_fields` the source is shown only when it is named. */
function sourcePlan(draft: FetchDraft): SourceFilterPlan {
  const stored = draft.stored_fields;
  if (stored === undefined) return draft.source ?? { enabled: draft.script_fields === undefined };
  if (stored.none && draft.source?.enabled === true) {
    throw illegalArgument('[stored_fields] cannot be disabled if [_source] is requested');
  }
  return draft.source ?? { enabled: stored.source };
}
