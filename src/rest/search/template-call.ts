/** What the endpoints of search templates share: from a template to the search that it makes. */
import { QuarryError, illegalArgument } from '../../base/errors.js';
import type { ClusterState } from '../../cluster/state.js';
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
export function renderedBody({ template, params }: TemplateRequest, state: ClusterState): RequestBody {
  const text = renderTemplate(templateText(template, state), params);
  return new LineBody(new TextEncoder().encode(text), 1);
}

function templateText(template: NamedTemplate, state: ClusterState): TemplateText {
  if ('source' in template) return template;
  const { id } = template;
  const stored = state.storedScripts.get(id);
  if (stored === undefined) {
    throw new QuarryError('resource_not_found_exception', `unable to find script [${id}] in cluster state`);
  }
  if (stored.lang === 'mustache') return stored;
  throw illegalArgument(`${stored.lang} does not know how to handle context [template]`);
}

/** The search of a template; what the request says of explain and profile holds whatever the template says. */
export function readTemplatedSearch(
  request: TemplateRequest,
  call: Omit<SearchCall, 'body'>,
  context: ActionContext,
): ReadSearch {
  const read = readSearch({ ...call, body: renderedBody(request, context.clusterState()) }, context);
  if (request.explain) read.draft.explain = true;
  if (request.profile) read.draft.profile = true;
  return read;
}
