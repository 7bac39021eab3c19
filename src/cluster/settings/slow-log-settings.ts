/** From how long on a phase of a search, or the indexing of a document, is slow for an index, for each level of the log. */
import { illegalArgument } from '../../base/errors.js';
import type { LogLevel } from '../../base/logger.js';
import type { FlatSettings } from './flat-settings.js';
import { setting, valueOf, type SettingDefinition } from './registry.js';
import { booleanKind, enumKind, timeKind, type SettingKind } from './setting-kinds.js';

export type SlowPhase = 'query' | 'fetch' | 'index';

/** The most severe first. */
const LEVELS = ['warn', 'info', 'debug', 'trace'] as const satisfies readonly LogLevel[];
type Level = (typeof LEVELS)[number];

const LOG_OF: Readonly<Record<SlowPhase, string>> = {
  query: 'index.search.slowlog',
  fetch: 'index.search.slowlog',
  index: 'index.indexing.slowlog',
};

interface Threshold {
  readonly level: Level;
  readonly definition: SettingDefinition<number>;
}

function thresholdsOf(phase: SlowPhase): readonly Threshold[] {
  return LEVELS.map((level) => {
    const key = `${LOG_OF[phase]}.threshold.${phase}.${level}`;
    return { level, definition: setting(key, timeKind('-1ms'), '-1', 'dynamic') };
  });
}

const THRESHOLDS: Readonly<Record<SlowPhase, readonly Threshold[]>> = {
  query: thresholdsOf('query'),
  fetch: thresholdsOf('fetch'),
  index: thresholdsOf('index'),
};

/** Less severe lines are left out. */
function levelOf(phase: SlowPhase): SettingDefinition<string> {
  const words = LEVELS.flatMap((level) => [level, level.toUpperCase()]);
  return setting(`${LOG_OF[phase]}.level`, enumKind(words), 'TRACE', 'dynamic');
}

const LEAST_SEVERE: Readonly<Record<SlowPhase, SettingDefinition<string>>> = {
  query: levelOf('query'),
  fetch: levelOf('fetch'),
  index: levelOf('index'),
};

/** Characters of the source that are shown: a number, `true` (all) or `false` (none). */
const sourceLengthKind: SettingKind<number> = {
  parse(value, key) {
    if (value === 'true') return Infinity;
    if (value === 'false') return 0;
    if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
    throw illegalArgument(`Failed to parse value [${String(value)}] for setting [${key}]`);
  },
};

const SOURCE = setting('index.indexing.slowlog.source', sourceLengthKind, '1000', 'dynamic');
const REFORMAT = setting('index.indexing.slowlog.reformat', booleanKind, 'true', 'dynamic');

/** Lines tell who asked. */
const INCLUDE_USER = {
  search: setting('index.search.slowlog.include.user', booleanKind, 'false', 'dynamic'),
  index: setting('index.indexing.slowlog.include.user', booleanKind, 'false', 'dynamic'),
};

export const SLOW_LOG_SETTINGS: readonly SettingDefinition<unknown>[] = [
  ...Object.values(THRESHOLDS)
    .flat()
    .map(({ definition }) => definition),
  LEAST_SEVERE.query,
  LEAST_SEVERE.index,
  SOURCE,
  REFORMAT,
  INCLUDE_USER.search,
  INCLUDE_USER.index,
];

type SetThresholds = Readonly<Record<SlowPhase, readonly (readonly [Level, number])[]>>;

/** What is set, by settings: most indices have nothing. */
const known = new WeakMap<FlatSettings, SetThresholds>();

/** The level at which a phase that took so long is told; undefined: not at all. */
export function slowLevel(settings: FlatSettings, phase: SlowPhase, timeMs: number): LogLevel | undefined {
  return thresholds(settings)[phase].find(([, thresholdMs]) => timeMs >= thresholdMs)?.[0];
}

/** The least time that is told of; undefined: none is. */
export function slowFromMs(settings: FlatSettings, phase: SlowPhase): number | undefined {
  const limits = thresholds(settings)[phase].map(([, thresholdMs]) => thresholdMs);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** How the source of a slow document is shown. */
export function slowSource(settings: FlatSettings): { readonly lengthMax: number; readonly reformat: boolean } {
  return { lengthMax: valueOf(SOURCE, settings) ?? 0, reformat: valueOf(REFORMAT, settings) ?? true };
}

export function includesUser(settings: FlatSettings, log: keyof typeof INCLUDE_USER): boolean {
  return valueOf(INCLUDE_USER[log], settings) ?? false;
}

function thresholds(settings: FlatSettings): SetThresholds {
  let set = known.get(settings);
  if (set === undefined) {
    set = {
      query: setThresholds(settings, 'query'),
      fetch: setThresholds(settings, 'fetch'),
      index: setThresholds(settings, 'index'),
    };
    known.set(settings, set);
  }
  return set;
}

/** `-1` is never, `0` always. */
function setThresholds(settings: FlatSettings, phase: SlowPhase): readonly (readonly [Level, number])[] {
  const least = (valueOf(LEAST_SEVERE[phase], settings) ?? 'TRACE').toLowerCase();
  const last = LEVELS.findIndex((level) => level === least);
  return THRESHOLDS[phase].slice(0, last + 1).flatMap(({ level, definition }) => {
    const thresholdMs = valueOf(definition, settings) ?? -1;
    return thresholdMs < 0 ? [] : [[level, thresholdMs] as const];
  });
}
