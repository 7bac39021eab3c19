/** Creation of an index by its first document, as `action.auto_create_index` allows. */
import { QuarryError } from '../../base/errors.js';
import { resolveDateMathName } from '../../cluster/date-math-name.js';
import { effectiveClusterSettings } from '../../cluster/effective-cluster-settings.js';
import { indexNotFound } from '../../cluster/index-expression.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import type { ClusterState } from '../../cluster/state.js';
import { matchingIndexTemplate } from '../../cluster/templates/compose.js';
import { patternMatcher } from '../../cluster/wildcard.js';
import type { ActionContext } from '../context.js';
import { whenPrimariesStarted } from './active-shards.js';

/** Creates the index unless it is there meanwhile; refuses with `index_not_found_exception` where it may not be. */
export async function createMissingIndex(context: ActionContext, expression: string, timeoutMs: number): Promise<void> {
  const name = resolveDateMathName(expression, context.clock.nowMs());
  checkAllowed(context.clusterState(), name);
  const defaults = new Map(Object.entries(context.settings.indexDefaults));
  const result = await context.coordinator.submit('create-index', { name, defaults, ifAbsent: true }, { timeoutMs });
  await whenPrimariesStarted(context, result.index, timeoutMs);
}

/** What a template says wins over the setting. That is `true`, `false`, or patterns of which the first that matches decides: `+logs-*,-*`. */
function checkAllowed(state: ClusterState, name: string): void {
  const refuse = (why: string): QuarryError => {
    const missing = indexNotFound(name);
    return new QuarryError(missing.type, `no such index [${name}] and ${why}`, { details: missing.details });
  };
  const template = matchingIndexTemplate(state, name, false);
  if (template?.template.allowAutoCreate === true) return;
  if (template?.template.allowAutoCreate === false) {
    throw refuse(`composable template [${template.name}] forbids index auto creation`);
  }
  const rule = valueOf(ClusterSettingDefinitions.autoCreateIndex, effectiveClusterSettings(state)) ?? 'true';
  if (rule === 'true') return;
  if (rule === 'false') throw refuse('[action.auto_create_index] is [false]');
  for (const pattern of rule.split(',').map((item) => item.trim())) {
    const isForbidden = pattern.startsWith('-');
    if (!patternMatcher(pattern.replace(/^[+-]/, ''))(name)) continue;
    if (isForbidden)
      throw refuse(`[action.auto_create_index] contains [${pattern}] which forbids automatic creation of the index`);
    return;
  }
  throw refuse(`[action.auto_create_index] ([${rule}]) doesn't match`);
}
