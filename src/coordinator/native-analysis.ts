/** The rules of analysis, as the native side that carries analysis out knows them. */
import type { AnalysisRules } from '../cluster/changes/change.js';
import { hasAnalyzer, validateAnalysis } from '../native/analysis.js';

export const nativeAnalysisRules: AnalysisRules = { validate: validateAnalysis, has: hasAnalyzer };
