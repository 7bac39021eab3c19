/** Highlights as the kernels read them (`native-bindings/plan/src/highlight.rs`). */
import type { QueryPlan } from './query-plan.js';

export interface HighlightPlan {
  readonly fields: readonly HighlightFieldPlan[];
  readonly max_analyzed_offset: number;
}

export interface HighlightFieldPlan {
  /** A name or a pattern. */
  readonly field: string;
  readonly kind: 'unified' | 'plain' | 'fvh';
  readonly pre_tags: readonly string[];
  readonly post_tags: readonly string[];
  readonly fragment_size: number;
  /** 0: the whole values. */
  readonly number_of_fragments: number;
  readonly by_score: boolean;
  readonly html: boolean;
  readonly require_field_match: boolean;
  readonly matched_fields?: readonly string[];
  readonly no_match_size: number;
  readonly query?: QueryPlan;
  readonly boundary: 'sentence' | 'word' | 'chars';
  readonly boundary_chars: string;
  readonly boundary_max_scan: number;
  readonly max_analyzer_offset?: number;
  readonly fragmenter: 'span' | 'simple';
  /** Of the fast vector highlighter: room before what was found, and how many words and phrases of a text are looked at. */
  readonly fragment_offset?: number;
  readonly phrase_limit?: number;
}
