/** What the scores of fields are computed by. */
import { illegalArgument } from '../base/errors.js';
import type { FieldMapping, MappingSettings } from './types.js';

/** How matches of a term score, as the native side reads it: `native-bindings/mapping/src/similarity.rs`. */
export type SimilaritySpec =
  | { readonly type: 'BM25'; readonly k1: number; readonly b: number }
  | { readonly type: 'boolean' }
  | {
      readonly type: 'DFR';
      readonly basic_model: string;
      readonly after_effect: string;
      readonly normalization: NormalizationSpec;
    }
  | { readonly type: 'DFI'; readonly independence_measure: string }
  | {
      readonly type: 'IB';
      readonly distribution: string;
      readonly lambda: string;
      readonly normalization: NormalizationSpec;
    }
  | { readonly type: 'LMDirichlet'; readonly mu: number }
  | { readonly type: 'LMJelinekMercer'; readonly lambda: number }
  | { readonly type: 'scripted'; readonly script: ScriptSpec; readonly weight_script: ScriptSpec | null };

export type NormalizationSpec =
  | { readonly type: 'no' }
  | { readonly type: 'h1' | 'h2' | 'h3'; readonly c: number }
  | { readonly type: 'z'; readonly z: number };

export interface ScriptSpec {
  readonly source?: string;
  readonly id?: string;
  readonly lang?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface Similarity {
  readonly spec: SimilaritySpec;
  /** Tokens at the position of another one do not count for the length of a text. */
  readonly discountOverlaps: boolean;
}

/** The name under which settings define the similarity of fields that name none. */
export const DEFAULT_SIMILARITY = 'default';

const BUILT_IN: ReadonlyMap<string, Similarity> = new Map([
  ['BM25', { spec: { type: 'BM25', k1: 1.2, b: 0.75 }, discountOverlaps: true }],
  ['boolean', { spec: { type: 'boolean' }, discountOverlaps: true }],
]);

/** One of the index's settings, or one that every index has. */
export function similarityNamed(name: string, settings: Pick<MappingSettings, 'similarities'>): Similarity | undefined {
  if (name === 'classic') throw classicIsGone();
  return settings.similarities.get(name) ?? BUILT_IN.get(name);
}

export function classicIsGone(): Error {
  return illegalArgument(
    'The [classic] similarity may not be used anymore. Please use the [BM25] similarity or build a custom [scripted] ' +
      'similarity instead.',
  );
}

/** The name that a field has for the similarity of its terms. */
export function similarityNameOf({ type, parameters }: FieldMapping): string | undefined {
  const name = parameters['similarity'];
  return type !== 'dense_vector' && typeof name === 'string' ? name : undefined;
}
