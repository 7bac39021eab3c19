/** `GET {index}/_analyze`: the tokens that a chain of analysis makes of a text. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject, JsonValue } from '../../../base/json-value.js';
import { analysisJson } from '../../../cluster/mapping/analysis-settings.js';
import { indexClosed } from '../../../cluster/names/index-expression.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { mappingSettings, numberSetting } from '../../../cluster/settings/index-values.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import { compileMapping } from '../../../mapping/compile.js';
import { POSITION_INCREMENT_GAP_DEFAULT } from '../../../mapping/field-types.js';
import type { FieldSpec } from '../../../mapping/types.js';
import { analyze } from '../../../native/analysis.js';
import { answerJson } from '../../answer.js';
import { defineEndpoint, type RestRequest } from '../../endpoint.js';
import { stringParameter } from '../../parameters.js';
import { checkAnalyzeRequest } from './analyze-request.js';
import { namedIndices } from '../index-names.js';

export const analyzeEndpoint = defineEndpoint({
  name: 'indices.analyze',
  action: {
    name: 'indices:admin/analyze',
    of: (request) => (indexOf(request) === undefined ? 'cluster:admin/analyze' : 'indices:admin/analyze'),
    names: (request) => [indexOf(request)],
  },
  methods: ['GET', 'POST'],
  paths: ['/_analyze', '/{index}/_analyze'],
  parameters: { index: stringParameter() },
  body: 'json',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const body = request.body.requireObject();
    const part = indexOf(request);
    checkAnalyzeRequest(body, part !== undefined);
    if (part === undefined) {
      if (body['field'] !== undefined) throw illegalArgument('analysis based on a specific field requires an index');
      return answerJson([analyze(undefined, JSON.stringify(body))]);
    }
    const [index] = namedIndices(context, part, IndicesDefaults.single, {});
    if (index === undefined) throw illegalArgument('[index] is missing');
    if (index.state === 'close') throw indexClosed(index);
    const resolved = withoutField(body, index);
    const answer = analyze(
      analysisJson(index.settings),
      JSON.stringify(resolved.body),
      numberSetting(index, 'maxTokenCount'),
      resolved.shingle ?? undefined,
      resolved.gap,
    );
    return answerJson([answer]);
  },
});

/** Named by the path or by a parameter. */
function indexOf({ parts, parameters }: RestRequest<{ readonly index?: string }>): string | undefined {
  return parts.index ?? (parameters['index'] as string | undefined);
}

function isNamed(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** A request that names no field. */
interface Resolved {
  readonly body: JsonObject;
  /** The field was a part of a `search_as_you_type` field. */
  readonly shingle?: FieldSpec['shingle'];
  /** The positions between two values of the field; absent where its analyzer decides. */
  readonly gap?: number;
}

/** A field stands for its analyzer or normalizer; one without a mapping stands for the index's default. */
function withoutField(body: JsonObject, index: IndexMetadata): Resolved {
  const { field: name, ...rest } = body;
  if (name === undefined || name === null) return { body };
  if (typeof name !== 'string') throw illegalArgument('[field] must be a string');
  // Who names an analyzer or a normalizer means that one.
  if (isNamed(rest['analyzer']) || isNamed(rest['normalizer'])) return { body: rest };
  const { fields } = compileMapping(index.mapping, index.mappingVersion, mappingSettings(index));
  const field = fields.find((each) => each.name === name);
  if (field === undefined) return { body: rest };
  const { analyzer, normalizer, shingle } = field;
  if (field.type === 'text') {
    const own = field.position_increment_gap;
    const gap = own === POSITION_INCREMENT_GAP_DEFAULT ? {} : { gap: own };
    return { body: analyzer === null ? rest : { ...rest, analyzer }, shingle, ...gap };
  }
  if (field.type !== 'keyword') {
    throw illegalArgument(`Can't process field [${name}], Analysis requests are only supported on tokenized fields`);
  }
  return { body: normalizer === null ? { ...rest, analyzer: 'keyword' } : { ...rest, normalizer }, gap: 0 };
}
