/** The rules of analysis and scripts, as the native side that carries them out knows them. */
import type { NativeRules } from '../cluster/changes/change.js';
import { checkSimilarity, hasAnalyzer, validateAnalysis } from '../native/analysis.js';
import { compileInlineScript } from '../native/scripts.js';

export const nativeRules: NativeRules = {
  analysis: { validate: validateAnalysis, has: hasAnalyzer },
  scripts: { check: compileInlineScript, checkSimilarity },
};
