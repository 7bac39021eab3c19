/** `POST _ingest/pipeline/{id}/_simulate`: what a pipeline makes of documents that go nowhere. */
import { documentOf } from '../../actions/ingest/run-pipelines.js';
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { decodeUtf8 } from '../../base/json.js';
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import { configurationError } from '../../ingest/compile/configuration-error.js';
import { Options } from '../../ingest/compile/options.js';
import { isObject, memberOf, parseValue, writeValue, type IngestObject } from '../../ingest/document/values.js';
import type { Pipeline } from '../../ingest/pipeline.js';
import { simulate } from '../../ingest/simulate.js';
import { answerJson } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter } from '../parameters.js';
import { renderSimulated } from './render-simulated.js';

/** Of a pipeline that is part of the request. */
const INLINE_ID = '_simulate_pipeline';
const DOCUMENTS_MAX = 10_000;

export const simulateEndpoint = defineEndpoint({
  name: 'ingest.simulate',
  action: 'cluster:admin/ingest/pipeline/simulate',
  methods: ['GET', 'POST'],
  paths: ['/_ingest/pipeline/_simulate', '/_ingest/pipeline/{id}/_simulate'],
  parameters: { verbose: booleanParameter(false) },
  body: 'json',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const body = request.body.requireObject();
    const pipeline = pipelineOf(request.parts.id, body, context);
    const documents = documentsOf(body, parseValue(decodeUtf8(request.body.bytes)));
    const find = context.ingest.pipelinesOf(context.clusterState());
    const isVerbose = request.parameters.verbose;
    const docs = documents.map((given) => {
      context.cancellation.throwIfCancelled();
      const document = readDocument(given, context.clock.nowMs());
      return renderSimulated(simulate(context.ingest, pipeline, document, find, isVerbose));
    });
    return answerJson([Buffer.from(writeValue({ docs }), 'utf8')]);
  },
});

function pipelineOf(id: string | undefined, body: JsonObject, context: ActionContext): Pipeline {
  if (id !== undefined) {
    const stored = context.ingest.pipelinesOf(context.clusterState())(id);
    if (stored === undefined) throw illegalArgument(`pipeline [${id}] does not exist`);
    return stored;
  }
  return context.ingest.compile(INLINE_ID, new Options(body, {}).object('pipeline'));
}

function documentsOf(body: JsonObject, exact: unknown): readonly IngestObject[] {
  const given = new Options(body, {}).list('docs');
  if (given.length === 0) throw illegalArgument('must specify at least one document in [docs]');
  if (given.length > DOCUMENTS_MAX)
    throw illegalArgument(`at most [${DOCUMENTS_MAX}] documents can be simulated at once`);
  const docs = isObject(exact) ? memberOf(exact, 'docs') : undefined;
  return (Array.isArray(docs) ? docs : []).map((document) => {
    if (isObject(document)) return document;
    throw illegalArgument('malformed [docs] section, should include an inner object');
  });
}

function readDocument(given: IngestObject, nowMs: number): ReturnType<typeof documentOf> {
  const { _source: source, ...metadata } = given;
  if (source === undefined || source === null) throw configurationError({}, '_source', 'required property is missing');
  const options = new Options(metadata as Record<string, JsonValue>, {});
  const text = (name: string, fallback?: string): string | undefined =>
    options.has(name) ? options.textOrNumber(name) : fallback;
  const version = options.optionalInteger('_version');
  const versionType = options.optionalText('_version_type');
  if (versionType !== undefined && !['internal', 'external', 'external_gte'].includes(versionType)) {
    throw new QuarryError('illegal_argument_exception', `No version type match [${versionType}]`);
  }
  const ifSeqNo = options.optionalInteger('_if_seq_no');
  const ifPrimaryTerm = options.optionalInteger('_if_primary_term');
  const routing = text('_routing');
  const document = documentOf(
    {
      index: text('_index') ?? '_index',
      id: text('_id') ?? '_id',
      action: 'index',
      ...(routing === undefined ? {} : { routing }),
      ...(version === undefined ? {} : { version: String(version) }),
      ...(ifSeqNo === undefined ? {} : { ifSeqNo }),
      ...(ifPrimaryTerm === undefined ? {} : { ifPrimaryTerm }),
      source: Buffer.from(writeValue(source), 'utf8'),
    },
    nowMs,
  );
  if (versionType !== undefined) document.root['_version_type'] = versionType;
  return document;
}
