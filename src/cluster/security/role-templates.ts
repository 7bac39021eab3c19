/** Names of roles that role mappings make for each user. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { compileTemplate } from '../../base/mustache.js';
import type { MappedUser } from './role-mapping.js';
import type { RoleTemplate } from './security-state.js';

const TEMPLATES_MAX = 100;
/** Of one template. */
const ROLES_MAX = 1_000;

/** Throws for what is no list of templates, and for what a template cannot be. */
export function parseRoleTemplates(value: JsonValue | undefined): readonly RoleTemplate[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw failed('[role_templates] has to be a list');
  if (value.length > TEMPLATES_MAX) throw failed(`[role_templates] has more than [${TEMPLATES_MAX}] items`);
  return (value as readonly JsonValue[]).map((each, at) => parseTemplate(each, `role_templates[${at}]`));
}

function parseTemplate(value: JsonValue, place: string): RoleTemplate {
  if (!isJsonObject(value)) throw failed(`[${place}] has to be an object`);
  const { template, format = 'string', ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw failed(`unexpected field [${place}.${unknown}]`);
  if (format !== 'string' && format !== 'json') throw failed(`[${place}.format] has to be [string] or [json]`);
  const { source, params = {}, lang = 'mustache', ...more } = templateOf(template, place);
  if (more['id'] !== undefined) throw failed(`[${place}.template.id]: stored templates are not supported`);
  const [extra] = Object.keys(more).filter((name) => name !== 'options');
  if (extra !== undefined) throw failed(`unexpected field [${place}.template.${extra}]`);
  if (lang !== 'mustache') throw failed(`[${place}.template.lang] has to be [mustache]`);
  if (!isJsonObject(params)) throw failed(`[${place}.template.params] has to be an object`);
  if (typeof source !== 'string' && !isJsonObject(source)) {
    throw failed(`[${place}.template.source] has to be a string or an object`);
  }
  const text = asSource(typeof source === 'string' ? source : JSON.stringify(source));
  compileTemplate(text, FUNCTIONS);
  return { source: text, params, format };
}

/** An object, or the same as text. */
function templateOf(value: JsonValue | undefined, place: string): JsonObject {
  if (isJsonObject(value)) return value;
  try {
    const parsed: unknown = JSON.parse(typeof value === 'string' ? value : '');
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // Said below.
  }
  throw failed(`[${place}.template] has to be an object`);
}

/** The reference has the function under another name here. */
function asSource(text: string): string {
  return text.replaceAll(/\{\{([#/])\s*tojson\s*\}\}/gi, '{{$1toJson}}');
}

const FUNCTIONS = { functions: true } as const;

/** As the API shows it: the template as text. */
export function renderRoleTemplate({ source, params, format }: RoleTemplate): JsonObject {
  const parameters = Object.keys(params).length === 0 ? {} : { params };
  return { template: JSON.stringify({ source, ...parameters }), format };
}

/** The names that a template makes for the user; none where it makes no list of names, or fails. */
export function rolesOfTemplate({ source, params, format }: RoleTemplate, user: MappedUser): readonly string[] {
  const model: Readonly<Record<string, unknown>> = {
    ...params,
    username: user.username,
    dn: null,
    groups: [],
    metadata: user.metadata,
    realm: { name: user.realmName },
  };
  const lookup = (name: string): unknown => (Object.hasOwn(model, name) ? model[name] : undefined);
  try {
    const text = compileTemplate(source, FUNCTIONS).render(lookup);
    return (format === 'string' ? [text] : namesIn(text)).filter((name) => name !== '').slice(0, ROLES_MAX);
  } catch {
    return [];
  }
}

function namesIn(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === 'string');
}

function failed(why: string): QuarryError {
  return illegalArgument(`failed to parse role-mapping: ${why}`);
}
