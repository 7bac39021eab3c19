/** Templates whose patterns reach the same names. */
import { illegalArgument } from '../../base/errors.js';
import { patternsOverlap } from '../names/wildcard.js';
import { priorityOf, type Named, type Templates } from './compose.js';
import type { IndexTemplate } from './types.js';

/** A template, and the names that it is for. */
export type PatternsOf = Named<{ readonly indexPatterns: readonly string[] }>;

export function overlappingLegacyTemplates(templates: Templates, patterns: readonly string[]): readonly PatternsOf[] {
  return overlapping(templates.legacyTemplates, patterns);
}

/** All but the one that is called `except`. */
export function overlappingIndexTemplates(
  templates: Templates,
  patterns: readonly string[],
  except?: string,
): readonly Named<IndexTemplate>[] {
  return overlapping(templates.indexTemplates, patterns).filter(({ name }) => name !== except);
}

function overlapping<Template extends { readonly indexPatterns: readonly string[] }>(
  templates: ReadonlyMap<string, Template>,
  patterns: readonly string[],
): readonly Named<Template>[] {
  return [...templates]
    .filter(([, { indexPatterns }]) => indexPatterns.some((own) => patterns.some((one) => patternsOverlap(own, one))))
    .map(([name, template]) => ({ name, template }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Of two templates of one priority nobody could say which is used. */
export function refuseSamePriority(templates: Templates, { name, template }: Named<IndexTemplate>): void {
  const priority = priorityOf(template);
  const same = overlappingIndexTemplates(templates, template.indexPatterns, name).filter(
    (other) => priorityOf(other.template) === priority,
  );
  if (same.length === 0) return;
  throw illegalArgument(
    `index template [${name}] has index patterns ${listed(template.indexPatterns)} matching patterns from existing ` +
      `templates [${namesOf(same)}] with patterns (${patternsOf(same)}) that have the same priority [${priority}], ` +
      'multiple index templates may not match during index creation, please use a different priority',
  );
}

/** What the user is told about older templates that the new one puts aside. */
export function olderTemplatesWarning(
  templates: Templates,
  { name, template }: Named<IndexTemplate>,
): string | undefined {
  const older = overlappingLegacyTemplates(templates, template.indexPatterns);
  if (older.length === 0) return undefined;
  return (
    `index template [${name}] has index patterns ${listed(template.indexPatterns)} matching patterns from existing ` +
    `older templates [${namesOf(older)}] with patterns (${patternsOf(older)}); this template [${name}] will take ` +
    'precedence during new index creation'
  );
}

/**
 * A legacy template that an index template puts aside is refused, unless it was there with the same patterns before or is meant
 * for all names: then it is only warned of.
 */
export function newerTemplatesWarning(
  templates: Templates,
  name: string,
  indexPatterns: readonly string[],
): string | undefined {
  const newer = overlappingIndexTemplates(templates, indexPatterns);
  if (newer.length === 0) return undefined;
  const start =
    `legacy template [${name}] has index patterns ${listed(indexPatterns)} matching patterns from existing composable ` +
    `templates [${namesOf(newer)}] with patterns (${patternsOf(newer)})`;
  const before = templates.legacyTemplates.get(name);
  const isUnchanged = JSON.stringify(before?.indexPatterns) === JSON.stringify(indexPatterns);
  if (isUnchanged || indexPatterns.includes('*')) {
    return `${start}; this template [${name}] may be ignored in favor of a composable template at index creation time`;
  }
  throw illegalArgument(`${start}, use composable templates (/_index_template) instead`);
}

function namesOf(templates: readonly PatternsOf[]): string {
  return templates.map(({ name }) => name).join(',');
}

function patternsOf(templates: readonly PatternsOf[]): string {
  return templates.map(({ name, template }) => `${name} => ${listed(template.indexPatterns)}`).join(',');
}

function listed(patterns: readonly string[]): string {
  return `[${patterns.join(', ')}]`;
}
