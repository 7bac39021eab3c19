/** Scripts outside a shard: settings and stored scripts of this process, compilation, runs over documents, `_execute`. */
import { must } from '../base/assert.js';
import type { Cancellation } from '../base/cancellation.js';
import type { QuarryError } from '../base/errors.js';
import { native } from './addon.js';
import { fromNative, guarded } from './errors.js';
import type { RawScriptOutcome } from './raw-addon.js';

/** What the kernels are told of `script.*` settings; see `ScriptSettings` in `native-bindings/script/src/cache.rs`. */
export interface NativeScriptSettings {
  readonly max_size_in_bytes: number;
  readonly cache_max_size: number;
  readonly cache_expire_ms: number;
  /** Compilations in milliseconds; null for unlimited. */
  readonly max_compilations: readonly [number, number] | null;
  /** Null for unlimited, 0 for disabled. */
  readonly regex_limit_factor: number | null;
  readonly allowed_contexts: readonly string[] | null;
  readonly allows_inline: boolean;
  readonly allows_stored: boolean;
}

/** Takes effect for all threads of the process. */
export function configureScripts(settings: NativeScriptSettings): void {
  guarded(() => {
    native().configureScripts(JSON.stringify(settings));
  });
}

/** The stored scripts that requests may name, for all threads of the process. */
export function setStoredScripts(scripts: Readonly<Record<string, { lang: string; source: string }>>): void {
  guarded(() => {
    native().setStoredScripts(JSON.stringify(scripts));
  });
}

export interface InlineScript {
  readonly source: string;
  /** Painless where absent. */
  readonly lang?: string;
}

/** Throws what is wrong with a script in a context, or that scripts within requests and definitions are not allowed. */
export function compileInlineScript({ lang = 'painless', source }: InlineScript, context: string): void {
  guarded(() => {
    native().compileScript(lang, source, context, true);
  });
}

/** Throws what is wrong with a script that is to be stored, in a context. */
export function compileStoredScript(lang: string, source: string, context: string): void {
  guarded(() => {
    native().compileScript(lang, source, context, false);
  });
}

/** Runs a script (JSON) of the context `painless_test`; its value as a text. */
export function executeScript(script: string): string {
  return guarded(() => native().executeScript(script));
}

/** A script as `readScript` of the room `search` reads it: `source` or the name of a stored one; `params` is JSON. */
export interface NativeScript {
  readonly source?: string;
  readonly stored_id?: string;
  readonly lang?: string;
  readonly params?: string;
}

/** Where a script sees `ctx`. One of `processor_conditional` answers and cannot change it; the others change it. */
export type DocumentScriptContext = 'ingest' | 'processor_conditional' | 'reindex' | 'update' | 'update_by_query';

export type ScriptOutcome =
  | { readonly ctx: string }
  | { readonly answer: boolean }
  /** Of this document: a `script_exception` with `script_stack` and `position`. */
  | { readonly error: QuarryError };

const DOCUMENTS_PER_CALL = 256;

/**
 * Runs a script over documents, once for each `ctx` (a JSON object as text, so that numbers stay as they were written); the
 * outcomes are in the same order. A script that is wrong in itself (it does not compile, is not stored, is not allowed) is thrown. The
 * thread's other work goes on between calls of the kernels.
 */
export async function runScripts(
  script: NativeScript,
  context: DocumentScriptContext,
  documents: readonly string[],
  cancellation: Cancellation,
): Promise<readonly ScriptOutcome[]> {
  const outcomes: ScriptOutcome[] = [];
  const spec = JSON.stringify(script);
  while (outcomes.length < documents.length) {
    if (outcomes.length > 0) await new Promise((resolve) => setImmediate(resolve));
    const rest = documents.slice(outcomes.length, outcomes.length + DOCUMENTS_PER_CALL);
    outcomes.push(...guarded(() => native().runScripts(spec, context, rest, cancellation.word).map(outcomeOf)));
  }
  return outcomes;
}

/** One run over one document, for callers that go on with what comes out of it. */
export function runScript(
  script: NativeScript,
  context: DocumentScriptContext,
  document: string,
  cancellation: Cancellation,
): ScriptOutcome {
  const outcomes = guarded(() => native().runScripts(JSON.stringify(script), context, [document], cancellation.word));
  return outcomeOf(must(outcomes[0], 'the outcome of a script'));
}

function outcomeOf({ ctx, answer, error }: RawScriptOutcome): ScriptOutcome {
  if (ctx !== undefined) return { ctx };
  return answer === undefined ? { error: fromNative(new Error(error)) } : { answer };
}

/** Counts of this process since it began. */
export interface ScriptStatistics {
  readonly compilations: number;
  readonly cache_evictions: number;
  readonly compilation_limit_triggered: number;
  readonly operation_limit_triggered: number;
  readonly allocation_limit_triggered: number;
  readonly depth_limit_triggered: number;
  readonly regex_limit_triggered: number;
}

/** What searches made of segments, kept for later ones. */
export interface SegmentCacheStatistics {
  readonly built: number;
  /** That were there from before. */
  readonly hits: number;
  /** For want of room. */
  readonly evictions: number;
  /** Of segments that are gone; missing where nothing goes with its segment. */
  readonly evictions_by_close?: number;
  readonly memory_size_in_bytes: number;
}

export interface AllScriptStatistics {
  readonly scripts: ScriptStatistics;
  /** Columns of fields that scripts compute. */
  readonly computed_fields: SegmentCacheStatistics;
  /** Numbers of terms over the segments of a shard. */
  readonly term_ordinals: SegmentCacheStatistics;
  /** Documents of each term of segments. */
  readonly term_counts: SegmentCacheStatistics;
  readonly term_hashes: SegmentCacheStatistics;
  /** Blocks of stored documents that were read of late. */
  readonly stored_blocks: SegmentCacheStatistics;
  /** Queries of percolator fields. */
  readonly stored_queries: SegmentCacheStatistics;
  /** The same, resolved against their mapping. */
  readonly resolved_queries: SegmentCacheStatistics;
  /** What they are found by, for each segment. */
  readonly stored_query_keys: SegmentCacheStatistics;
  /** Those that searches met, in short, for each segment. */
  readonly stored_query_tables: SegmentCacheStatistics;
  /** Plans of searches that came again in the same bytes, of all threads; their memory is that of these bytes. */
  readonly kept_plans: SegmentCacheStatistics;
  readonly request_breaker: RequestBreakerStatistics;
}

/** Memory that searches hold. */
export interface RequestBreakerStatistics {
  /** By those that run. */
  readonly reserved_bytes: number;
  /** For later ones. */
  readonly kept_bytes: number;
  /** Refused, by the parent breaker as well. */
  readonly tripped: number;
}

export function scriptStatistics(): AllScriptStatistics {
  return guarded(() => JSON.parse(native().scriptStatistics()) as AllScriptStatistics);
}

/** The patterns of grok, by their names. */
export function grokPatterns(): Readonly<Record<string, string>> {
  return guarded(() => JSON.parse(native().grokPatterns()) as Record<string, string>);
}

/** Names of the contexts and whether they take the language `expression`. */
export function scriptContexts(): readonly { readonly name: string; readonly expression: boolean }[] {
  return guarded(() => JSON.parse(native().scriptContexts()) as { name: string; expression: boolean }[]);
}
