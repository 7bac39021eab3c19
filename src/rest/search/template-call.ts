/** What the endpoints of search templates share: from a template to the search that it makes. */
import type { ClusterState } from '../../cluster/state.js';
import type { RequestBody } from '../../search/body/place.js';
import { renderTemplate, type TemplateRequest } from '../../search/request/search-template.js';
import type { ActionContext } from '../../actions/context.js';
import { templateText } from '../../actions/searches/template-text.js';
import { LineBody } from './msearch-lines.js';
import { readSearch, type ReadSearch, type SearchCall } from './search-call.js';

/** The body that the template makes; places in errors are those in its text. */
export function renderedBody({ template, params }: TemplateRequest, state: ClusterState): RequestBody {
  const text = renderTemplate(templateText(template, state), params);
  return new LineBody(new TextEncoder().encode(text), 1);
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
