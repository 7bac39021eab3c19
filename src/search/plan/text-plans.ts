/** Plans of queries that compare documents or fields as a whole (`plan/text.rs` of the kernels, member for member). */
import type { JsonObject } from '../../base/json-value.js';
import type { Operator, WeightedField, ZeroTerms } from './query-plan.js';

export interface CombinedFieldsPlan {
  readonly query: string;
  readonly fields: readonly WeightedField[];
  readonly operator?: Operator;
  readonly minimum_should_match?: string;
  readonly zero_terms?: ZeroTerms;
  readonly synonym_phrases?: boolean;
  readonly boost?: number;
}

/** A document to compare with. `source` is filled in by `actions/searches/hits/fetch-lookups.ts` where an index holds it. */
export interface LikeDocumentPlan {
  readonly id?: string;
  readonly index?: string;
  /** For the fetch only. */
  readonly routing?: string;
  readonly source?: JsonObject;
  readonly fields?: readonly string[];
  /** Names of analyzers by field. */
  readonly analyzers?: Readonly<Record<string, string>>;
}

export interface MoreLikeThisPlan {
  readonly fields?: readonly string[];
  readonly like_texts: readonly string[];
  readonly like_documents: readonly LikeDocumentPlan[];
  readonly unlike_texts: readonly string[];
  readonly unlike_documents: readonly LikeDocumentPlan[];
  readonly max_query_terms: number;
  readonly min_term_freq: number;
  readonly min_doc_freq: number;
  readonly max_doc_freq: number;
  readonly min_word_length: number;
  readonly max_word_length: number;
  readonly stop_words: readonly string[];
  readonly analyzer?: string;
  readonly minimum_should_match: string;
  readonly boost_terms: number;
  readonly include: boolean;
  readonly fail_on_unsupported_field: boolean;
  readonly boost?: number;
}
