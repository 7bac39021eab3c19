/** Templates come, change and go. Every index template is valid at any moment: what would make one invalid is refused. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { ClusterState } from '../state.js';
import { checkComposable, checkComposition, checkTemplateNames, checkWhole } from '../templates/check-template.js';
import { compose, matchingIndexTemplate, type Named } from '../templates/compose.js';
import { newerTemplatesWarning, olderTemplatesWarning, refuseSamePriority } from '../templates/overlaps.js';
import type { ComponentTemplate, IndexTemplate, LegacyTemplate } from '../templates/types.js';
import { matchesAny } from '../names/wildcard.js';
import { nextState, type Change, type ChangeEnvironment } from './change.js';

export interface PutTemplateInput<Template> extends Named<Template> {
  /** One that is there already is an error. */
  readonly create: boolean;
}

export interface PutTemplateResult {
  /** What the user should know, though nothing is wrong. */
  readonly warning?: string;
}

export function putIndexTemplate(
  state: ClusterState,
  input: PutTemplateInput<IndexTemplate>,
  environment: ChangeEnvironment,
): Change<PutTemplateResult> {
  const { name, template } = input;
  if (input.create && state.indexTemplates.has(name)) {
    throw illegalArgument(`index template [${name}] already exists`);
  }
  checkTemplateNames(name, template.indexPatterns);
  refuseSamePriority(state, input);
  checkComposable(state, input, environment);
  const warning = olderTemplatesWarning(state, input);
  const result = warning === undefined ? {} : { warning };
  if (sameTemplate(state.indexTemplates.get(name), template)) return { state, result };
  const indexTemplates = new Map([...state.indexTemplates, [name, template]]);
  refuseToStrandStreams(state, { ...state, indexTemplates }, input);
  return { state: nextState(state, { indexTemplates }, environment), result };
}

/** A data stream without a template for data streams makes no next index, and may then take no writes. */
function refuseToStrandStreams(
  before: ClusterState,
  after: ClusterState,
  { name, template }: Named<IndexTemplate>,
): void {
  const hasTemplate = (state: ClusterState, stream: string): boolean =>
    matchingIndexTemplate(state, stream, false)?.template.dataStream !== undefined;
  const stranded = [...before.dataStreams.keys()].filter(
    (stream) => hasTemplate(before, stream) && !hasTemplate(after, stream),
  );
  if (stranded.length === 0) return;
  throw illegalArgument(
    `composable template [${name}] with index patterns [${template.indexPatterns.join(', ')}], priority ` +
      `[${template.priority ?? 'null'}] would cause data streams [${stranded.join(', ')}] to no longer match a data stream template`,
  );
}

export function putComponentTemplate(
  state: ClusterState,
  input: PutTemplateInput<ComponentTemplate>,
  environment: ChangeEnvironment,
): Change<PutTemplateResult> {
  const { name, template } = input;
  if (input.create && state.componentTemplates.has(name)) {
    throw illegalArgument(`component template [${name}] already exists`);
  }
  checkTemplateNames(name, []);
  checkComposition(compose([template.template], 'replace'), environment);
  if (sameTemplate(state.componentTemplates.get(name), template)) return { state, result: {} };
  const componentTemplates = new Map([...state.componentTemplates, [name, template]]);
  checkUsers({ ...state, componentTemplates }, name, environment);
  return { state: nextState(state, { componentTemplates }, environment), result: {} };
}

function checkUsers(state: ClusterState, component: string, environment: ChangeEnvironment): void {
  for (const [name, template] of state.indexTemplates) {
    if (!template.composedOf.includes(component)) continue;
    try {
      checkComposable(state, { name, template }, environment);
    } catch (cause) {
      if (!(cause instanceof QuarryError)) throw cause;
      throw new QuarryError(
        'illegal_argument_exception',
        `updating component template [${component}] results in invalid composable template [${name}] after templates are merged`,
        { cause },
      );
    }
  }
}

export function putLegacyTemplate(
  state: ClusterState,
  input: PutTemplateInput<LegacyTemplate>,
  environment: ChangeEnvironment,
): Change<PutTemplateResult> {
  const { name, template } = input;
  if (input.create && state.legacyTemplates.has(name)) {
    throw illegalArgument(`index_template [${name}] already exists`);
  }
  checkTemplateNames(name, template.indexPatterns);
  checkWhole(compose([template], 'merge'), name, environment);
  const warning = newerTemplatesWarning(state, name, template.indexPatterns);
  const result = warning === undefined ? {} : { warning };
  if (sameTemplate(state.legacyTemplates.get(name), template)) return { state, result };
  const legacyTemplates = new Map([...state.legacyTemplates, [name, template]]);
  return { state: nextState(state, { legacyTemplates }, environment), result };
}

export interface DeleteTemplatesInput {
  /** Or patterns. */
  readonly names: readonly string[];
}

export function deleteIndexTemplates(
  state: ClusterState,
  { names }: DeleteTemplatesInput,
  environment: ChangeEnvironment,
): Change<null> {
  const doomed = chosen(state.indexTemplates, names);
  if (doomed.size === 0) return { state, result: null };
  refuseUsedByStreams(state, doomed);
  const indexTemplates = without(state.indexTemplates, doomed);
  return { state: nextState(state, { indexTemplates }, environment), result: null };
}

/** A data stream makes its next index by its template: that of the highest priority. */
function refuseUsedByStreams(state: ClusterState, doomed: ReadonlySet<string>): void {
  const used = [...state.dataStreams.keys()].flatMap((stream) => {
    const template = matchingIndexTemplate(state, stream, false)?.name;
    return template !== undefined && doomed.has(template) ? [{ stream, template }] : [];
  });
  if (used.length === 0) return;
  const templates = [...new Set(used.map(({ template }) => template))].join(',');
  throw illegalArgument(
    `unable to remove composable templates [${templates}] as they are in use by a data streams ` +
      `[${used.map(({ stream }) => stream).join(',')}]`,
  );
}

export function deleteComponentTemplates(
  state: ClusterState,
  { names }: DeleteTemplatesInput,
  environment: ChangeEnvironment,
): Change<null> {
  const doomed = chosen(state.componentTemplates, names);
  if (doomed.size === 0) return { state, result: null };
  const users = [...state.indexTemplates].filter(([, { composedOf, ignoreMissing }]) =>
    composedOf.some((component) => doomed.has(component) && !ignoreMissing.includes(component)),
  );
  if (users.length > 0) {
    const used = [...doomed].filter((name) => users.some(([, { composedOf }]) => composedOf.includes(name)));
    throw illegalArgument(
      `component templates [${used.join(', ')}] cannot be removed as they are still in use by index templates ` +
        `[${users.map(([name]) => name).join(', ')}]`,
    );
  }
  const componentTemplates = without(state.componentTemplates, doomed);
  return { state: nextState(state, { componentTemplates }, environment), result: null };
}

export function deleteLegacyTemplates(
  state: ClusterState,
  { names }: DeleteTemplatesInput,
  environment: ChangeEnvironment,
): Change<null> {
  const doomed = chosen(state.legacyTemplates, names);
  if (doomed.size === 0) return { state, result: null };
  const legacyTemplates = without(state.legacyTemplates, doomed);
  return { state: nextState(state, { legacyTemplates }, environment), result: null };
}

/** Every name must reach one; `*` may reach none. */
function chosen(templates: ReadonlyMap<string, unknown>, names: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  for (const name of names) {
    const found = [...templates.keys()].filter((each) => matchesAny([name], each));
    if (found.length === 0 && name !== '*') {
      throw new QuarryError('index_template_missing_exception', `index_template [${name}] missing`);
    }
    for (const each of found) reached.add(each);
  }
  return reached;
}

function without<Template>(
  templates: ReadonlyMap<string, Template>,
  doomed: ReadonlySet<string>,
): Map<string, Template> {
  return new Map([...templates].filter(([name]) => !doomed.has(name)));
}

/** Putting what is there already changes nothing. */
function sameTemplate(before: unknown, after: unknown): boolean {
  return before !== undefined && comparable(before) === comparable(after);
}

function comparable(template: unknown): string {
  return JSON.stringify(template, (_key, value: unknown) =>
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : value,
  );
}
