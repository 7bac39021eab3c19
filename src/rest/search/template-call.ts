/** What the endpoints of search templates share: from a template to the search that it makes. */
import { QuarryError } from '../../base/errors.js';
import type { RequestBody } from '../../search/body/place.js';
import {
  renderTemplate,
  type NamedTemplate,
  type TemplateRequest,
  type TemplateText,
} from '../../search/request/search-template.js';
import type { ActionContext } from '../../actions/context.js';
import { LineBody } from './msearch-lines.js';
import { readSearch, type ReadSearch, type SearchCall } from './search-call.js';

/** The body that the template makes; places in errors are those in its text. */
export function renderedBody({ template, params }: TemplateRequest): RequestBody {
  const text = renderTemplate(templateText(template), params);
  return new LineBody(new TextEncoder().encode(text), 1);
}

function templateText(template: NamedTemplate): TemplateText {
  if ('source' in template) return template;
  throw new QuarryError('resource_not_found_exception', `unable to find script [${template.id}] in cluster state`);
}

/** The search of a template; what the request says of explain and profile holds whatever the template says. */
export function readTemplatedSearch(
  request: TemplateRequest,
  call: Omit<SearchCall, 'body'>,
  context: ActionContext,
): ReadSearch {
  const read = readSearch({ ...call, body: renderedBody(request) }, context);
  if (request.explain) read.draft.explain = true;
  if (request.profile) read.draft.profile = true;
  return read;
}
