/** What an index would get from templates, without making it. */
import { illegalArgument } from '../../base/errors.js';
import type { Change, ChangeEnvironment } from '../changes/change.js';
import { putIndexTemplate } from '../changes/put-templates.js';
import type { ClusterState } from '../state.js';
import { checkComposable } from './check-template.js';
import { matchingIndexTemplate, withNames, type Composition, type Named } from './compose.js';
import { overlappingIndexTemplates, overlappingLegacyTemplates, type PatternsOf } from './overlaps.js';
import type { IndexTemplate } from './types.js';

export interface SimulateTemplateInput {
  /** Of an index, or else of a template. */
  readonly index?: string;
  readonly template?: string;
  /** Taken as if it had been put, under the template's name if there is one. */
  readonly body?: IndexTemplate;
  readonly create: boolean;
}

export interface SimulatedTemplate {
  readonly composition: Composition;
  /** Templates that would have been used if the one that was did not exist. */
  readonly overlapping: readonly Pick<PatternsOf['template'] & { readonly name: string }, 'name' | 'indexPatterns'>[];
}

/** Null where nothing matches the name of the index. Changes nothing. */
export function simulateTemplate(
  state: ClusterState,
  input: SimulateTemplateInput,
  environment: ChangeEnvironment,
): Change<SimulatedTemplate | null> {
  const bodyName = input.template ?? `simulated_template_${environment.newUuid().toLowerCase().replace(/^_+/, '')}`;
  const templates =
    input.body === undefined
      ? state
      : putIndexTemplate(state, { name: bodyName, template: input.body, create: input.create }, environment).state;
  const used =
    input.index === undefined
      ? named(templates, input, bodyName)
      : matchingIndexTemplate(templates, input.index, false);
  if (used === undefined) return { state, result: null };
  const composition = withNames(checkComposable(templates, used, environment), input.index ?? '{index}', undefined);
  return { state, result: { composition, overlapping: overlapsOf(templates, used) } };
}

function named(templates: ClusterState, input: SimulateTemplateInput, bodyName: string): Named<IndexTemplate> {
  const name = input.body === undefined ? input.template : bodyName;
  const template = name === undefined ? undefined : templates.indexTemplates.get(name);
  if (name !== undefined && template !== undefined) return { name, template };
  if (name === undefined) throw illegalArgument('a template name or a template body is required');
  throw illegalArgument(`unable to simulate template [${name}] that does not exist`);
}

function overlapsOf(
  templates: ClusterState,
  { name, template }: Named<IndexTemplate>,
): SimulatedTemplate['overlapping'] {
  const { indexPatterns } = template;
  return [
    ...overlappingLegacyTemplates(templates, indexPatterns),
    ...overlappingIndexTemplates(templates, indexPatterns, name),
  ].map((other) => ({ name: other.name, indexPatterns: other.template.indexPatterns }));
}
