/** Searches written as mustache templates: what a request says of one, and the text that comes of it. */
import { illegalArgument } from '../../base/errors.js';
import { stringifyJson, type ExactJsonValue } from '../../base/json.js';
import { compileTemplate, formEncoded, type TemplateOptions } from '../../base/mustache.js';
import type { Place } from '../body/place.js';
import { readBoolean, readText } from '../body/read.js';
import { validationFailure } from './combinations.js';

export interface TemplateRequest {
  readonly template: NamedTemplate;
  readonly params: TemplateParams;
  readonly explain: boolean;
  readonly profile: boolean;
}

/** Integers keep all their digits: a search for them finds nothing else. */
export type TemplateParams = Readonly<Record<string, ExactJsonValue>>;

export type NamedTemplate = { readonly source: string } | { readonly id: string };

/** A template as it is compiled. `options` are those of the stored script. */
export interface TemplateText {
  readonly source: string;
  readonly options?: Readonly<Record<string, string>>;
}

/** `parser` is how the API calls the object in errors; `pathId` names a stored template beside the body. */
export function readTemplateRequest(place: Place, parser: string, pathId?: string): TemplateRequest {
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] but found [${place.token}]`);
  let template: NamedTemplate | undefined = pathId === undefined ? undefined : { id: pathId };
  let params: TemplateParams = {};
  let [explain, profile] = [false, false];
  for (const [name, value] of place.members()) {
    if (name === 'id') template = { id: readText(value) };
    else if (name === 'source') template = { source: sourceText(value) };
    else if (name === 'params') params = readParams(value);
    else if (name === 'explain') explain = readBoolean(value);
    else if (name === 'profile') profile = readBoolean(value);
    else throw value.errorWithPlace(`[${parser}] unknown field [${name}]`);
  }
  if (template !== undefined && !Object.values(template).includes('')) return { template, params, explain, profile };
  const missing = template === undefined ? ["template's script type is missing"] : [];
  throw validationFailure(['template is missing', ...missing]);
}

/** A template as scripts are named: its text, the object that it makes, or an object that says where it is. */
export function readNamedTemplate(place: Place): NamedTemplate {
  const member = (name: string): Place | undefined => place.members().find(([key]) => key === name)?.[1];
  const [id, source] = [member('id'), member('source')];
  if (id !== undefined) return { id: readText(id) };
  return { source: sourceText(source ?? place) };
}

/** A template may be written as the object that it makes. */
function sourceText(place: Place): string {
  return place.isObject ? stringifyJson(place.exactValue()) : readText(place);
}

export function readParams(place: Place): TemplateParams {
  if (place.value === null) return {};
  if (place.isObject) return place.exactValue() as TemplateParams;
  throw place.errorWithPlace('[search_template] failed to parse field [params]');
}

/** How values are written into the text, by the template's media type. */
const ESCAPES: Readonly<Record<string, TemplateOptions>> = {
  'application/json': { escape: (text) => JSON.stringify(text).slice(1, -1) },
  'application/x-www-form-urlencoded': { escape: formEncoded },
  'text/plain': {},
};

/** Throws `illegal_argument_exception` for a template that does not compile, or makes too long a text. */
export function renderTemplate({ source, options }: TemplateText, params: TemplateParams): string {
  const mediaType = (options?.['content_type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
  const escape = Object.hasOwn(ESCAPES, mediaType) ? ESCAPES[mediaType] : undefined;
  if (escape === undefined) throw illegalArgument(`No encoder found for media type [${mediaType}]`);
  const template = compileTemplate(source, { ...escape, functions: true });
  return template.render((name) => (Object.hasOwn(params, name) ? params[name] : undefined));
}
