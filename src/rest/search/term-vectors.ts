/** `GET {index}/_termvectors/{id}` and `GET _mtermvectors`. */
import type { ActionContext } from '../../actions/context.js';
import { locateDocument } from '../../actions/documents/get-documents.js';
import { PRIMARY } from '../../actions/copy-preference.js';
import { requireFromCopies } from '../../actions/read-from-copies.js';
import { asQuarryError } from '../../base/error-wire.js';
import { newId } from '../../base/random.js';
import { fieldsOf } from '../../mapping/walk.js';
import type { Mapping } from '../../mapping/types.js';
import type { GetOptions } from '../../native/get-options.js';
import { Place } from '../../search/body/place.js';
import { readStrings } from '../../search/body/read.js';
import { validationFailure } from '../../search/request/combinations.js';
import { answerJson } from '../answer.js';
import { versionTypeParameter } from '../document/write-parameters.js';
import { defineEndpoint } from '../endpoint.js';
import { errorBody } from '../error-body.js';
import {
  booleanParameter,
  listParameter,
  longParameter,
  stringParameter,
  type ParameterValues,
} from '../parameters.js';
import { readTermVectors, termVectorsPlan, type TermVectorsDraft } from './term-vectors-request.js';

const declarations = {
  field_statistics: booleanParameter(true),
  fields: listParameter(),
  offsets: booleanParameter(true),
  payloads: booleanParameter(true),
  positions: booleanParameter(true),
  preference: stringParameter(),
  realtime: booleanParameter(true),
  routing: stringParameter(),
  term_statistics: booleanParameter(false),
  version: longParameter(),
  version_type: versionTypeParameter(),
} as const;

/** What the query string says of all documents. */
function draftOf(given: ParameterValues<typeof declarations>, index: string | undefined): TermVectorsDraft {
  return {
    ...(index === undefined ? {} : { index }),
    ...(given.fields === undefined ? {} : { fields: given.fields }),
    ...(given.routing === undefined ? {} : { routing: given.routing }),
    ...(given.version === undefined ? {} : { version: given.version }),
    ...(given.version_type === undefined ? {} : { versionType: given.version_type }),
    fieldStatistics: given.field_statistics,
    termStatistics: given.term_statistics,
    offsets: given.offsets,
    positions: given.positions,
    payloads: given.payloads,
    realtime: given.realtime,
  };
}

export const termVectors = defineEndpoint({
  name: 'termvectors',
  action: 'indices:data/read/tv',
  methods: ['GET', 'POST'],
  paths: ['/{index}/_termvectors', '/{index}/_termvectors/{id}'],
  parameters: declarations,
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    const draft = draftOf(given, parts.index);
    if (parts.id !== undefined) draft.id = parts.id;
    readTermVectors(Place.ofBody(body.isEmpty ? undefined : body), draft);
    return answerJson(await vectorsOf(draft, context));
  },
});

export const multiTermVectors = defineEndpoint({
  name: 'mtermvectors',
  action: { name: 'indices:data/read/mtv', isPerItem: true },
  methods: ['GET', 'POST'],
  paths: ['/_mtermvectors', '/{index}/_mtermvectors'],
  parameters: { ...declarations, ids: listParameter() },
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    const drafts = readDocuments(Place.ofBody(body.isEmpty ? undefined : body), () => draftOf(given, parts.index));
    for (const id of given.ids ?? []) drafts.push({ ...draftOf(given, parts.index), id });
    if (drafts.length === 0) throw validationFailure(['multi term vectors: no documents requested']);
    const answers = await Promise.all(drafts.map((draft) => vectorsOrError(draft, context)));
    const joined = answers.flatMap((chunks, at) => (at === 0 ? chunks : [COMMA, ...chunks]));
    return answerJson([Buffer.from('{"docs":['), ...joined, Buffer.from(']}')]);
  },
});

const COMMA = Buffer.from(',');

function readDocuments(body: Place, start: () => TermVectorsDraft): TermVectorsDraft[] {
  const drafts: TermVectorsDraft[] = [];
  let ids: readonly string[] = [];
  let common: Place | undefined;
  for (const [name, value] of body.members()) {
    if (name === 'docs') drafts.push(...value.items().map((item) => readTermVectors(item, start())));
    else if (name === 'ids') ids = readStrings(value);
    else if (name === 'parameters') common = value;
    else throw value.error(`unexpected member [${name}], expected [docs], [ids] or [parameters]`, 'parse_exception');
  }
  for (const id of ids) {
    const draft = start();
    if (common !== undefined) readTermVectors(common, draft);
    drafts.push({ ...draft, id });
  }
  return drafts;
}

async function vectorsOrError(draft: TermVectorsDraft, context: ActionContext): Promise<readonly Uint8Array[]> {
  try {
    return await vectorsOf(draft, context);
  } catch (thrown) {
    const { body } = errorBody(asQuarryError(thrown), { errorTrace: false });
    return [Buffer.from(JSON.stringify({ _index: draft.index, _id: draft.id, error: body['error'] }))];
  }
}

async function vectorsOf(draft: TermVectorsDraft, context: ActionContext): Promise<readonly Uint8Array[]> {
  const startedMs = context.clock.monotonicMs();
  if (draft.index === undefined) throw validationFailure(['index is missing']);
  if (draft.id === undefined && draft.doc === undefined) throw validationFailure(['id or doc is missing']);
  const options: GetOptions = {
    realtime: draft.realtime ?? true,
    ...(draft.routing === undefined ? {} : { routing: draft.routing }),
    ...(draft.version === undefined ? {} : { version: String(draft.version) }),
    ...(draft.versionType === undefined ? {} : { versionType: draft.versionType }),
  };
  // A document that is only described has no place: any shard has statistics.
  const address = { index: draft.index, id: draft.id ?? newId(context.random), options };
  const { index, key, document } = locateDocument(context.clusterState(), address, context.clock.nowMs());
  const source = draft.doc === undefined ? undefined : Buffer.from(JSON.stringify(draft.doc), 'utf8');
  const fields = source === undefined ? fieldsWithVectors(index.mapping) : ['*'];
  const input = { document: source === undefined ? document : { source }, plan: termVectorsPlan(draft, fields) };
  const { found, version, vectors } = await requireFromCopies(context, key, PRIMARY, 'term-vectors', input);
  const took = Math.round(context.clock.monotonicMs() - startedMs);
  const id = source === undefined ? { _id: document.id } : {};
  const head = JSON.stringify({ _index: index.name, ...id, _version: version, found, took });
  if (!found) return [Buffer.from(head)];
  return [Buffer.from(`${head.slice(0, -1)},"term_vectors":`), vectors, Buffer.from('}')];
}

function fieldsWithVectors(mapping: Mapping): readonly string[] {
  return [...fieldsOf(mapping)].flatMap(({ path, field }) => {
    const vector = field.parameters['term_vector'];
    return vector === undefined || vector === 'no' ? [] : [path];
  });
}
