/** `_data_stream/{name}/_settings` and `_mappings`: what wins over the template in indices that are made from now on. */
import type { ActionContext } from '../../actions/context.js';
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { composeBackingIndex, streamTemplate } from '../../cluster/data-streams/stream-templates.js';
import { flattenSettings, renderNested, withIndexPrefix } from '../../cluster/settings/flat-settings.js';
import type { DataStream } from '../../cluster/state.js';
import { withoutNulls } from '../../cluster/templates/check-template.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs, stateReadParameters } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter } from '../parameters.js';
import { namedStreams } from './named-streams.js';

const changeParameters = { ...acknowledgedParameters, dry_run: booleanParameter(false) } as const;

export const getStreamSettingsEndpoint = defineEndpoint({
  name: 'indices.get_data_stream_settings',
  action: 'indices:monitor/data_stream/settings/get',
  methods: ['GET'],
  paths: ['/_data_stream/{name}/_settings'],
  parameters: stateReadParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parts }, context) {
    const streams = namedStreams(context, parts.name, undefined);
    return answerValue({ data_streams: streams.map((stream) => renderSettings(context, stream)) });
  },
});

export const putStreamSettingsEndpoint = defineEndpoint({
  name: 'indices.put_data_stream_settings',
  action: 'indices:admin/data_stream/settings/update',
  methods: ['PUT'],
  paths: ['/_data_stream/{name}/_settings'],
  parameters: changeParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const settings = withIndexPrefix(flattenSettings(body.requireObject()));
    const names = namedStreams(context, parts.name, undefined).map(({ name }) => name);
    const input = { names, settings, dryRun: parameters.dry_run };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const updated = await context.coordinator.submit('update-data-streams', input, { timeoutMs });
    const keys = [...settings.keys()].sort();
    const shared = keys.filter((key) => OF_BACKING_INDICES.has(key));
    const change = Object.fromEntries(shared.map((key) => [key, settings.get(key) ?? null]));
    const rows = updated.map(async (stream) => {
      const errors = parameters.dry_run ? [] : await changeBackingIndices(context, stream, change, timeoutMs);
      return {
        ...applied(renderSettings(context, stream)),
        index_settings_results: {
          applied_to_data_stream_only: keys.filter((key) => !OF_BACKING_INDICES.has(key)),
          applied_to_data_stream_and_backing_indices: shared,
          ...(errors.length === 0 ? {} : { errors }),
        },
      };
    });
    return answerValue({ data_streams: await Promise.all(rows) });
  },
});

/** What says how an index is managed holds for those that are there too; all else for those that are made from now on. */
const OF_BACKING_INDICES: ReadonlySet<string> = new Set(['index.lifecycle.name', 'index.lifecycle.prefer_ilm']);

/** Gives what went wrong, index by index. */
async function changeBackingIndices(
  context: ActionContext,
  stream: DataStream,
  settings: JsonObject,
  timeoutMs: number,
): Promise<readonly JsonObject[]> {
  if (Object.keys(settings).length === 0) return [];
  const outcomes = stream.indices.map(async (index): Promise<readonly JsonObject[]> => {
    try {
      await context.coordinator.submit('update-index-settings', { indices: [index], settings }, { timeoutMs });
      return [];
    } catch (error) {
      return [{ index: index.name, error: asQuarryError(error).message }];
    }
  });
  return (await Promise.all(outcomes)).flat();
}

export const getStreamMappingsEndpoint = defineEndpoint({
  name: 'indices.get_data_stream_mappings',
  action: 'indices:admin/data_stream/mappings/get',
  methods: ['GET'],
  paths: ['/_data_stream/{name}/_mappings'],
  parameters: stateReadParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parts }, context) {
    const streams = namedStreams(context, parts.name, undefined);
    return answerValue({ data_streams: streams.map((stream) => renderMappings(context, stream)) });
  },
});

export const putStreamMappingsEndpoint = defineEndpoint({
  name: 'indices.put_data_stream_mappings',
  action: 'indices:admin/data_stream/mappings/update',
  methods: ['PUT'],
  paths: ['/_data_stream/{name}/_mappings'],
  parameters: changeParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const mappings = body.object();
    if (mappings === undefined) throw new QuarryError('parse_exception', 'request body is required');
    const names = namedStreams(context, parts.name, undefined).map(({ name }) => name);
    const input = { names, mappings, dryRun: parameters.dry_run };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const updated = await context.coordinator.submit('update-data-streams', input, { timeoutMs });
    return answerValue({ data_streams: updated.map((stream) => applied(renderMappings(context, stream))) });
  },
});

function applied({ name, ...rest }: JsonObject): JsonObject {
  return { name, applied_to_data_stream: true, ...rest };
}

function renderSettings(context: ActionContext, stream: DataStream): JsonObject {
  const { template } = streamTemplate(context.clusterState(), stream.name);
  const effective = composeBackingIndex(context.clusterState(), template, stream).settings;
  return {
    name: stream.name,
    settings: renderNested(stream.settings ?? new Map()),
    effective_settings: renderNested(withoutNulls(effective)),
  };
}

function renderMappings(context: ActionContext, stream: DataStream): JsonObject {
  const { template } = streamTemplate(context.clusterState(), stream.name);
  const effective = composeBackingIndex(context.clusterState(), template, stream).mappings;
  return { name: stream.name, mappings: stream.mappings ?? {}, effective_mappings: effective };
}
