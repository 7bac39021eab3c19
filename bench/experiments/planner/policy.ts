/** The merge policy that an index with such settings has. */
import type { MergePolicy } from '../../../src/cluster/merge-policy.js';
import { parseBytes } from '../../../src/base/units.js';
import { at, type Json, type JsonObject } from '../../json.js';

const PREFIX = 'index.merge.policy';

/** Settings with dots or as objects; what they do not say is the engine's default (`src/cluster/settings/index-settings.ts`). */
export function policyOf(settings: JsonObject): MergePolicy {
  const value = (name: string, otherwise: string): string => {
    const found = settings[`${PREFIX}.${name}`] ?? at(settings, 'index', 'merge', 'policy', name) ?? otherwise;
    return textOf(found);
  };
  const bytes = (name: string, otherwise: string): number => parseBytes(value(name, otherwise), `${PREFIX}.${name}`);
  const number = (name: string, otherwise: string): number => Number(value(name, otherwise));
  return {
    floorSegmentBytes: bytes('floor_segment', '2mb'),
    maxMergedSegmentBytes: bytes('max_merged_segment', '5gb'),
    segmentsPerTier: number('segments_per_tier', '10'),
    maxMergeAtOnce: number('max_merge_at_once', '10'),
    deletesPctAllowed: number('deletes_pct_allowed', '20'),
    expungeDeletesAllowedPct: number('expunge_deletes_allowed', '10'),
  };
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
