/** From how long on a phase of a search is slow for an index, for each level of the log. */
import type { LogLevel } from '../../base/logger.js';
import type { FlatSettings } from './flat-settings.js';
import { setting, valueOf, type SettingDefinition } from './registry.js';
import { timeKind } from './setting-kinds.js';

export type SearchPhase = 'query' | 'fetch';

/** The most severe first. */
const LEVELS = ['warn', 'info', 'debug', 'trace'] as const satisfies readonly LogLevel[];

interface Threshold {
  readonly level: LogLevel;
  readonly definition: SettingDefinition<number>;
}

function thresholdsOf(phase: SearchPhase): readonly Threshold[] {
  return LEVELS.map((level) => {
    const key = `index.search.slowlog.threshold.${phase}.${level}`;
    return { level, definition: setting(key, timeKind('-1ms'), '-1', 'dynamic') };
  });
}

const THRESHOLDS: Readonly<Record<SearchPhase, readonly Threshold[]>> = {
  query: thresholdsOf('query'),
  fetch: thresholdsOf('fetch'),
};

export const SLOW_LOG_SETTINGS: readonly SettingDefinition<unknown>[] = Object.values(THRESHOLDS)
  .flat()
  .map(({ definition }) => definition);

/** What is set, by settings: most indices have nothing. */
const known = new WeakMap<FlatSettings, Readonly<Record<SearchPhase, readonly (readonly [LogLevel, number])[]>>>();

/** The level at which a phase that took so long is told; undefined: not at all. */
export function slowLevel(settings: FlatSettings, phase: SearchPhase, timeMs: number): LogLevel | undefined {
  let set = known.get(settings);
  if (set === undefined) {
    set = { query: setThresholds(settings, 'query'), fetch: setThresholds(settings, 'fetch') };
    known.set(settings, set);
  }
  return set[phase].find(([, thresholdMs]) => timeMs >= thresholdMs)?.[0];
}

/** `-1` is never, `0` always. */
function setThresholds(settings: FlatSettings, phase: SearchPhase): readonly (readonly [LogLevel, number])[] {
  return THRESHOLDS[phase].flatMap(({ level, definition }) => {
    const thresholdMs = valueOf(definition, settings) ?? -1;
    return thresholdMs < 0 ? [] : [[level, thresholdMs] as const];
  });
}
