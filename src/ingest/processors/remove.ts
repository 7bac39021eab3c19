/** `remove` and `remove_by_pattern`: fields that go, or all but those that stay. */
import { illegalArgument } from '../../base/errors.js';
import type { IngestDocument } from '../document/ingest-document.js';
import { isMetadata } from '../document/metadata.js';
import { printValue } from '../document/values.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { defineProcessor } from '../processor.js';
import { textTemplate, type TextTemplate } from '../templates.js';

export const remove = defineProcessor('remove', (options, { distribution }) => {
  const excluded = distribution === 'opensearch' ? 'exclude_field' : 'keep';
  const templates = (name: string): readonly TextTemplate[] | undefined =>
    options.optionalOneOrMoreTexts(name)?.map(textTemplate);
  const fields = templates('field');
  const kept = templates(excluded);
  const ignoreMissing = options.flag('ignore_missing');
  if (fields === undefined && kept === undefined) {
    if (distribution === 'elasticsearch') throw options.error('field', 'required property is missing');
    throw options.error(undefined, 'either field or exclude_field must be set');
  }
  if (fields !== undefined && kept !== undefined) {
    throw options.error(undefined, `ether field or ${excluded} can be set`);
  }
  return (document) => {
    if (kept === undefined) for (const field of fields ?? []) removeField(document, field(document), ignoreMissing);
    else
      keepOnly(
        document,
        kept.map((field) => field(document)),
      );
  };
});

export const removeByPattern = defineProcessor('remove_by_pattern', (options) => {
  const patterns = options.optionalOneOrMoreTexts('field_pattern');
  const excluded = options.optionalOneOrMoreTexts('exclude_field_pattern');
  if ((patterns === undefined) === (excluded === undefined)) {
    throw options.error('field_pattern', 'either field_pattern or exclude_field_pattern must be set');
  }
  return (document) => {
    for (const name of Object.keys(document.root)) {
      if (isMetadata(name)) continue;
      const goes = patterns === undefined ? !matchesAny(excluded ?? [], name) : matchesAny(patterns, name);
      if (goes) document.remove(name);
    }
  };
});

function removeField(document: IngestDocument, field: string, ignoreMissing: boolean): void {
  if (field === '' || !document.has(field)) {
    if (ignoreMissing) return;
    throw illegalArgument(field === '' ? 'field path cannot be null nor empty' : `field [${field}] doesn't exist`);
  }
  if (['_index', '_version', '_version_type'].includes(field)) {
    throw illegalArgument(`cannot remove metadata field [${field}]`);
  }
  const type = document.find('_version_type');
  if (field === '_id' && (type === 'external' || type === 'external_gte')) {
    const version = `version: ${printValue(document.find('_version'))}, version_type: ${type}`;
    throw illegalArgument(
      `cannot remove metadata field [_id] when specifying external version for the document, ${version}`,
    );
  }
  document.remove(field);
}

/** An object stays when something in it does. */
function keepOnly(document: IngestDocument, kept: readonly string[]): void {
  const isKept = (path: string): boolean => kept.some((keep) => keep === path || path.startsWith(`${keep}.`));
  const leadsToKept = (path: string): boolean => kept.some((keep) => keep.startsWith(`${path}.`));
  const prune = (path: string): void => {
    if (isKept(path)) return;
    if (!leadsToKept(path)) {
      document.remove(path);
      return;
    }
    const value = document.find(path);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const name of Object.keys(value)) prune(`${path}.${name}`);
    }
  };
  for (const name of Object.keys(document.root)) if (!isMetadata(name)) prune(name);
}
