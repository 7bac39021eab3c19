/** `_data_stream/{name}`: create, get, delete. */
import type { ActionContext } from '../../actions/context.js';
import { whenPrimariesStarted } from '../../actions/documents/active-shards.js';
import { backingNames } from '../../actions/documents/auto-create.js';
import type { JsonObject } from '../../base/json-value.js';
import { backingIndices, TIMESTAMP_FIELD } from '../../cluster/data-streams/data-streams.js';
import { renderLifecycle } from '../../cluster/data-streams/data-stream-lifecycle.js';
import { clusterHealth } from '../../cluster/health.js';
import { renderNested } from '../../cluster/settings/flat-settings.js';
import { LIFECYCLE_NAME, policyOf } from '../../cluster/lifecycle/progress.js';
import type { ClusterState, DataStream } from '../../cluster/state.js';
import { matchingIndexTemplate, templateSetting } from '../../cluster/templates/compose.js';
import type { IndexTemplate } from '../../cluster/templates/types.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs, stateReadParameters } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter, listParameter } from '../parameters.js';
import { namedStreams } from './named-streams.js';

export const createDataStreamEndpoint = defineEndpoint({
  name: 'indices.create_data_stream',
  action: { name: 'indices:admin/data_stream/create', names: ({ parts }) => [parts.name] },
  methods: ['PUT'],
  paths: ['/_data_stream/{name}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, sentParameters }, context) {
    const defaults = new Map(Object.entries(context.settings.indexDefaults));
    const input = { name: parts.name, defaults, backingNames: backingNames(context) };
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const { index } = await context.coordinator.submit('create-data-stream', input, { timeoutMs });
    await whenPrimariesStarted(context, index, parameters.timeout);
    return answerAcknowledged();
  },
});

export const getDataStreamEndpoint = defineEndpoint({
  name: 'indices.get_data_stream',
  action: 'indices:admin/data_stream/get',
  methods: ['GET'],
  paths: ['/_data_stream', '/_data_stream/{name}'],
  parameters: {
    ...stateReadParameters,
    expand_wildcards: listParameter(),
    include_defaults: booleanParameter(false),
    verbose: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parameters, parts }, context) {
    const streams = namedStreams(context, parts.name, parameters.expand_wildcards);
    return answerValue({ data_streams: streams.map((stream) => renderStream(context, stream)) });
  },
});

function renderStream(context: ActionContext, stream: DataStream): JsonObject {
  const state = context.clusterState();
  const template = matchingIndexTemplate(state, stream.name, false);
  const meta = template?.template.meta;
  const policy = policyOfNext(state, stream, template?.template);
  return {
    name: stream.name,
    timestamp_field: { name: TIMESTAMP_FIELD },
    indices: stream.indices.map(({ name, uuid }) => ({
      index_name: name,
      index_uuid: uuid,
      prefer_ilm: true,
      ...management(stream, policyOfIndex(state, name)),
    })),
    generation: stream.generation,
    ...(meta === undefined ? {} : { _meta: meta }),
    status: clusterHealth(state, backingIndices(state, stream)).status.toUpperCase(),
    ...(template === undefined ? {} : { template: template.name }),
    ...(stream.lifecycle === undefined ? {} : { lifecycle: renderLifecycle(stream.lifecycle) }),
    ...(policy === undefined ? {} : { ilm_policy: policy }),
    next_generation_managed_by: management(stream, policy).managed_by,
    prefer_ilm: true,
    hidden: stream.hidden,
    system: false,
    allow_custom_routing: stream.allowCustomRouting,
    replicated: false,
    rollover_on_write: stream.rolloverOnWrite ?? false,
    settings: renderNested(stream.settings ?? new Map()),
    mappings: stream.mappings ?? {},
  };
}

/** What takes care of an index: a policy wins over the lifecycle of the stream. */
function management({ lifecycle }: DataStream, policy: string | undefined): JsonObject & { managed_by: string } {
  if (policy !== undefined) return { ilm_policy: policy, managed_by: 'Index Lifecycle Management' };
  return { managed_by: lifecycle?.enabled === true ? 'Data stream lifecycle' : 'Unmanaged' };
}

function policyOfIndex(state: ClusterState, name: string): string | undefined {
  const index = state.indices.get(name);
  return index === undefined ? undefined : policyOf(index);
}

/** Of the next index that the stream makes. */
function policyOfNext(
  state: ClusterState,
  { settings }: DataStream,
  template: IndexTemplate | undefined,
): string | undefined {
  const own = settings?.get(LIFECYCLE_NAME);
  const said = own ?? (template === undefined ? undefined : templateSetting(state, template, LIFECYCLE_NAME));
  return said === undefined ? undefined : String(said);
}

export const deleteDataStreamEndpoint = defineEndpoint({
  name: 'indices.delete_data_stream',
  action: 'indices:admin/data_stream/delete',
  methods: ['DELETE'],
  paths: ['/_data_stream/{name}'],
  parameters: { ...acknowledgedParameters, expand_wildcards: listParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, sentParameters }, context) {
    const names = namedStreams(context, parts.name, parameters.expand_wildcards).map(({ name }) => name);
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('delete-data-streams', { names }, { timeoutMs });
    return answerAcknowledged();
  },
});
