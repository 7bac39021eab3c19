/** The text of a template that a request names. */
import { QuarryError, illegalArgument } from '../../base/errors.js';
import type { ClusterState } from '../../cluster/state.js';
import type { NamedTemplate, TemplateText } from '../../search/request/search-template.js';

export function templateText(template: NamedTemplate, state: ClusterState): TemplateText {
  if ('source' in template) return template;
  const { id } = template;
  const stored = state.storedScripts.get(id);
  if (stored === undefined) {
    throw new QuarryError('resource_not_found_exception', `unable to find script [${id}] in cluster state`);
  }
  if (stored.lang === 'mustache') return stored;
  throw illegalArgument(`${stored.lang} does not know how to handle context [template]`);
}
