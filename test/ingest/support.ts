/** Pipelines without a node: scripts are functions of these tests. */
import { QuarryError } from '../../src/base/errors.js';
import type { JsonObject, JsonValue } from '../../src/base/json-value.js';
import { compilePipeline } from '../../src/ingest/compile/compile-pipeline.js';
import { IngestDocument } from '../../src/ingest/document/ingest-document.js';
import { parseValue, writeValue, type IngestObject } from '../../src/ingest/document/values.js';
import type { Pipeline } from '../../src/ingest/pipeline.js';
import { PROCESSOR_TYPES } from '../../src/ingest/processors/table.js';
import type { ScriptCompiler } from '../../src/ingest/processor.js';
import { errorOf } from '../../src/ingest/run/ingest-failure.js';
import { PipelineRun, type RunObserver } from '../../src/ingest/run/pipeline-run.js';

export type Distribution = 'elasticsearch' | 'opensearch';

const QUIET: RunObserver = {
  pipelineStarted: () => 0,
  pipelineEnded: () => undefined,
  stepStarted: () => 0,
  stepEnded: () => undefined,
};

/** `field=value` holds where the field has that text; `throw` fails. */
const scripts: ScriptCompiler = {
  compile: (script) => (document) => {
    const source = typeof script === 'string' ? script : String((script as JsonObject)['source']);
    if (source === 'throw') throw new QuarryError('illegal_argument_exception', 'a script failed');
    const [field = '', value] = source.split('=');
    return document.find(field) === value;
  },
};

export function compile(definition: JsonObject, id = 'test', distribution: Distribution = 'elasticsearch'): Pipeline {
  return compilePipeline(id, definition, { types: PROCESSOR_TYPES, scripts, distribution });
}

export function documentOf(source: string | JsonObject): IngestDocument {
  const text = typeof source === 'string' ? source : JSON.stringify(source);
  const root = { ...(parseValue(text) as IngestObject), _index: 'index', _id: 'id' };
  return new IngestDocument(root, { timestamp: '2024-05-06T07:08:09.000Z' });
}

export function run(
  document: IngestDocument,
  pipeline: Pipeline,
  others: readonly Pipeline[] = [],
  observer = QUIET,
): IngestDocument {
  const all = [pipeline, ...others];
  try {
    new PipelineRun((id) => all.find((each) => each.id === id), observer).pipeline(pipeline, document);
  } catch (error) {
    throw errorOf(error);
  }
  return document;
}

/** What the processors make of a document, without its metadata. */
export function process(
  processors: readonly JsonValue[],
  source: string | JsonObject,
  distribution: Distribution = 'elasticsearch',
): JsonObject {
  const { root } = run(documentOf(source), compile({ processors }, 'test', distribution));
  const { _index, _id, ...rest } = root;
  return JSON.parse(writeValue(rest)) as JsonObject;
}
