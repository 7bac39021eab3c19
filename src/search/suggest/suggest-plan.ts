/** A checked `suggest` object; the plans are as the kernels read them (`native-bindings/suggest/src/plan.rs`). */
import type { JsonObject } from '../../base/json-value.js';
import type { FetchPlan, LimitsPlan } from '../plan/search-plan.js';
import type { NamedTemplate, TemplateParams } from '../request/search-template.js';

export interface SpellPlan {
  readonly suggest_mode: 'missing' | 'popular' | 'always';
  readonly accuracy: number;
  readonly sort: 'score' | 'frequency';
  readonly string_distance: 'internal' | 'damerau_levenshtein' | 'levenshtein' | 'jaro_winkler' | 'ngram';
  readonly max_edits: number;
  readonly max_inspections: number;
  readonly max_term_freq: number;
  readonly prefix_length: number;
  readonly min_word_length: number;
  readonly min_doc_freq: number;
}

export interface TermPlan {
  readonly text: string;
  readonly field: string;
  readonly analyzer?: string;
  readonly shard_size: number;
  readonly spell: SpellPlan;
}

export interface GeneratorPlan {
  readonly field: string;
  readonly size: number;
  readonly pre_filter?: string;
  readonly post_filter?: string;
  readonly spell: SpellPlan;
}

export type SmoothingPlan =
  | { readonly stupid_backoff: { readonly discount: number } }
  | { readonly laplace: { readonly alpha: number } }
  | {
      readonly linear_interpolation: {
        readonly trigram_lambda: number;
        readonly bigram_lambda: number;
        readonly unigram_lambda: number;
      };
    };

export interface PhrasePlan {
  readonly text: string;
  readonly field: string;
  readonly analyzer?: string;
  readonly shard_size: number;
  readonly generators: readonly GeneratorPlan[];
  /** Of the generator where there is none. */
  readonly default_spell: SpellPlan;
  readonly smoothing: SmoothingPlan;
  readonly gram_size?: number;
  readonly real_word_error_likelihood: number;
  readonly confidence: number;
  readonly max_errors: number;
  readonly separator: string;
  readonly force_unigrams: boolean;
  readonly token_limit: number;
  /** Before and after corrected words. */
  readonly highlight?: readonly [string, string];
}

export type WantedPlan =
  | { readonly prefix: { readonly text: string } }
  | {
      readonly fuzzy: {
        readonly text: string;
        readonly edits: number;
        readonly transpositions: boolean;
        readonly min_length: number;
        readonly prefix_length: number;
        readonly unicode_aware: boolean;
      };
    }
  | {
      readonly regex: {
        readonly pattern: string;
        readonly flags: readonly string[];
        readonly max_determinized_states: number;
      };
    };

export interface CompletionPlan {
  readonly text: string;
  readonly field: string;
  readonly analyzer?: string;
  readonly size: number;
  readonly shard_size: number;
  readonly skip_duplicates: boolean;
  readonly wanted: WantedPlan;
  /** Values by name of the context, as the request has them. */
  readonly contexts?: JsonObject;
}

export type SuggesterPlan =
  { readonly term: TermPlan } | { readonly phrase: PhrasePlan } | { readonly completion: CompletionPlan };

/** What every shard gets. */
export interface SuggestPlan {
  readonly suggestions: readonly SuggesterPlan[];
  readonly fetch: FetchPlan;
  readonly now_ms: number;
  readonly limits: LimitsPlan;
}

/** Which phrases are worth suggesting: those for which a query finds something. */
export interface Collate {
  readonly template: NamedTemplate;
  readonly params: TemplateParams;
  /** Phrases without a match are kept, and marked. */
  readonly prune: boolean;
}

/** One of the request's suggestions. */
export interface Suggestion {
  readonly name: string;
  readonly plan: SuggesterPlan;
  /** Options of each entry. */
  readonly size: number;
  readonly collate?: Collate;
}
