/** Which templates a name matches, and what they amount to together. */
import type { JsonObject } from '../../base/json-value.js';
import type { SettingsUpdate, SettingValue } from '../settings/flat-settings.js';
import type { AliasMetadata, ClusterState, DataStreamLifecycle } from '../state.js';
import { matchesAny } from '../names/wildcard.js';
import { mergeMappings, type FieldMerging } from './merge-mappings.js';
import type { IndexTemplate, LegacyTemplate, TemplateContent } from './types.js';

export type Templates = Pick<ClusterState, 'legacyTemplates' | 'indexTemplates' | 'componentTemplates'>;

export interface Named<Template> {
  readonly name: string;
  readonly template: Template;
}

/** What templates, and the request after them, give to an index. */
export interface Composition {
  readonly settings: SettingsUpdate;
  readonly mappings: JsonObject;
  readonly aliases: ReadonlyMap<string, AliasMetadata>;
  readonly lifecycle?: DataStreamLifecycle;
}

/** The one of the highest priority. A hidden index takes no template that matches every name. */
export function matchingIndexTemplate(
  templates: Templates,
  name: string,
  isHidden: boolean,
): Named<IndexTemplate> | undefined {
  const [best] = [...templates.indexTemplates]
    .map(([templateName, template]) => ({ name: templateName, template }))
    .filter(({ template }) => matchesName(template.indexPatterns, name, isHidden))
    .sort((left, right) => priorityOf(right.template) - priorityOf(left.template) || (left.name < right.name ? -1 : 1));
  return best;
}

/** All that match, the lowest order first: the later ones win. */
export function matchingLegacyTemplates(
  templates: Templates,
  name: string,
  isHidden: boolean,
): readonly Named<LegacyTemplate>[] {
  return [...templates.legacyTemplates]
    .map(([templateName, template]) => ({ name: templateName, template }))
    .filter(({ template }) => matchesName(template.indexPatterns, name, isHidden))
    .sort((left, right) => left.template.order - right.template.order || (left.name < right.name ? -1 : 1));
}

function matchesName(patterns: readonly string[], name: string, isHidden: boolean): boolean {
  return matchesAny(isHidden ? patterns.filter((pattern) => pattern !== '*') : patterns, name);
}

export function priorityOf(template: IndexTemplate): number {
  return template.priority ?? 0;
}

/** What an index template says with all its components, those that are missing left out. */
export function contentsOf(templates: Templates, template: IndexTemplate): readonly TemplateContent[] {
  const components = template.composedOf.flatMap((name) => {
    const component = templates.componentTemplates.get(name);
    return component === undefined ? [] : [component.template];
  });
  return template.template === undefined ? components : [...components, template.template];
}

/** What an index template and its components say of one setting; undefined where they say nothing. */
export function templateSetting(templates: Templates, template: IndexTemplate, key: string): SettingValue | undefined {
  const said = contentsOf(templates, template).findLast(({ settings }) => settings?.has(key) === true);
  return said?.settings?.get(key) ?? undefined;
}

/** The later ones win. */
export function compose(contents: readonly TemplateContent[], fields: FieldMerging): Composition {
  const settings = new Map<string, SettingValue | null>();
  const aliases = new Map<string, AliasMetadata>();
  for (const content of contents) {
    for (const [key, value] of content.settings ?? []) settings.set(key, value);
    for (const [alias, metadata] of content.aliases ?? []) aliases.set(alias, metadata);
  }
  const mappings = mergeMappings(
    contents.flatMap((content) => (content.mappings === undefined ? [] : [content.mappings])),
    fields,
  );
  const lifecycle = contents.findLast((content) => content.lifecycle !== undefined)?.lifecycle;
  return { settings, mappings, aliases, ...(lifecycle === undefined ? {} : { lifecycle }) };
}

/** What an index of this name gets, with what the request itself says on top. */
export function composeFor(templates: Templates, name: string, request: TemplateContent): Composition {
  const isHidden = request.settings?.get('index.hidden') === 'true';
  const template = matchingIndexTemplate(templates, name, isHidden);
  const composed =
    template === undefined
      ? compose([...matchingLegacyTemplates(templates, name, isHidden).map((each) => each.template), request], 'merge')
      : compose([...contentsOf(templates, template.template), request], 'replace');
  return withNames(composed, name, request.aliases);
}

/** `{index}` in the aliases of templates becomes the name. */
export function withNames(composed: Composition, name: string, own: TemplateContent['aliases']): Composition {
  const aliases = [...composed.aliases].map(
    ([alias, metadata]) => [own?.has(alias) === true ? alias : alias.replaceAll('{index}', name), metadata] as const,
  );
  return { ...composed, aliases: new Map(aliases) };
}
