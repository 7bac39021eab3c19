/** Scripts outside a shard: settings and stored scripts of this process, compilation, `_execute`. */
import { native } from './addon.js';
import { guarded } from './errors.js';

/** What the kernels are told of `script.*` settings; see `ScriptSettings` in `kernels/src/script/cache.rs`. */
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

/** Throws what is wrong with a script in a context. */
export function compileScript(lang: string, source: string, context: string): void {
  guarded(() => {
    native().compileScript(lang, source, context);
  });
}

/** Runs a script (JSON) of the context `painless_test`; its value as a text. */
export function executeScript(script: string): string {
  return guarded(() => native().executeScript(script));
}

/** Names of the contexts and whether they take the language `expression`. */
export function scriptContexts(): readonly { readonly name: string; readonly expression: boolean }[] {
  return guarded(() => JSON.parse(native().scriptContexts()) as { name: string; expression: boolean }[]);
}
