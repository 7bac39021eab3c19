/** What the mapping rules may ask about an index. */
import type { MappingContext } from '../../mapping/types.js';
import { analysisJson } from './analysis-settings.js';
import type { NativeRules } from '../changes/change.js';
import type { FlatSettings } from '../settings/flat-settings.js';
import { mappingSettings } from '../settings/index-values.js';

export function mappingContext(settings: FlatSettings, { analysis, scripts }: NativeRules): MappingContext {
  const json = analysisJson(settings);
  return {
    hasAnalyzer: (name) => analysis.has(json, name, 'analyzer'),
    hasNormalizer: (name) => analysis.has(json, name, 'normalizer'),
    checkScript: scripts.check,
    settings: mappingSettings({ settings }),
  };
}
