/** The queries of roles: checked when a role is put, and made from templates for the user who asks. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { parseJsonBytes, stringifyJson } from '../../base/json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { compileTemplate } from '../../base/mustache.js';
import { Place } from '../../search/body/place.js';
import type { QueryPlan } from '../../search/plan/query-plan.js';
import { parseQuery } from '../../search/query/parse-query.js';
import { renderTemplate, type TemplateParams } from '../../search/request/search-template.js';
import { DEFAULT_SEARCH_SETTINGS } from '../../search/settings.js';
import type { Subject } from './subject.js';

/** Queries that ask for other documents, whoever may read these, and such as depend on what else is in an index. */
const REFUSED: Readonly<Record<string, string>> = {
  percolate: 'percolate query',
  has_child: 'has_child query',
  has_parent: 'has_parent query',
  knn: 'knn query',
};

/** The text that is kept of a query as a role has it. Throws `illegal_argument_exception` or `parsing_exception` for one that is none. */
export function roleQueryText(value: JsonValue): string {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  const query = objectOf(text);
  const template = templateIn(query);
  if (template === undefined) parsedRoleQuery(text);
  else compileTemplate(template.source);
  return text;
}

/** The plan of a query of a role for the subject: see {@link roleQueryText}. */
export function roleQueryFor(text: string, subject: Subject): QueryPlan {
  const template = templateIn(objectOf(text));
  if (template === undefined) return parsedRoleQuery(text);
  const { source, options, params } = template;
  const rendered = renderTemplate(
    { source, ...(options === undefined ? {} : { options }) },
    paramsFor(params, subject),
  );
  return parsedRoleQuery(rendered);
}

interface RoleTemplate {
  readonly source: string;
  readonly params: JsonObject;
  readonly options?: Readonly<Record<string, string>>;
}

function templateIn(query: JsonObject): RoleTemplate | undefined {
  const { template, ...others } = query;
  if (template === undefined) return undefined;
  const [more] = Object.keys(others);
  if (more !== undefined) throw illegalArgument(`unexpected field [${more}] beside [template]`);
  if (!isJsonObject(template)) throw illegalArgument('[template] must be an object');
  const { source, params = {}, lang = 'mustache', options, ...unknown } = template;
  if (unknown['id'] !== undefined) throw illegalArgument('[template.id]: stored templates are not supported');
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw illegalArgument(`unexpected field [template.${name}]`);
  if (lang !== 'mustache') throw illegalArgument('[template.lang] must be [mustache]');
  if (!isJsonObject(params)) throw illegalArgument('[template.params] must be an object');
  if (typeof source !== 'string' && !isJsonObject(source)) {
    throw illegalArgument('[template.source] must be a string or an object');
  }
  return {
    source: typeof source === 'string' ? source : stringifyJson(source),
    params,
    ...(options === undefined ? {} : { options: textsOf(options) }),
  };
}

function textsOf(options: JsonValue): Readonly<Record<string, string>> {
  const isFit = isJsonObject(options) && Object.values(options).every((each) => typeof each === 'string');
  if (isFit) return options as Readonly<Record<string, string>>;
  throw illegalArgument('[template.options] must be an object of strings');
}

/** `_user` is the user's, whatever the template says. */
function paramsFor(params: JsonObject, { username, fullName, email, roles, metadata }: Subject): TemplateParams {
  const user = { username, full_name: fullName, email, roles: [...roles], metadata };
  return { ...params, _user: user } as TemplateParams;
}

function objectOf(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseJsonBytes(new TextEncoder().encode(text));
  } catch (cause) {
    if (!(cause instanceof QuarryError)) throw cause;
    throw new QuarryError('parsing_exception', 'the query is not JSON', { cause });
  }
  if (isJsonObject(value)) return value;
  throw new QuarryError('parsing_exception', 'the query must be an object');
}

function parsedRoleQuery(text: string): QueryPlan {
  const query = objectOf(text);
  const place = Place.ofBody({ bytes: new TextEncoder().encode(text), object: () => query });
  return plainPart(parseQuery(place, DEFAULT_SEARCH_SETTINGS)) as QueryPlan;
}

/** Without names and inner hits, which are for who asks the query. Throws for a part that roles may not have. */
function plainPart(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainPart);
  const named: unknown = 'named' in value ? value.named : undefined;
  if (typeof named === 'object' && named !== null && 'query' in named) return plainPart(named.query);
  const members = Object.entries(value).filter(([name]) => name !== 'inner_hits');
  for (const [name, member] of members) refusePart(name, member);
  return Object.fromEntries(members.map(([name, member]) => [name, DOCUMENTS.has(name) ? member : plainPart(member)]));
}

/** Members with documents in them, whose members are no parts of the query. */
const DOCUMENTS: ReadonlySet<string> = new Set(['like_documents', 'unlike_documents']);

function refusePart(name: string, member: unknown): void {
  if (typeof member !== 'object' || member === null) {
    if (name === 'stored_id') throw notInRoles('a stored script');
    return;
  }
  const refused = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (refused !== undefined) throw notInRoles(refused);
  if (name === 'terms' && 'lookup' in member) throw notInRoles('terms query with terms lookup');
  if (name === 'geo_shape' && 'lookup' in member) throw notInRoles('geoshape query referring to indexed shapes');
  if (name !== 'more_like_this') return;
  const { like_documents: like, unlike_documents: unlike } = member as Readonly<Record<string, readonly object[]>>;
  const isLookedUp = [...(like ?? []), ...(unlike ?? [])].some((document) => 'id' in document);
  if (isLookedUp) throw notInRoles('more_like_this query with indexed documents');
}

function notInRoles(what: string): QuarryError {
  return illegalArgument(`${what} isn't supported as part of a role query`);
}
