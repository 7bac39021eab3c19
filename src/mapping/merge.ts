/** An update into an existing mapping, under the API's update rules. */
import { illegalArgument } from '../base/errors.js';
import { checkMapping } from './limits.js';
import { mergeObjects } from './merge-fields.js';
import { renderMapping } from './render.js';
import { isIndexedRuntime } from './runtime.js';
import type { Mapping, MappingContext } from './types.js';
import { sameJson } from './values.js';

/**
 * The mapping with the update's fields added and its changes made. Returns `current` itself when nothing changes.
 * Throws `illegal_argument_exception` when a change is not allowed or a limit of the index is exceeded.
 */
export function mergeMapping(current: Mapping, update: Mapping, context: MappingContext): Mapping {
  const { settings } = context;
  const rendered = renderMapping(current, settings);
  const { removedRuntime = [], ...added } = update;
  const isFirst = Object.keys(rendered).length === 0;
  const merged = isFirst ? added : mergeInto(withoutRuntime(current, removedRuntime), added, context);
  if (sameJson(renderMapping(merged, settings), rendered)) return current;
  checkMapping(merged, settings);
  return merged;
}

function mergeInto(current: Mapping, update: Mapping, context: MappingContext): Mapping {
  checkMetadataChanges(current, update);
  checkRuntimeChanges(current, update);
  return {
    ...current,
    ...withoutUndefined(update),
    root: mergeObjects(current.root, update.root, '', context),
    runtime: new Map([...current.runtime, ...update.runtime]),
    ...(current.source === undefined && update.source === undefined
      ? {}
      : { source: { ...current.source, ...update.source } }),
  };
}

function withoutRuntime(mapping: Mapping, names: readonly string[]): Mapping {
  const removed = new Set(names);
  for (const name of removed) {
    const field = mapping.runtime.get(name);
    if (field === undefined || !isIndexedRuntime(field)) continue;
    throw illegalArgument(
      `runtime field [${name}] cannot be removed: it has no script, so its values are in the index`,
    );
  }
  return { ...mapping, runtime: new Map([...mapping.runtime].filter(([name]) => !removed.has(name))) };
}

function withoutUndefined(mapping: Mapping): Partial<Mapping> {
  return Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== undefined));
}

function checkMetadataChanges(current: Mapping, update: Mapping): void {
  const refuse = (field: string, parameter: string, from: boolean, to: boolean | undefined): void => {
    if (to === undefined || to === from) return;
    throw illegalArgument(
      `Mapper for [${field}] conflicts with existing mapper:\n\tCannot update parameter [${parameter}] from [${from}] to [${to}]`,
    );
  };
  refuse('_source', 'enabled', current.source?.enabled ?? true, update.source?.enabled);
  refuse('_routing', 'required', current.routingRequired ?? false, update.routingRequired);
}

/** Fields without a script are known only for documents that come after them, so they come with a new mapping or from a document. */
function checkRuntimeChanges(current: Mapping, update: Mapping): void {
  for (const [name, field] of update.runtime) {
    if (!isIndexedRuntime(field)) continue;
    const existing = current.runtime.get(name);
    if (existing === undefined) {
      throw illegalArgument(`runtime field [${name}] cannot be added to a mapping that has fields already`);
    }
    if (existing.type !== field.type || existing.format !== field.format) {
      throw illegalArgument(`runtime field [${name}] cannot be changed`);
    }
  }
}
