/** Rules on a mapping as a whole: the limits of the index, and where `copy_to` and paths may lead. */
import { illegalArgument } from '../base/errors.js';
import { checkContexts } from './completion-contexts.js';
import { checkJoin } from './join.js';
import { isIndexedRuntime } from './runtime.js';
import type { Mapping, MappingSettings } from './types.js';
import { fieldsOf, findMapper, nestedAround, objectsOf } from './walk.js';

/** Throws `illegal_argument_exception`. */
export function checkMapping(mapping: Mapping, settings: MappingSettings): void {
  let count = mapping.runtime.size;
  const multiFields = new Set<string>();
  for (const { path, parent } of fieldsOf(mapping)) {
    count += 1;
    if (parent !== undefined) multiFields.add(path);
    checkNameLength(path, settings);
  }
  let nestedCount = 0;
  for (const { path, object } of objectsOf(mapping)) {
    count += 1;
    if (object.nested !== undefined) nestedCount += 1;
    checkNameLength(path, settings);
    checkDepth(path, settings);
  }
  if (count > settings.totalFieldsLimit) {
    throw illegalArgument(`Limit of total fields [${settings.totalFieldsLimit}] has been exceeded`);
  }
  if (nestedCount > settings.nestedFieldsLimit) {
    throw illegalArgument(`Limit of nested fields [${settings.nestedFieldsLimit}] has been exceeded`);
  }
  if (nestedCount > 0 && settings.isSorted) {
    throw illegalArgument('cannot have nested fields when index sort is activated');
  }
  checkCopies(mapping, multiFields);
  checkAliases(mapping);
  checkRuntime(mapping);
  checkJoin(mapping);
  checkContexts(mapping);
  checkPercolators(mapping);
}

/** Queries are held by the nested object that they are in, and by none around it. */
function checkPercolators(mapping: Mapping): void {
  for (const { path, field } of fieldsOf(mapping)) {
    if (field.type !== 'percolator') continue;
    const including = [...objectsOf(mapping)].find(({ path: outer, object: { nested } }) => {
      const isIncluded = nested?.includeInParent === true || nested?.includeInRoot === true;
      return isIncluded && path.startsWith(`${outer}.`);
    });
    if (including === undefined) continue;
    throw illegalArgument(
      `Field [${path}] of type [percolator] cannot be part of the nested object [${including.path}], which is included in others`,
    );
  }
}

/** An alias leads to a field of the mapping, and not to another alias. */
function checkAliases(mapping: Mapping): void {
  for (const { path, field } of fieldsOf(mapping)) {
    if (field.type !== 'alias') continue;
    const target = typeof field.parameters['path'] === 'string' ? field.parameters['path'] : '';
    const refuse = (why: string) =>
      illegalArgument(`Invalid [path] value [${target}] for field alias [${path}]: ${why}`);
    if (target === path) throw refuse('an alias cannot refer to itself.');
    const found = findMapper(mapping, target);
    if (found?.kind !== 'field') throw refuse('an alias must refer to an existing field in the mappings.');
    if (found.type === 'alias') throw refuse('an alias cannot refer to another alias.');
    const [own, its] = [nestedAround(mapping, path), nestedAround(mapping, target)];
    if (own !== its) {
      throw refuse(
        'an alias must have the same nested scope as its target. ' +
          (own === undefined ? 'The alias is not nested, ' : `The alias's nested scope is [${own}], `) +
          (its === undefined ? 'but the target is not nested.' : `but the target's nested scope is [${its}].`),
      );
    }
  }
}

function checkNameLength(path: string, settings: MappingSettings): void {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const limit = settings.fieldNameLengthLimit;
  if (name.length > limit)
    throw illegalArgument(`Field name [${name}] is longer than the limit of [${limit}] characters`);
}

/** Of an object. Throws `illegal_argument_exception`. */
export function checkDepth(path: string, settings: MappingSettings): void {
  const depth = path.split('.').length + 1;
  if (depth > settings.depthLimit) {
    throw illegalArgument(
      `Limit of mapping depth [${settings.depthLimit}] has been exceeded due to object field [${path}]`,
    );
  }
}

function checkCopies(mapping: Mapping, multiFields: ReadonlySet<string>): void {
  for (const { path, field, parent } of fieldsOf(mapping)) {
    if (field.copyTo.length > 0 && parent !== undefined) {
      throw illegalArgument(`[copy_to] may not be used to copy from a multi-field: [${path}]`);
    }
    for (const target of field.copyTo) {
      if (multiFields.has(target)) {
        throw illegalArgument(`[copy_to] may not be used to copy to a multi-field: [${target}]`);
      }
      if (findMapper(mapping, target)?.kind === 'object') {
        throw illegalArgument(`Cannot copy to field [${target}] since it is mapped as an object`);
      }
      checkNestedCopy(nestedAround(mapping, path), nestedAround(mapping, target));
    }
  }
}

/** Values of a nested object may go to it and to what is around it. */
function checkNestedCopy(source: string | undefined, target: string | undefined): void {
  if (target === undefined || source === target || source?.startsWith(`${target}.`) === true) return;
  throw illegalArgument(
    'Illegal combination of [copy_to] and [nested] mappings: [copy_to] may only copy data to the current nested document or ' +
      `any of its parents, however one [copy_to] directive is trying to copy data from nested object [${source ?? 'null'}] ` +
      `to [${target}]`,
  );
}

/** A runtime field that is indexed has its path to itself, like any other. */
function checkRuntime(mapping: Mapping): void {
  for (const [path, field] of mapping.runtime) {
    // Others hide a field of their name.
    if (!isIndexedRuntime(field)) continue;
    if (findMapper(mapping, path) !== undefined) {
      throw illegalArgument(`runtime field [${path}] shadows a field or object of the mapping, which is not supported`);
    }
    const parts = path.split('.');
    for (let length = 1; length < parts.length; length += 1) {
      const around = parts.slice(0, length).join('.');
      if (mapping.runtime.has(around) || findMapper(mapping, around)?.kind === 'field') {
        throw illegalArgument(`runtime field [${path}] lies within the field [${around}], which is not an object`);
      }
    }
  }
}
