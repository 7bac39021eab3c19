/** Templates: of an older kind, marked as deprecated, or such that what they make is not as they say. */
import { INDEX_SETTINGS } from '../settings/index-settings.js';
import type { FlatSettings, SettingsUpdate } from '../settings/flat-settings.js';
import type { ClusterState } from '../state.js';
import type { IndexTemplate } from '../templates/types.js';
import { critical, listed, warning, type Deprecation } from './entry.js';
import { settingsDeprecations } from './settings-checks.js';

/** By the name of the template; only those with something to tell. Names of component templates may be those of others. */
export function templateDeprecations(state: ClusterState): ReadonlyMap<string, readonly Deprecation[]> {
  const found = new Map<string, Deprecation[]>();
  const add = (name: string, entries: readonly Deprecation[]): void => {
    if (entries.length > 0) found.set(name, [...(found.get(name) ?? []), ...entries]);
  };
  for (const [name, template] of state.legacyTemplates) {
    add(name, [legacy(name), ...ofSettings(template.settings, `/_template/${name}`)]);
  }
  for (const [name, template] of state.indexTemplates) {
    const url = `/_index_template/${name}`;
    add(name, [...ofSettings(template.template?.settings, url), ...components(state, template, url)]);
  }
  for (const [name, { template }] of state.componentTemplates) {
    add(name, ofSettings(template.settings, `/_component_template/${name}`));
  }
  return found;
}

function legacy(name: string): Deprecation {
  return warning(
    'Legacy index templates are deprecated in favor of composable templates',
    `/_template/${name}`,
    `Put an index template in the place of the legacy template [${name}]`,
  );
}

function ofSettings(settings: SettingsUpdate | undefined, url: string): readonly Deprecation[] {
  if (settings === undefined) return [];
  const given: FlatSettings = new Map([...settings].flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
  return settingsDeprecations(INDEX_SETTINGS, given, url);
}

function components({ componentTemplates }: ClusterState, template: IndexTemplate, url: string): Deprecation[] {
  const { composedOf, ignoreMissing, deprecated } = template;
  const found: Deprecation[] = [];
  const missing = composedOf.filter((name) => !componentTemplates.has(name) && !ignoreMissing.includes(name));
  if (missing.length > 0) {
    const details = `Put the component templates ${listed(missing)}, or take them out of [composed_of]`;
    found.push(critical('Index template is composed of templates that do not exist', url, details));
  }
  const old = composedOf.filter((name) => componentTemplates.get(name)?.deprecated === true);
  if (old.length > 0 && deprecated !== true) {
    const details = `Its component templates ${listed(old)} are marked as deprecated`;
    found.push(warning('Index template uses deprecated component templates', url, details));
  }
  return found;
}
