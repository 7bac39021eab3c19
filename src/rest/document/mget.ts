/** `GET _mget`: many documents by id. */
import { parsePreference } from '../../actions/copy-preference.js';
import { getDocuments, type DocumentAddress, type FoundDocument } from '../../actions/documents/get-documents.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import type { SourceSpec } from '../../native/bulk.js';
import type { VersionType } from '../../native/descriptor.js';
import type { GetOptions } from '../../native/get-options.js';
import { answerJson } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { errorBody } from '../error-body.js';
import { booleanParameter, listParameter, stringParameter } from '../parameters.js';
import { storedFieldsOf } from './get-document.js';
import { sourceParameters, sourceSpec } from './write-parameters.js';

/** What holds for documents that do not say it themselves. */
interface Defaults {
  readonly index: string | undefined;
  readonly routing: string | undefined;
  readonly realtime: boolean;
  readonly source: SourceSpec | undefined;
  readonly storedFields: readonly string[] | undefined;
}

export const mget = defineEndpoint({
  name: 'mget',
  action: { name: 'indices:data/read/mget', isPerItem: true },
  methods: ['GET', 'POST'],
  paths: ['/_mget', '/{index}/_mget'],
  parameters: {
    ...sourceParameters,
    preference: stringParameter(),
    realtime: booleanParameter(true),
    refresh: booleanParameter(false),
    routing: stringParameter(),
    stored_fields: listParameter(),
  },
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    const defaults: Defaults = {
      index: parts.index,
      routing: given.routing,
      realtime: given.realtime,
      source: sourceSpec(given),
      storedFields: given.stored_fields,
    };
    const addresses = readAddresses(body.requireObject(), defaults);
    const documents = await getDocuments(
      addresses,
      { refresh: given.refresh, copies: parsePreference(given.preference).copies },
      context,
    );
    const rendered = documents.map((document, at) => render(document, addresses[at]));
    const joined = rendered.flatMap((json, at) => (at === 0 ? [json] : [COMMA, json]));
    return answerJson([Buffer.from('{"docs":['), ...joined, Buffer.from(']}')]);
  },
});

const COMMA = Buffer.from(',');

function render(document: FoundDocument | QuarryError, address: DocumentAddress | undefined): Uint8Array {
  if (!(document instanceof QuarryError)) return document.result.body;
  const { body } = errorBody(document, { errorTrace: false });
  const answer = { _index: address?.index, _id: address?.id, error: body['error'] };
  return Buffer.from(JSON.stringify(answer), 'utf8');
}

function readAddresses(body: JsonObject, defaults: Defaults): readonly DocumentAddress[] {
  const addresses: DocumentAddress[] = [];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (name === 'docs') addresses.push(...items(value, name).map((item) => readDocument(item, defaults)));
    else if (name === 'ids') addresses.push(...items(value, name).map((item) => addressOf(idOf(item), {}, defaults)));
    else throw unknownMember(name, value);
  }
  if (addresses.length === 0) problems.push('no documents to get');
  for (const [at, { index, id }] of addresses.entries()) {
    if (index === '') problems.push(`index is missing for doc ${at}`);
    if (id === '') problems.push(`id is missing for doc ${at}`);
  }
  if (problems.length === 0) return addresses;
  const sentence = problems.map((problem, at) => `${at + 1}: ${problem};`).join('');
  throw new QuarryError('action_request_validation_exception', `Validation Failed: ${sentence}`);
}

function unknownMember(name: string, value: JsonValue | undefined): QuarryError {
  const reason = Array.isArray(value)
    ? `unknown key [${name}] for a START_ARRAY, expected [docs] or [ids]`
    : `unexpected member [${name}], expected an array [docs] or [ids]`;
  return new QuarryError('parsing_exception', reason);
}

function items(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  throw new QuarryError('parsing_exception', `[${name}] must be an array`);
}

function idOf(value: JsonValue | undefined): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (value === undefined) return '';
  throw illegalArgument('ids array element should only contain ids');
}

function readDocument(item: JsonValue, defaults: Defaults): DocumentAddress {
  if (!isJsonObject(item)) throw illegalArgument('docs array element should include an object');
  const own: OwnOptions = {};
  let id = '';
  for (const [name, value] of Object.entries(item)) {
    if (name === '_id') id = idOf(value);
    else readMember(own, name, value);
  }
  return addressOf(id, own, defaults);
}

/** What one entry of `docs` says for itself. */
interface OwnOptions {
  index?: string;
  routing?: string;
  source?: SourceSpec;
  storedFields?: readonly string[];
  version?: string;
  versionType?: VersionType;
}

function readMember(own: OwnOptions, name: string, value: JsonValue | undefined): void {
  switch (name) {
    case '_index':
      own.index = textOf(name, value);
      return;
    case 'routing':
      own.routing = textOf(name, value);
      return;
    case '_source':
      own.source = sourceOf(value);
      return;
    case 'stored_fields':
      own.storedFields = namesOf(name, value);
      return;
    case 'version':
      own.version = versionOf(value);
      return;
    case 'version_type':
      own.versionType = versionTypeOf(value);
      return;
    default:
      throw new QuarryError('parse_exception', `failed to parse multi get request. unknown field [${name}]`);
  }
}

function addressOf(id: string, own: OwnOptions, defaults: Defaults): DocumentAddress {
  const routing = own.routing ?? defaults.routing;
  const source = own.source ?? defaults.source;
  const stored = own.storedFields ?? defaults.storedFields;
  const options: GetOptions = {
    realtime: defaults.realtime,
    ...storedFieldsOf(stored, source),
    ...(routing === undefined ? {} : { routing }),
    ...(own.version === undefined ? {} : { version: own.version }),
    ...(own.versionType === undefined ? {} : { versionType: own.versionType }),
  };
  return { index: own.index ?? defaults.index ?? '', id, options };
}

function textOf(name: string, value: JsonValue | undefined): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw illegalArgument(`[${name}] of a document of [docs] must be a string`);
}

function namesOf(name: string, value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return items(value, name).map((item) => textOf(name, item));
}

function versionOf(value: JsonValue | undefined): string {
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return String(BigInt(value));
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw illegalArgument('[version] of a document of [docs] must be a whole number');
}

function versionTypeOf(value: JsonValue | undefined): VersionType {
  if (value === 'internal' || value === 'external' || value === 'external_gte') return value;
  throw illegalArgument(`No version type match [${typeof value === 'string' ? value : ''}]`);
}

function sourceOf(value: JsonValue | undefined): SourceSpec {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return value === 'true' || value === 'false' ? value === 'true' : [value];
  if (!isJsonObject(value)) return namesOf('_source', value);
  let includes: readonly string[] = [];
  let excludes: readonly string[] = [];
  for (const [name, patterns] of Object.entries(value)) {
    if (name === 'includes' || name === 'include') includes = namesOf(name, patterns);
    else if (name === 'excludes' || name === 'exclude') excludes = namesOf(name, patterns);
    else throw illegalArgument(`unknown key [${name}] in [_source]`);
  }
  return { includes, excludes };
}
