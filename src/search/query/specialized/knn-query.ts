/** `knn`: the nearest vectors of each shard, as a query and, by the same members, beside the query of a search. */
import { illegalArgument } from '../../../base/errors.js';
import { VALUES_MAX } from '../../../mapping/dense-vector.js';
import { checkOversample } from '../../../mapping/vector-index-options.js';
import type { Place } from '../../body/place.js';
import { readInt, readNumber, readText } from '../../body/read.js';
import { CANDIDATES_MAX, type KnnPlan } from '../../plan/knn-plans.js';
import { CommonOptions, type Draft, type OptionReaders, type ParseQuery, type QueryParser } from '../query-parser.js';

const NAME = 'knn';
/** Members that the API knows and this server refuses by name. */
export const UNSUPPORTED_KNN_MEMBERS = ['query_vector_builder', 'visit_percentage'] as const;

/** Reads the members; those of `common` go to their own readers. */
export function readKnn(place: Place, common: OptionReaders, parseQuery: ParseQuery): KnnPlan {
  if (!place.isObject) throw place.error(`[${NAME}] malformed, expected [START_OBJECT] but found [${place.token}]`);
  const draft: Draft<KnnPlan> = {};
  const readers: OptionReaders = {
    ...common,
    field: (value) => void (draft.field = readText(value)),
    query_vector: (value) => void (draft.query_vector = readVector(value)),
    k: (value) => void (draft.k = readInt(value)),
    num_candidates: (value) => void (draft.num_candidates = readInt(value)),
    filter: (value) => void (draft.filter = value.items().map(parseQuery)),
    similarity: (value) => void (draft.similarity = readNumber(value)),
    rescore_vector: (value) => void (draft.oversample = readOversample(value)),
  };
  for (const [name, value] of place.members()) {
    if (UNSUPPORTED_KNN_MEMBERS.some((unsupported) => unsupported === name)) {
      throw value.error(`[${NAME}] does not support [${name}]`, 'illegal_argument_exception');
    }
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) throw value.errorWithPlace(`[${NAME}] unknown field [${name}]`);
    read(value);
  }
  const { field, query_vector, ...others } = draft;
  if (field === undefined) throw illegalArgument('Required [field]');
  if (query_vector === undefined) {
    throw illegalArgument('either [query_vector] or [query_vector_builder] must be provided');
  }
  checkKnnSizes(others);
  return { field, query_vector, ...others };
}

/** Throws what the API says of numbers that do not go together. */
export function checkKnnSizes({ k, num_candidates: candidates }: Pick<KnnPlan, 'k' | 'num_candidates'>): void {
  if (k !== undefined && k < 1) throw illegalArgument('[k] must be greater than 0');
  if (candidates === undefined) return;
  if (candidates < 1) throw illegalArgument('[num_candidates] must be greater than 0');
  if (candidates > CANDIDATES_MAX) throw illegalArgument(`[num_candidates] cannot exceed [${CANDIDATES_MAX}]`);
  if (k !== undefined && candidates < k) throw illegalArgument('[num_candidates] cannot be less than [k]');
}

export const knnQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const common = new CommonOptions(NAME);
    const plan = readKnn(place, common.readers, context.parseQuery);
    return common.named({ knn: { ...plan, ...common.boosted } });
  },
};

/** `rescore_vector`: how many times as many as are wanted are compared by their vectors, where these are quantised. */
function readOversample(place: Place): number {
  let oversample: number | undefined;
  for (const [name, value] of place.members()) {
    if (name !== 'oversample') throw value.errorWithPlace(`[rescore_vector] unknown field [${name}]`);
    oversample = checkOversample(readNumber(value));
  }
  if (oversample === undefined) throw illegalArgument('Required [oversample]');
  return oversample;
}

/** Numbers that fit 32 bits, or bytes as hexadecimal digits. */
function readVector(place: Place): readonly number[] {
  if (typeof place.value === 'string') return readDigits(place, place.value);
  const values: unknown = place.value;
  if (!Array.isArray(values) || values.length === 0) {
    throw place.error(`[${NAME}] [query_vector] must be an array of numbers`, 'illegal_argument_exception');
  }
  checkLength(values.length);
  const wrong = values.findIndex((value) => typeof value !== 'number' || !Number.isFinite(Math.fround(value)));
  if (wrong === -1) return values as readonly number[];
  throw (place.items()[wrong] ?? place).error(
    `[${NAME}] [query_vector] has no finite number at position [${wrong}]`,
    'illegal_argument_exception',
  );
}

function readDigits(place: Place, text: string): readonly number[] {
  if (!/^(?:[\da-f]{2})+$/i.test(text)) {
    throw place.errorWithPlace(`[${NAME}] failed to parse field [query_vector]: no pairs of hexadecimal digits`);
  }
  const bytes = new Int8Array(Buffer.from(text, 'hex'));
  checkLength(bytes.length);
  return [...bytes];
}

function checkLength(values: number): void {
  if (values <= VALUES_MAX) return;
  throw illegalArgument(`[query_vector] has [${values}] values, but may have [${VALUES_MAX}] at most`);
}
