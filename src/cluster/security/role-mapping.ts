/** Rules that give roles to users by what is known of them. Kept and shown in the API's own shape. */
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonScalar, type JsonValue } from '../../base/json-value.js';
import { LinearRegex } from '../../base/linear-regex.js';
import { matchesAny } from '../names/wildcard.js';
import { rolesOfTemplate } from './role-templates.js';
import type { MappingRule, RoleMapping } from './security-state.js';

/** What rules may ask of a user. */
export interface MappedUser {
  readonly username: string;
  readonly metadata: Readonly<Record<string, JsonValue | undefined>>;
  readonly realmName: string;
}

const NESTING_MAX = 32;
const RULES_MAX = 1_000;
const FIELDS = ['username', 'dn', 'groups', 'realm.name'];
const METADATA_PREFIX = 'metadata.';

/** Throws `parse_exception` for what is no rule, naming the place. */
export function parseMappingRule(value: JsonValue | undefined): MappingRule {
  let count = 0;
  const parse = (rule: JsonValue | undefined, place: string, depth: number, isExceptAllowed: boolean): MappingRule => {
    if (depth > NESTING_MAX) throw refuse(place, `rules are nested deeper than [${NESTING_MAX}]`);
    if (++count > RULES_MAX) throw refuse(place, `there are more than [${RULES_MAX}] rules`);
    if (!isJsonObject(rule)) throw refuse(place, 'expected an object');
    const [entry, ...more] = Object.entries(rule);
    if (entry === undefined) throw refuse(place, 'the object is empty');
    if (more.length > 0) throw refuse(place, 'expected an object with a single member');
    const [name, content] = entry;
    const inner = `${place}.${name}`;
    switch (name) {
      case 'any':
      case 'all': {
        if (!Array.isArray(content)) throw refuse(inner, 'expected a list');
        const rules = (content as readonly JsonValue[]).map((each, at) =>
          parse(each, `${inner}[${at}]`, depth + 1, name === 'all'),
        );
        return name === 'any' ? { any: rules } : { all: rules };
      }
      case 'except':
        if (!isExceptAllowed) throw refuse(inner, '[except] is only allowed within [all]');
        return { except: parse(content, inner, depth + 1, false) };
      case 'field':
        return { field: parseField(content, inner) };
      default:
        throw refuse(inner, 'expected one of [any, all, field, except]');
    }
  };
  return parse(value, 'rules', 1, false);
}

function parseField(content: JsonValue | undefined, place: string): Record<string, JsonScalar | readonly JsonScalar[]> {
  if (!isJsonObject(content)) throw refuse(place, 'expected an object');
  const entries = Object.entries(content);
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) throw refuse(place, 'expected an object with a single member');
  const [name, value] = entry;
  if (!FIELDS.includes(name) && !(name.startsWith(METADATA_PREFIX) && name.length > METADATA_PREFIX.length)) {
    throw refuse(`${place}.${name}`, `unknown field, expected one of [${FIELDS.join(', ')}, metadata.<name>]`);
  }
  const values = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  if (values.length > RULES_MAX) throw refuse(`${place}.${name}`, `there are more than [${RULES_MAX}] values`);
  for (const each of values) {
    if (each === undefined || (typeof each === 'object' && each !== null)) {
      throw refuse(`${place}.${name}`, 'expected a text, a number, a boolean, null or a list of such');
    }
    if (typeof each === 'string') textMatcher(each);
  }
  return { [name]: value as JsonScalar | readonly JsonScalar[] };
}

/** Names of the roles that enabled mappings give to the user. */
export function mappedRoles(mappings: ReadonlyMap<string, RoleMapping>, user: MappedUser): readonly string[] {
  const roles = new Set<string>();
  for (const { enabled, roles: given, roleTemplates = [], rules } of mappings.values()) {
    if (!enabled || !matchesRule(rules, user)) continue;
    for (const role of given) roles.add(role);
    for (const template of roleTemplates) for (const role of rolesOfTemplate(template, user)) roles.add(role);
  }
  return [...roles];
}

export function matchesRule(rule: MappingRule, user: MappedUser): boolean {
  if ('any' in rule) return rule.any.some((each) => matchesRule(each, user));
  if ('all' in rule) return rule.all.every((each) => matchesRule(each, user));
  if ('except' in rule) return !matchesRule(rule.except, user);
  return Object.entries(rule.field).every(([name, wanted]) => {
    const known = valuesOf(user, name);
    const choices = Array.isArray(wanted) ? (wanted as readonly JsonScalar[]) : [wanted as JsonScalar];
    return choices.some((choice) => matchesValue(choice, known));
  });
}

function matchesValue(wanted: JsonScalar, known: readonly JsonValue[]): boolean {
  if (wanted === null) return known.length === 0 || known.includes(null);
  if (typeof wanted !== 'string') return known.includes(wanted);
  const matches = textMatcher(wanted);
  return known.some((value) => typeof value === 'string' && matches(value));
}

/** Of realms that know neither, users have no `dn` and no `groups`. */
function valuesOf(user: MappedUser, field: string): readonly JsonValue[] {
  if (field === 'username') return [user.username];
  if (field === 'realm.name') return [user.realmName];
  if (!field.startsWith(METADATA_PREFIX)) return [];
  const name = field.slice(METADATA_PREFIX.length);
  const value = Object.hasOwn(user.metadata, name) ? user.metadata[name] : undefined;
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

/** `/text/` is a regular expression, and stars stand for any text. */
function textMatcher(pattern: string): (text: string) => boolean {
  if (pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/')) {
    const regex = new LinearRegex(`^(?:${pattern.slice(1, -1)})$`);
    return (text) => regex.test(text);
  }
  return (text) => matchesAny([pattern], text);
}

function refuse(place: string, why: string): QuarryError {
  return new QuarryError('parse_exception', `failed to parse [${place}]: ${why}`);
}
