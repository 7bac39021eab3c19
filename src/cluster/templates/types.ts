/** Templates: what new indices get that the request which makes them does not say. */
import type { JsonObject } from '../../base/json-value.js';
import type { SettingsUpdate } from '../settings/flat-settings.js';
import type { AliasMetadata, DataStreamLifecycle } from '../state.js';

/** What a template gives to an index. */
export interface TemplateContent {
  /** With `index.`; null takes away what a template before this one sets. */
  readonly settings?: SettingsUpdate;
  readonly mappings?: JsonObject;
  /** By alias name, in which `{index}` stands for the name of the index. */
  readonly aliases?: ReadonlyMap<string, AliasMetadata>;
  /** Of data streams alone. */
  readonly lifecycle?: DataStreamLifecycle;
}

/** A part of index templates. */
export interface ComponentTemplate {
  readonly template: TemplateContent;
  readonly version?: number;
  readonly meta?: JsonObject;
  readonly deprecated?: boolean;
}

/** Of those whose patterns match a new index, the one of the highest priority is used, alone. */
export interface IndexTemplate {
  readonly indexPatterns: readonly string[];
  /** Names of component templates; later ones win. */
  readonly composedOf: readonly string[];
  /** Those of them that may be missing. */
  readonly ignoreMissing: readonly string[];
  readonly priority?: number;
  readonly version?: number;
  readonly meta?: JsonObject;
  /** Wins over the components. */
  readonly template?: TemplateContent;
  /** Names that match are data streams. */
  readonly dataStream?: DataStreamTemplate;
  /** Wins over `action.auto_create_index`. */
  readonly allowAutoCreate?: boolean;
  readonly deprecated?: boolean;
}

export interface DataStreamTemplate {
  readonly hidden: boolean;
  readonly allowCustomRouting: boolean;
}

/** All whose patterns match a new index are used, the higher order winning, where no {@link IndexTemplate} matches. */
export interface LegacyTemplate {
  readonly indexPatterns: readonly string[];
  readonly order: number;
  readonly version?: number;
  readonly settings: SettingsUpdate;
  readonly mappings: JsonObject;
  readonly aliases: ReadonlyMap<string, AliasMetadata>;
}
