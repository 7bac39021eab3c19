/** What the mapping tests share. */
import { QuarryError } from '../../src/base/errors.js';
import type { JsonObject } from '../../src/base/json-value.js';
import { mergeMapping } from '../../src/mapping/merge.js';
import { parseMapping } from '../../src/mapping/parse.js';
import {
  DEFAULT_MAPPING_SETTINGS,
  EMPTY_MAPPING,
  type Mapping,
  type MappingContext,
  type MappingSettings,
} from '../../src/mapping/types.js';

export function contextWith(settings: Partial<MappingSettings> = {}): MappingContext {
  return {
    hasAnalyzer: (name) => ['default', 'standard', 'english', 'whitespace'].includes(name),
    hasNormalizer: (name) => name === 'lowercase',
    checkScript: () => undefined,
    settings: { ...DEFAULT_MAPPING_SETTINGS, ...settings },
  };
}

/** A mapping as an index creation makes it. */
export function mappingOf(body: JsonObject, context: MappingContext = contextWith()): Mapping {
  return mergeMapping(EMPTY_MAPPING, parseMapping(body, context), context);
}

/** A mapping of one field `f`. */
export function fieldOf(definition: JsonObject, context?: MappingContext): Mapping {
  return mappingOf({ properties: { f: definition } }, context);
}

export function updated(current: Mapping, body: JsonObject, context: MappingContext = contextWith()): Mapping {
  return mergeMapping(current, parseMapping(body, context), context);
}

/** `type: reason` of the error that the function throws. */
export function refusalOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof QuarryError) return `${error.type}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was refused');
}
