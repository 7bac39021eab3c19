/** Merging one field or object into another of the same name. */
import { illegalArgument } from '../base/errors.js';
import type { JsonObject, JsonValue } from '../base/json-value.js';
import { PARAMETERS } from './field-types.js';
import type { Parameter } from './parameters.js';
import type { FieldMapping, Mapper, MappingContext, ObjectMapping } from './types.js';
import { sameJson, show } from './values.js';

/** What of the context merging needs: defaults may depend on the index's settings. */
export type MergeContext = Pick<MappingContext, 'settings'>;

/** Throws `illegal_argument_exception` when the update may not be made. `path` is the full path of both. */
export function mergeMappers(current: Mapper, update: Mapper, path: string, context: MergeContext): Mapper {
  if (current.kind === 'object' && update.kind === 'object') return mergeObjects(current, update, path, context);
  if (current.kind === 'field' && update.kind === 'field') return mergeField(current, update, path, context);
  throw illegalArgument(`can't merge a non object mapping [${path}] with an object mapping`);
}

export function mergeObjects(
  current: ObjectMapping,
  update: ObjectMapping,
  path: string,
  context: MergeContext,
): ObjectMapping {
  const enabled = current.enabled ?? true;
  if (update.enabled !== undefined && update.enabled !== enabled) {
    throw illegalArgument(
      `the [enabled] parameter can't be updated for the object mapping [${path === '' ? '_doc' : path}]`,
    );
  }
  checkNested(current, update, path);
  const properties = new Map(current.properties);
  for (const [name, added] of update.properties) {
    const existing = properties.get(name);
    const childPath = path === '' ? name : `${path}.${name}`;
    properties.set(name, existing === undefined ? added : mergeMappers(existing, added, childPath, context));
  }
  const dynamic = update.dynamic ?? current.dynamic;
  return {
    kind: 'object',
    ...(current.nested === undefined ? {} : { nested: current.nested }),
    ...(dynamic === undefined ? {} : { dynamic }),
    ...(current.enabled === undefined ? {} : { enabled: current.enabled }),
    properties,
  };
}

function checkNested({ nested: current }: ObjectMapping, { nested: update }: ObjectMapping, path: string): void {
  if ((current === undefined) !== (update === undefined)) {
    throw illegalArgument(`can't merge a non-nested mapping [${path}] with a nested mapping`);
  }
  if (current?.includeInParent !== update?.includeInParent) {
    throw illegalArgument("the [include_in_parent] parameter can't be updated on a nested object mapping");
  }
  if (current?.includeInRoot !== update?.includeInRoot) {
    throw illegalArgument("the [include_in_root] parameter can't be updated on a nested object mapping");
  }
}

/** The update's parameters take the place of all of the current ones; only some may differ. */
function mergeField(current: FieldMapping, update: FieldMapping, path: string, context: MergeContext): FieldMapping {
  if (current.type !== update.type) {
    throw illegalArgument(`mapper [${path}] cannot be changed from type [${current.type}] to [${update.type}]`);
  }
  const conflicts = PARAMETERS[current.type].flatMap((parameter) =>
    findConflict(parameter, current, update, path, context),
  );
  if (conflicts.length > 0) {
    throw illegalArgument(`Mapper for [${path}] conflicts with existing mapper:\n\t${conflicts.join('\n\t')}`);
  }
  const fields = new Map(current.fields);
  for (const [name, added] of update.fields) {
    const existing = fields.get(name);
    fields.set(name, existing === undefined ? added : mergeField(existing, added, `${path}.${name}`, context));
  }
  return { kind: 'field', type: current.type, parameters: update.parameters, copyTo: update.copyTo, fields };
}

function findConflict(
  parameter: Parameter,
  current: FieldMapping,
  update: FieldMapping,
  path: string,
  context: MergeContext,
): readonly string[] {
  const from = effectiveValue(parameter, current.parameters, context);
  const to = effectiveValue(parameter, update.parameters, context);
  if (sameJson(from, to) || parameter.mayChange(from, to)) return [];
  if (parameter.conflicts !== undefined) return parameter.conflicts(from, to, path);
  return [`Cannot update parameter [${parameter.name}] from [${show(from)}] to [${show(to)}]`];
}

/** What was given, else the default. */
export function effectiveValue(parameter: Parameter, parameters: JsonObject, context: MergeContext): JsonValue {
  return parameters[parameter.name] ?? parameter.defaultValue(parameters, context.settings);
}
