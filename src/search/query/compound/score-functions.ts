/** The functions of `function_score`. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readNumber, readScalar, readText } from '../../body/read.js';
import type {
  DecayPlan,
  DecayShape,
  FieldValueFactorPlan,
  FunctionKindPlan,
  Modifier,
  ValueMode,
} from '../../plan/score-plans.js';
import type { ScriptPlan } from '../../plan/query-plan.js';
import { readScript } from '../../script/read-script.js';
import type { Draft } from '../query-parser.js';

interface ParsedFunction {
  readonly kind: FunctionKindPlan;
  readonly weight?: number;
}

const MODIFIERS: readonly Modifier[] = [
  'none',
  'log',
  'log1p',
  'log2p',
  'ln',
  'ln1p',
  'ln2p',
  'square',
  'sqrt',
  'reciprocal',
];

const VALUE_MODES: readonly ValueMode[] = ['min', 'max', 'avg', 'sum'];

/** The names by which a request calls them. */
export const SCORE_FUNCTIONS: ReadonlyMap<string, (place: Place) => ParsedFunction> = new Map([
  ['field_value_factor', fieldValueFactor],
  ['random_score', randomScore],
  ['gauss', (place: Place) => decay(place, 'gauss')],
  ['exp', (place: Place) => decay(place, 'exp')],
  ['linear', (place: Place) => decay(place, 'linear')],
  ['script_score', scriptScore],
]);

export function unknownFunction(name: string, place: Place): Error {
  return place.errorWithPlace(`unknown field [${name}]`, 'x_content_parse_exception');
}

function scriptScore(place: Place): ParsedFunction {
  let script: ScriptPlan | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'script') script = readScript(value);
    else throw value.error(`script_score query does not support [${name}]`);
  }
  if (script === undefined) throw place.error("script_score requires 'script' field");
  return { kind: { script_score: script } };
}

function fieldValueFactor(place: Place): ParsedFunction {
  const draft: Draft<FieldValueFactorPlan> = {};
  for (const [name, value] of place.members()) {
    if (value.isArray) {
      throw value.error(`[field_value_factor] field 'field_value_factor' does not support lists or objects`);
    }
    if (name === 'field') draft.field = readText(value);
    else if (name === 'factor') draft.factor = readNumber(value);
    else if (name === 'modifier') draft.modifier = readModifier(value);
    else if (name === 'missing') draft.missing = readNumber(value);
    else throw value.error(`field_value_factor query does not support [${name}]`);
  }
  const { field } = draft;
  if (field === undefined) throw place.error("[field_value_factor] required field 'field' missing");
  return { kind: { field_value_factor: { ...draft, field } } };
}

function readModifier(place: Place): Modifier {
  const text = readText(place);
  const modifier = MODIFIERS.find((known) => known === text.toLowerCase());
  if (modifier !== undefined) return modifier;
  throw illegalArgument(
    `No enum constant org.opensearch.common.lucene.search.function.FieldValueFactorFunction.Modifier.${text.toUpperCase()}`,
  );
}

function randomScore(place: Place): ParsedFunction {
  let seed: number | undefined;
  let field: string | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'seed') seed = readSeed(value);
    else if (name === 'field') field = value.value === null ? undefined : readText(value);
    else throw value.error(`random_score query does not support [${name}]`);
  }
  return {
    kind: { random_score: { ...(seed === undefined ? {} : { seed }), ...(field === undefined ? {} : { field }) } },
  };
}

/** A whole number is taken by its lowest bits, a text by its hash (that of Java strings). */
function readSeed(place: Place): number {
  if (typeof place.value === 'number') {
    if (Number.isInteger(place.value))
      return Number(BigInt.asIntN(32, BigInt(place.value) ^ (BigInt(place.value) >> 32n)));
    throw place.error(`random_score seed must be an int, long or string, not '${place.value}'`);
  }
  if (typeof place.value !== 'string') throw place.error(`random_score seed must be an int/long or string`);
  let hash = 0;
  for (let at = 0; at < place.value.length; at++) hash = (Math.imul(hash, 31) + place.value.charCodeAt(at)) | 0;
  return hash;
}

function decay(place: Place, shape: DecayShape): ParsedFunction {
  let field: string | undefined;
  let options: Draft<DecayPlan> = {};
  let mode: ValueMode | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'multi_value_mode') mode = readValueMode(value);
    else if (!value.isObject) throw value.error(`malformed score function score parameters.`);
    else {
      field = name;
      options = readDecayOptions(value);
    }
  }
  if (field === undefined) throw place.error('malformed score function score parameters.');
  const { scale } = options;
  if (scale === undefined || scale === null) {
    throw new QuarryError('parse_exception', 'both [scale] and [origin] must be set for numeric fields.');
  }
  const fraction = options.decay ?? 0.5;
  if (fraction <= 0 || fraction >= 1) throw illegalArgument('DecayFunctionParser : decay must be in the range (0..1).');
  return {
    kind: { decay: { ...options, field, shape, scale, decay: fraction, ...(mode === undefined ? {} : { mode }) } },
  };
}

function readDecayOptions(place: Place): Draft<DecayPlan> {
  const options: Draft<DecayPlan> = {};
  for (const [name, value] of place.members()) {
    if (name === 'origin') options.origin = value.isScalar ? readScalar(value) : value.value;
    else if (name === 'scale') options.scale = readScalar(value);
    else if (name === 'offset') options.offset = readScalar(value);
    else if (name === 'decay') options.decay = readNumber(value);
    else throw value.error(`parameter [${name}] not supported!`);
  }
  return options;
}

function readValueMode(place: Place): ValueMode {
  const text = readText(place);
  const mode = VALUE_MODES.find((known) => known === text.toLowerCase());
  if (mode !== undefined) return mode;
  throw illegalArgument(`Illegal sort mode: ${text}`);
}
