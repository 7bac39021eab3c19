/** `GET` and `HEAD` of `{index}/_doc/{id}` and `{index}/_source/{id}`. */
import type { ActionContext } from '../../actions/context.js';
import { parsePreference } from '../../actions/copy-preference.js';
import { getDocument as read, type ReadOptions } from '../../actions/documents/get-documents.js';
import { QuarryError } from '../../base/errors.js';
import type { SourceSpec } from '../../native/bulk.js';
import type { GetOptions } from '../../native/get-options.js';
import { answerEmpty, answerJson } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, listParameter, stringParameter, type ParameterValues } from '../parameters.js';
import { sourceParameters, sourceSpec, versionParameter, versionTypeParameter } from './write-parameters.js';

const parameters = {
  ...sourceParameters,
  /** Of reads that are not real-time: the others are answered by the primary. */
  preference: stringParameter(),
  realtime: booleanParameter(true),
  refresh: booleanParameter(false),
  routing: stringParameter(),
  version: versionParameter(),
  version_type: versionTypeParameter(),
} as const;

const getParameters = { ...parameters, stored_fields: listParameter() } as const;

export type GetParameters = ParameterValues<typeof getParameters>;

export const getDocument = defineEndpoint({
  name: 'get',
  action: 'indices:data/read/get',
  methods: ['GET', 'HEAD'],
  paths: ['/{index}/_doc/{id}'],
  parameters: getParameters,
  body: 'none',
  pool: 'search',
  placement: 'near',
  async handle({ method, parts, parameters: given }, context) {
    const { result } = await read({ ...parts, options: getOptions(given) }, readOptions(given), context);
    const status = result.found ? 200 : 404;
    return method === 'HEAD' ? answerEmpty(status) : answerJson([result.body], status);
  },
});

export const getSource = defineEndpoint({
  name: 'get_source',
  action: 'indices:data/read/get',
  methods: ['GET', 'HEAD'],
  paths: ['/{index}/_source/{id}'],
  parameters,
  body: 'none',
  pool: 'search',
  placement: 'near',
  async handle({ method, parts, parameters: given }, context) {
    const body = await sourceOf(parts, given, context);
    if (method === 'HEAD') return answerEmpty(body === undefined ? 404 : 200);
    if (body !== undefined) return answerJson([body]);
    throw new QuarryError('resource_not_found_exception', `Document not found [${parts.index}]/[${parts.id}]`);
  },
});

async function sourceOf(
  parts: { readonly index: string; readonly id: string },
  given: ParameterValues<typeof parameters>,
  context: ActionContext,
): Promise<Uint8Array | undefined> {
  const options: GetOptions = { ...optionsOf(given), sourceOnly: true };
  const { result } = await read({ ...parts, options }, readOptions(given), context);
  return result.found && result.body.length > 0 ? result.body : undefined;
}

/** What the parameters of `GET {index}/_doc/{id}` ask for. */
export function getOptions(given: GetParameters): GetOptions {
  return { ...optionsOf(given), ...storedFieldsOf(given.stored_fields, sourceSpec(given)) };
}

function readOptions({ refresh, preference }: ParameterValues<typeof parameters>): ReadOptions {
  return { refresh, copies: parsePreference(preference).copies };
}

function optionsOf(given: ParameterValues<typeof parameters>): GetOptions {
  const source = sourceSpec(given);
  return {
    realtime: given.realtime,
    ...(given.routing === undefined ? {} : { routing: given.routing }),
    ...(given.version === undefined ? {} : { version: String(given.version) }),
    ...(given.version_type === undefined ? {} : { versionType: given.version_type }),
    ...(source === undefined ? {} : { source }),
  };
}

/** With `stored_fields` the source is shown only when it is asked for. */
export function storedFieldsOf(
  names: readonly string[] | undefined,
  source: SourceSpec | undefined,
): Pick<GetOptions, 'storedFields' | 'source'> {
  if (names === undefined) return source === undefined ? {} : { source };
  const storedFields = names.filter((name) => name !== '_source');
  return { storedFields, source: source ?? names.includes('_source') };
}
