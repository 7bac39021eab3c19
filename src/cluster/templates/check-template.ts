/** Whether a template could make an index: said when the template is put, not when the first index fails. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { Mapping } from '../../mapping/types.js';
import { checkAliasFilter } from '../aliases/alias-filter.js';
import { checkByNativeRules } from '../mapping/analysis-settings.js';
import type { ChangeEnvironment } from '../changes/change.js';
import { checkRequested, checkWholeMapping, parseInitialMapping } from '../changes/indices/new-index.js';
import { checkStreamAlias } from '../data-streams/data-streams.js';
import { composeBackingIndex } from '../data-streams/stream-templates.js';
import { checkAliasName } from '../names/index-name.js';
import type { FlatSettings, SettingsUpdate, SettingValue } from '../settings/flat-settings.js';
import { checkIndexSettingsTogether } from '../settings/index-settings.js';
import { compose, contentsOf, type Composition, type Named, type Templates } from './compose.js';
import type { IndexTemplate } from './types.js';

const FORBIDDEN_IN_PATTERNS = ['\\', '/', '?', '"', '<', '>', '|'];

/** Throws `invalid_index_template_exception` with all that is wrong with the names. */
export function checkTemplateNames(name: string, indexPatterns: readonly string[]): void {
  const faults = [
    ...(name === '' ? ['name is missing'] : []),
    ...(name.includes(' ') ? ['name must not contain a space'] : []),
    ...(name.includes(',') ? ["name must not contain a ','"] : []),
    ...(name.includes('#') ? ["name must not contain a '#'"] : []),
    ...(name.includes('*') ? ["name must not contain a '*'"] : []),
    ...(name.startsWith('_') ? ["name must not start with '_'"] : []),
    ...(name === name.toLowerCase() ? [] : ['name must be lower cased']),
    ...indexPatterns.flatMap(faultsOfPattern),
  ];
  if (faults.length === 0) return;
  const list = faults.map((fault, at) => `${at + 1}: ${fault};`).join('');
  throw invalidTemplate(name, `Validation Failed: ${list}`);
}

function faultsOfPattern(pattern: string): readonly string[] {
  const place = `index_pattern [${pattern}]`;
  return [
    ...(pattern === '' ? ['index_patterns must not be empty'] : []),
    ...(pattern.includes(' ') ? [`${place} must not contain a space`] : []),
    ...(pattern.includes(',') ? [`${place} must not contain a ','`] : []),
    ...(pattern.includes('#') ? [`${place} must not contain a '#'`] : []),
    ...(pattern.includes(':') ? [`${place} must not contain a ':'`] : []),
    ...(pattern.startsWith('_') ? [`${place} must not start with '_'`] : []),
    ...(FORBIDDEN_IN_PATTERNS.some((character) => pattern.includes(character))
      ? [`${place} must not contain the following characters [${FORBIDDEN_IN_PATTERNS.join(', ')}]`]
      : []),
  ];
}

export function invalidTemplate(name: string, cause: string): QuarryError {
  return new QuarryError('invalid_index_template_exception', `index_template [${name}] invalid, cause [${cause}]`);
}

/** Throws what an index of this content would be refused for; it may be a part of one alone. Gives its mapping. */
export function checkComposition(composition: Composition, environment: ChangeEnvironment): Mapping {
  checkRequested(composition.settings);
  const settings = withoutNulls(composition.settings);
  checkIndexSettingsTogether(settings);
  checkByNativeRules(settings, environment);
  const mapping = parseInitialMapping(composition.mappings, settings, environment);
  checkAliasesOf(composition);
  return mapping;
}

function checkAliasesOf({ aliases }: Composition): void {
  for (const [alias, metadata] of aliases) {
    checkAliasName(alias.replaceAll('{index}', 'index'), () => false);
    checkAliasFilter(alias, metadata);
  }
}

/** As {@link checkComposition}, of all that an index gets; `name` stands for the index. */
export function checkWhole(composition: Composition, name: string, environment: ChangeEnvironment): Mapping {
  const mapping = checkComposition(composition, environment);
  checkWholeMapping(mapping, withoutNulls(composition.settings), name);
  return mapping;
}

export function withoutNulls(settings: SettingsUpdate): FlatSettings {
  const kept = new Map<string, SettingValue>();
  for (const [key, value] of settings) if (value !== null) kept.set(key, value);
  return kept;
}

/** Throws when components are missing, or when what they make together with the template cannot be. */
export function checkComposable(
  templates: Templates,
  { name, template }: Named<IndexTemplate>,
  environment: ChangeEnvironment,
): Composition {
  const mayBeMissing = new Set(template.ignoreMissing);
  const missing = template.composedOf.filter(
    (component) => !templates.componentTemplates.has(component) && !mayBeMissing.has(component),
  );
  if (missing.length > 0) {
    throw invalidTemplate(
      name,
      `index template [${name}] specifies component templates [${missing.join(', ')}] that do not exist`,
    );
  }
  const composition = compose(contentsOf(templates, template), 'replace');
  try {
    const isOfStreams = template.dataStream !== undefined;
    checkWhole(isOfStreams ? composeBackingIndex(templates, template, {}) : composition, name, environment);
    checkDataStreamContent(template, composition);
  } catch (cause) {
    if (!(cause instanceof QuarryError)) throw cause;
    const reason = `composable template [${name}] template after composition is invalid`;
    throw new QuarryError('illegal_argument_exception', reason, { cause });
  }
  return composition;
}

function checkDataStreamContent(template: IndexTemplate, composition: Composition): void {
  if (template.dataStream !== undefined) {
    checkTimestampField(composition);
    checkAliasesOf(composition);
    for (const metadata of composition.aliases.values()) checkStreamAlias(metadata);
  } else if (composition.lifecycle !== undefined) {
    throw illegalArgument('[template.lifecycle] is for templates of data streams, and this one has no [data_stream]');
  }
}

const TIMESTAMP_TYPES = ['date', 'date_nanos'];

/** What the template says of the field by which the documents of a data stream are ordered. */
function checkTimestampField({ mappings }: Composition): void {
  const properties = mappings['properties'] as
    Readonly<Record<string, { readonly type?: unknown } | undefined>> | undefined;
  const type = properties?.['@timestamp']?.type;
  if (type === undefined || TIMESTAMP_TYPES.some((known) => known === type)) return;
  throw illegalArgument(
    `the configured timestamp field [@timestamp] is of type [${typeof type === 'string' ? type : JSON.stringify(type)}], but [date,date_nanos] is expected`,
  );
}
