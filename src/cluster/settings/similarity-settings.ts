/** `index.similarity.<name>.*`: what scores of fields may be computed by, under the names that mappings use. */
import { QuarryError, illegalArgument } from '../../base/errors.js';
import {
  classicIsGone,
  type NormalizationSpec,
  type Similarity,
  type SimilaritySpec,
} from '../../mapping/similarity.js';
import type { FlatSettings, SettingValue } from './flat-settings.js';
import { SIMILARITY_PREFIX, SimilarityReader } from './similarity-reader.js';

const BASIC_MODELS = ['ine', 'in', 'g', 'if'];
const FORMER_BASIC_MODELS = ['be', 'd', 'p'];
const AFTER_EFFECTS = ['b', 'l'];
const FORMER_AFTER_EFFECTS = ['no'];
const INDEPENDENCE_MEASURES = ['standardized', 'saturated', 'chisquared'];
const DISTRIBUTIONS = ['ll', 'spl'];
const LAMBDAS = ['df', 'ttf'];
const NORMALIZATION = [
  'normalization',
  'normalization.h1.c',
  'normalization.h2.c',
  'normalization.h3.c',
  'normalization.z.z',
];
const DISCOUNT_OVERLAPS = 'discount_overlaps';

const isNotNegative = (value: number): boolean => value >= 0;

interface Kind {
  /** Settings besides `type`; one that ends in a dot stands for all that begin so. */
  readonly settings: readonly string[];
  readonly read: (own: SimilarityReader) => SimilaritySpec;
}

const KINDS: Readonly<Record<SimilaritySpec['type'], Kind>> = {
  BM25: {
    settings: ['k1', 'b', DISCOUNT_OVERLAPS],
    read: (own) => ({
      type: 'BM25',
      k1: own.number('k1', 1.2, isNotNegative, 'must be a non-negative finite value'),
      b: own.number('b', 0.75, (b) => b >= 0 && b <= 1, 'must be between 0 and 1'),
    }),
  },
  boolean: { settings: [], read: () => ({ type: 'boolean' }) },
  DFR: {
    settings: ['basic_model', 'after_effect', ...NORMALIZATION],
    read: (own) => ({
      type: 'DFR',
      basic_model: own.choice('basic_model', 'BasicModel', BASIC_MODELS, FORMER_BASIC_MODELS),
      after_effect: own.choice('after_effect', 'AfterEffect', AFTER_EFFECTS, FORMER_AFTER_EFFECTS),
      normalization: readNormalization(own),
    }),
  },
  DFI: {
    settings: ['independence_measure'],
    read: (own) => ({
      type: 'DFI',
      independence_measure: own.choice('independence_measure', 'IndependenceMeasure', INDEPENDENCE_MEASURES),
    }),
  },
  IB: {
    settings: ['distribution', 'lambda', ...NORMALIZATION],
    read: (own) => ({
      type: 'IB',
      distribution: own.choice('distribution', 'Distribution', DISTRIBUTIONS),
      lambda: own.choice('lambda', 'Lambda', LAMBDAS),
      normalization: readNormalization(own),
    }),
  },
  LMDirichlet: {
    settings: ['mu'],
    read: (own) => ({
      type: 'LMDirichlet',
      mu: own.number('mu', 2000, isNotNegative, 'must be a non-negative finite value'),
    }),
  },
  LMJelinekMercer: {
    settings: ['lambda'],
    read: (own) => ({
      type: 'LMJelinekMercer',
      lambda: own.number('lambda', 0.1, (part) => part > 0 && part <= 1, 'must be in the range (0 .. 1]'),
    }),
  },
  scripted: {
    settings: [DISCOUNT_OVERLAPS, 'script.', 'weight_script.'],
    read: (own) => ({
      type: 'scripted',
      script: own.script('script') ?? missingScript(own),
      weight_script: own.script('weight_script') ?? null,
    }),
  },
};

function missingScript(own: SimilarityReader): never {
  throw illegalArgument(
    `must specify either [source] for an inline script or [id] for a stored script in setting [${own.keyOf('script')}]`,
  );
}

function readNormalization(own: SimilarityReader): NormalizationSpec {
  const name = own.choice('normalization', 'Normalization', ['no', 'h1', 'h2', 'h3', 'z']);
  const c = (kind: string, fallback: number): number =>
    own.number(`normalization.${kind}.c`, fallback, isNotNegative, 'must be a non-negative finite value');
  switch (name) {
    case 'h1':
    case 'h2':
      return { type: name, c: c(name, 1) };
    case 'h3':
      return { type: name, c: c(name, 800) };
    case 'z': {
      const isInside = (z: number): boolean => z > 0 && z < 0.5;
      return { type: name, z: own.number('normalization.z.z', 0.3, isInside, 'must be in the range (0 .. 0.5)') };
    }
    default:
      return { type: 'no' };
  }
}

function readSimilarity(own: SimilarityReader): Similarity {
  const type = own.text('type');
  if (type === undefined) throw illegalArgument(`Similarity [${own.name}] must have an associated type`);
  if (type === 'classic') throw classicIsGone();
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type as SimilaritySpec['type']] : undefined;
  if (kind === undefined) throw illegalArgument(`Unknown Similarity type [${type}] for [${own.name}]`);
  own.refuseOthers(type, kind.settings);
  return { spec: kind.read(own), discountOverlaps: own.flag(DISCOUNT_OVERLAPS, true) };
}

const known = new WeakMap<FlatSettings, ReadonlyMap<string, Similarity>>();

/** By name. Throws what is wrong with one of them; scripts are checked by {@link scriptedSimilarities}. */
export function similaritiesOf(settings: FlatSettings): ReadonlyMap<string, Similarity> {
  let similarities = known.get(settings);
  if (similarities === undefined) {
    similarities = readSimilarities(settings);
    known.set(settings, similarities);
  }
  return similarities;
}

function readSimilarities(settings: FlatSettings): ReadonlyMap<string, Similarity> {
  const groups = new Map<string, Map<string, SettingValue>>();
  for (const [key, value] of settings) {
    if (!key.startsWith(SIMILARITY_PREFIX)) continue;
    const rest = key.slice(SIMILARITY_PREFIX.length);
    const dot = rest.indexOf('.');
    if (dot === -1) {
      throw new QuarryError(
        'settings_exception',
        `Failed to get setting group for [${SIMILARITY_PREFIX}] setting prefix and setting [${key}] because of a missing '.'`,
      );
    }
    const name = rest.slice(0, dot);
    if (name === 'classic' || Object.hasOwn(KINDS, name)) {
      throw illegalArgument(`illegal value for [${SIMILARITY_PREFIX}${name}] cannot redefine built-in similarity`);
    }
    const group = groups.get(name) ?? new Map<string, SettingValue>();
    groups.set(name, group.set(rest.slice(dot + 1), value));
  }
  return new Map([...groups].map(([name, values]) => [name, readSimilarity(new SimilarityReader(name, values))]));
}

/** Those whose scripts are still to be checked, as JSON. */
export function scriptedSimilarities(settings: FlatSettings): readonly string[] {
  const specs = [...similaritiesOf(settings).values()].map(({ spec }) => spec);
  return specs.filter(({ type }) => type === 'scripted').map((spec) => JSON.stringify(spec));
}
