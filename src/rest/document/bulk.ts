/** `POST _bulk`: many actions in lines of JSON. */
import { bulk as carryOut } from '../../actions/documents/bulk.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { answerJson } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, stringParameter } from '../parameters.js';
import { checkPipeline, sourceParameters, sourceSpec, writeParameters } from './write-parameters.js';

export const bulk = defineEndpoint({
  name: 'bulk',
  action: { name: 'indices:data/write/bulk', isPerItem: true },
  methods: ['POST', 'PUT'],
  paths: ['/_bulk', '/{index}/_bulk'],
  parameters: {
    ...writeParameters,
    ...sourceParameters,
    include_source_on_error: booleanParameter(true),
    list_executed_pipelines: booleanParameter(false),
    pipeline: stringParameter(),
    require_alias: booleanParameter(),
    require_data_stream: booleanParameter(false),
  },
  body: 'ndjson',
  pool: 'write',
  placement: 'shard',
  async handle({ parts, parameters: given, body }, context) {
    if (given.list_executed_pipelines)
      throw illegalArgument('[list_executed_pipelines] cannot be true: it is not supported');
    checkPipeline(given.pipeline);
    if (body.isEmpty) throw new QuarryError('parse_exception', 'request body is required');
    const source = sourceSpec(given);
    const startedMs = context.clock.monotonicMs();
    const { errors, items, ingestTookMs } = await carryOut(
      {
        body: body.bytes,
        ...(parts.index === undefined ? {} : { index: parts.index }),
        ...(given.routing === undefined ? {} : { routing: given.routing }),
        ...(given.require_alias === undefined ? {} : { requireAlias: given.require_alias }),
        ...(given.pipeline === undefined ? {} : { pipeline: given.pipeline }),
        ...(source === undefined ? {} : { source }),
        requireDataStream: given.require_data_stream,
        refresh: given.refresh,
        activeShards: given.wait_for_active_shards,
        timeoutMs: given.timeout,
      },
      context,
    );
    const took = Math.round(context.clock.monotonicMs() - startedMs);
    const ingest = ingestTookMs === undefined ? '' : `"ingest_took":${Math.round(ingestTookMs)},`;
    const head = Buffer.from(`{"took":${took},${ingest}"errors":${errors},"items":`, 'utf8');
    return answerJson([head, items, Buffer.from('}', 'utf8')]);
  },
});
