/** `join` fields: which kinds of documents of an index are parents and children of each other. */
import { illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonValue } from '../base/json-value.js';
import { META, booleanParameter, type Parameter } from './parameters.js';
import type { FieldMapping, JoinRelation, Mapping } from './types.js';
import { entriesOf, mapperParsing, readString, readStrings } from './values.js';
import { fieldsOf } from './walk.js';

const RELATIONS: Parameter = {
  name: 'relations',
  defaultValue: () => ({}),
  read: (value, { field }) => {
    if (!isJsonObject(value)) throw mapperParsing(`[relations] must be a map type on field [${field}]`);
    const relations = Object.fromEntries(
      entriesOf(value).map(([parent, children]) => [parent, readChildren(children)]),
    );
    checkParents(field, relations);
    return relations;
  },
  mayChange: (from, to) => conflictsOf(asRelations(from), asRelations(to), '').length === 0,
  conflicts: (from, to, field) => conflictsOf(asRelations(from), asRelations(to), field),
  alwaysPrinted: true,
};

/** Numbers are given when they are needed and kept: whether that is done beforehand changes no answer. */
export const JOIN: readonly Parameter[] = [
  { ...booleanParameter('eager_global_ordinals', true, { updateable: true }), alwaysPrinted: true },
  RELATIONS,
  META,
];

/** One child is written without brackets. */
function readChildren(value: JsonValue): string | string[] {
  const children = [...new Set(Array.isArray(value) ? readStrings(value) : [readString(value)])];
  const [first, second] = children;
  return first !== undefined && second === undefined ? first : children;
}

function checkParents(field: string, relations: JsonValue): void {
  const seen = new Set<string>();
  const conflicts = asRelations(relations)
    .flatMap(({ children }) => children)
    .filter((child) => seen.size === seen.add(child).size)
    .map((child) => `[${child}] cannot have multiple parents`);
  if (conflicts.length === 0) return;
  throw illegalArgument(`invalid definition for join field [${field}]:\n[${conflicts.join(', ')}]`);
}

function asRelations(value: JsonValue): readonly JoinRelation[] {
  if (!isJsonObject(value)) return [];
  return entriesOf(value).map(([parent, children]) => ({ parent, children: readStrings(children) }));
}

/** Relations may be added, but documents are never cut off from those that they belong to. */
function conflictsOf(
  current: readonly JoinRelation[],
  update: readonly JoinRelation[],
  field: string,
): readonly string[] {
  const isParent = (name: string): boolean => current.some(({ parent }) => parent === name);
  const isChild = (name: string): boolean => current.some(({ children }) => children.includes(name));
  const removed = current.flatMap(({ parent, children }) => {
    const after = update.find((relation) => relation.parent === parent);
    if (after === undefined) return [`cannot remove parent [${parent}] in join field [${field}]`];
    const gone = children.filter((child) => !after.children.includes(child));
    return gone.map((child) => `cannot remove child [${child}] in join field [${field}]`);
  });
  const added = update
    .filter(({ parent }) => !isParent(parent))
    .flatMap(({ parent, children }) => [
      ...(isChild(parent) ? [`cannot create parent [${parent}] from an existing child`] : []),
      ...children.filter(isParent).map((child) => `cannot create child [${child}] from an existing parent`),
    ]);
  return [...removed, ...added];
}

export function relationsOf(field: FieldMapping): readonly JoinRelation[] {
  return asRelations(field.parameters['relations'] ?? {});
}

/** The field with the ids of the parents of a kind. */
export function joinIdField(join: string, parent: string): string {
  return `${join}#${parent}`;
}

/** Names of the join fields: an index may have one. */
export function joinFieldsOf(mapping: Mapping): readonly string[] {
  return [...fieldsOf(mapping)].filter(({ field }) => field.type === 'join').map(({ path }) => path);
}

export function checkJoin(mapping: Mapping): void {
  const names = joinFieldsOf(mapping);
  for (const { path, field } of fieldsOf(mapping)) {
    const [given] = [...(field.copyTo.length > 0 ? ['copy_to'] : []), ...(field.fields.size > 0 ? ['fields'] : [])];
    if (field.type !== 'join' || given === undefined) continue;
    throw mapperParsing(`unknown parameter [${given}] on mapper [${path}] of type [join]`);
  }
  for (const name of names.filter((path) => path.includes('.'))) {
    throw mapperParsing(`join field [${name}] cannot be added inside an object or in a multi-field`);
  }
  if (names.length <= 1) return;
  throw illegalArgument(`Only one [parent-join] field can be defined per index, got [${names.join(', ')}]`);
}
