/** `GET _field_caps`: what can be done with fields, over several indices. */
import type { ActionContext } from '../../actions/context.js';
import { ADAPTIVE } from '../../actions/copy-preference.js';
import { hasPlacedCopy } from '../../actions/copy-selection.js';
import { fieldsWithValues } from '../../actions/searches/fields-with-values.js';
import { filteredTargets } from '../../actions/searches/index-filter.js';
import { checkBlocks } from '../../cluster/blocks/blocks.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { mappingSettings } from '../../cluster/settings/index-values.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonValue } from '../../base/json-value.js';
import { fieldCapabilities, type FieldCapability } from '../../mapping/field-capabilities.js';
import { checkRuntimeScripts, compileRuntime, readRuntime } from '../../mapping/runtime.js';
import type { RuntimeField, RuntimeSpec } from '../../mapping/types.js';
import { compileInlineScript } from '../../native/scripts.js';
import { Place } from '../../search/body/place.js';
import { readStrings } from '../../search/body/read.js';
import { validationFailure } from '../../search/request/combinations.js';
import { answerValue } from '../answer.js';
import { defineEndpoint, type RestBody } from '../endpoint.js';
import { namedIndices } from '../indices/index-names.js';
import { booleanParameter, indicesOptionsParameters, listParameter } from '../parameters.js';
import {
  renderFailures,
  renderFieldCapabilities,
  type FailedIndex,
  type IndexCapabilities,
} from './render-field-caps.js';

export const fieldCaps = defineEndpoint({
  name: 'field_caps',
  action: 'indices:data/read/field_caps',
  methods: ['GET', 'POST'],
  paths: ['/_field_caps', '/{index}/_field_caps'],
  parameters: {
    ...indicesOptionsParameters,
    fields: listParameter(),
    filters: listParameter(),
    include_empty_fields: booleanParameter(true),
    include_unmapped: booleanParameter(false),
    types: listParameter(),
  },
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    const asked = readCapsBody(body);
    if (asked.fields !== undefined && given.fields !== undefined) {
      throw illegalArgument(
        "can't specify a request body and [fields] request parameter, either specify a request body or the [fields] request parameter",
      );
    }
    const patterns = asked.fields ?? given.fields;
    if (patterns === undefined || patterns.length === 0) throw validationFailure(['no fields specified']);
    const indices = namedIndices(context, parts.index, IndicesDefaults.expandOpenForbidClosed, given);
    for (const index of indices) checkBlocks(index, 'read');
    const state = context.clusterState();
    const present = indices.filter((index) => hasPlacedCopy(state, index));
    const isTold = context.settings.values['compatibility.distribution'] === 'elasticsearch';
    const failed = isTold ? indices.filter((index) => !present.includes(index)).map(withoutCopy) : [];
    const [first] = failed;
    if (present.length === 0 && first !== undefined) throw first.failure;
    const kept = asked.filter === undefined ? present : await matching(present, asked.filter, context);
    const isWanted = capabilityFilter(given.filters ?? [], given.types);
    const runtime = [...(asked.runtime ?? [])].flatMap(([name, field]) => compileRuntime(name, field));
    const found = await Promise.all(
      kept.map(async (index): Promise<IndexCapabilities> => {
        const all = fieldCapabilities(index.mapping, mappingSettings(index), runtime);
        const shown = given.include_empty_fields ? all : await withValues(all, runtime, index, context);
        const fields = shown.filter((field) => matchesAny(patterns, field.name) && isWanted(field));
        return { index: index.name, fields };
      }),
    );
    return answerValue({ ...renderFieldCapabilities(found, given.include_unmapped), ...renderFailures(failed) });
  },
});

/** Its mapping is known, but not what the reference asks a copy for; tools of one kind are not told of it. */
function withoutCopy({ name }: IndexMetadata): FailedIndex {
  const reason = `index [${name}] has no active shard copy`;
  return { index: name, failure: new QuarryError('no_shard_available_action_exception', reason) };
}

interface AskedCaps {
  readonly fields?: readonly string[];
  readonly filter?: Place;
  readonly runtime?: ReadonlyMap<string, RuntimeField>;
}

function readCapsBody(body: RestBody): AskedCaps {
  let asked: AskedCaps = {};
  for (const [name, value] of Place.ofBody(body.isEmpty ? undefined : body).members()) {
    if (name === 'fields') asked = { ...asked, fields: readStrings(value) };
    else if (name === 'index_filter') asked = { ...asked, filter: value };
    else if (name === 'runtime_mappings') asked = { ...asked, runtime: readComputed(value.value) };
    else throw value.errorWithPlace(`[field_caps_request] unknown field [${name}]`);
  }
  return asked;
}

function readComputed(definitions: JsonValue): ReadonlyMap<string, RuntimeField> {
  const fields = readRuntime(definitions);
  checkRuntimeScripts(fields, compileInlineScript);
  return fields;
}

/** Indices of which some shard can hold a document that passes the filter. */
async function matching(
  indices: readonly IndexMetadata[],
  filter: Place,
  context: ActionContext,
): Promise<readonly IndexMetadata[]> {
  const whole = indices.map((index) => ({
    index,
    shards: Array.from({ length: index.numberOfShards }, (_, shard) => shard),
    filters: [],
  }));
  const targets = await filteredTargets(whole, filter, ADAPTIVE, context);
  return targets.flatMap(({ index, shards }) => (shards.length === 0 ? [] : [index]));
}

/** Without fields that no document has; objects are there where something in them is, fields of the request always. */
async function withValues(
  fields: readonly FieldCapability[],
  runtime: readonly RuntimeSpec[],
  index: IndexMetadata,
  context: ActionContext,
): Promise<readonly FieldCapability[]> {
  const isObject = ({ type }: FieldCapability): boolean => type === 'object' || type === 'nested';
  const leaves = fields.filter((field) => !field.isMetadata && !isObject(field)).map(({ name }) => name);
  const found = await fieldsWithValues(index, leaves, context);
  const names = [...found];
  return fields.filter(
    (field) =>
      field.isMetadata ||
      runtime.some(({ name }) => name === field.name) ||
      (isObject(field) ? names.some((name) => name.startsWith(`${field.name}.`)) : found.has(field.name)),
  );
}

const FILTERS: Readonly<Record<string, (field: FieldCapability) => boolean>> = {
  '+metadata': ({ isMetadata }) => isMetadata,
  '-metadata': ({ isMetadata }) => !isMetadata,
  '-parent': ({ type }) => type !== 'object' && type !== 'nested',
  '-nested': ({ type }) => type !== 'nested',
  '-multifield': ({ isMultiField }) => !isMultiField,
};

function capabilityFilter(
  filters: readonly string[],
  types: readonly string[] | undefined,
): (field: FieldCapability) => boolean {
  const checks = filters.map((name) => {
    const check = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (check === undefined) throw illegalArgument(`Unknown field caps filter [${name}]`);
    return check;
  });
  return (field) => (types === undefined || types.includes(field.type)) && checks.every((check) => check(field));
}
