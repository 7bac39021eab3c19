/** A closed set of settings: which keys exist, what they may be, when they may change. */
import { illegalArgument } from '../../base/errors.js';
import { similarity } from '../../base/suggest.js';
import type { FlatSettings, SettingValue } from './flat-settings.js';
import type { SettingKind } from './setting-kinds.js';

/**
 * When a setting may be changed.
 * - `dynamic`: at any time.
 * - `static`: at creation, or while the index is closed.
 * - `final`: at creation only.
 * - `private`: never by a user.
 */
export type SettingScope = 'dynamic' | 'static' | 'final' | 'private';

export type SettingOffer = 'full' | 'fixed' | 'ignored';

export interface SettingDefinition<T> {
  readonly key: string;
  readonly kind: SettingKind<T>;
  /** What is printed, and what holds, when the setting is absent; undefined prints nothing. */
  readonly fallback: SettingValue | undefined;
  readonly scope: SettingScope;
  /**
   * - `full`: has its effect.
   * - `fixed`: known and checked, but only its default is offered; another value is refused by name.
   * - `ignored`: deprecated; known, checked and kept, without an effect. Whoever sets it is told so.
   */
  readonly offer: SettingOffer;
}

/** Keys `<prefix><anything>`. */
export interface SettingGroup {
  readonly prefix: string;
  readonly scope: SettingScope;
  readonly check: (key: string, value: SettingValue) => void;
}

export interface SettingRegistry {
  /** The word for error sentences: `index` or `cluster`. */
  readonly settings: ReadonlyMap<string, SettingDefinition<unknown>>;
  readonly groups: readonly SettingGroup[];
}

export function setting<T>(
  key: string,
  kind: SettingKind<T>,
  fallback: SettingValue | undefined,
  scope: SettingScope,
  offer: SettingOffer = 'full',
): SettingDefinition<T> {
  return { key, kind, fallback, scope, offer };
}

export function registryOf(
  settings: readonly SettingDefinition<unknown>[],
  groups: readonly SettingGroup[],
): SettingRegistry {
  return { settings: new Map(settings.map((definition) => [definition.key, definition])), groups };
}

/** Undefined when no such setting exists. */
export function scopeOf(registry: SettingRegistry, key: string): SettingScope | undefined {
  return (registry.settings.get(key) ?? groupOf(registry, key))?.scope;
}

function groupOf(registry: SettingRegistry, key: string): SettingGroup | undefined {
  return registry.groups.find(({ prefix }) => key.startsWith(prefix) && key.length > prefix.length);
}

/** Refuses an unknown key, and a value that the setting cannot have. */
export function checkSetting(registry: SettingRegistry, key: string, value: SettingValue | null): void {
  const definition = registry.settings.get(key);
  const group = definition === undefined ? groupOf(registry, key) : undefined;
  if (definition === undefined && group === undefined) throw unknownSetting(registry, key);
  if (value === null) return;
  group?.check(key, value);
  if (definition === undefined) return;
  const parsed = definition.kind.parse(value, key);
  if (definition.offer === 'fixed' && !sameAsFallback(definition, parsed)) {
    throw illegalArgument(
      `setting [${key}] cannot be changed from its default [${String(definition.fallback ?? '')}] yet`,
    );
  }
}

function sameAsFallback(definition: SettingDefinition<unknown>, parsed: unknown): boolean {
  if (definition.fallback === undefined) return false;
  return JSON.stringify(parsed) === JSON.stringify(definition.kind.parse(definition.fallback, definition.key));
}

const NEAR_ENOUGH = 0.7;

function unknownSetting(registry: SettingRegistry, key: string): Error {
  const near = [...registry.settings.keys()]
    .map((name) => ({ name, score: similarity(key, name) }))
    .filter(({ score }) => score > NEAR_ENOUGH)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  if (near.length === 0) {
    return illegalArgument(
      `unknown setting [${key}] please check that any required plugins are installed, or check the breaking ` +
        'changes documentation for removed settings',
    );
  }
  return illegalArgument(
    `unknown setting [${key}] did you mean ${near.length === 1 ? '' : 'any of '}[${near.join(', ')}]?`,
  );
}

/** The value that holds: the one that is set, else the default. */
export function valueOf<T>(definition: SettingDefinition<T>, settings: FlatSettings): T | undefined {
  const value = settings.get(definition.key) ?? definition.fallback;
  return value === undefined ? undefined : definition.kind.parse(value, definition.key);
}

/** Defaults of everything that is not set. */
export function defaultsBeside(registry: SettingRegistry, settings: FlatSettings): FlatSettings {
  const defaults = new Map<string, SettingValue>();
  for (const { key, fallback } of registry.settings.values()) {
    if (fallback !== undefined && !settings.has(key)) defaults.set(key, fallback);
  }
  return defaults;
}
