/** What comes with the cluster (`cluster/stack/`) is put where it is missing, or older than this version's. */
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../settings/cluster-settings.js';
import { valueOf } from '../settings/registry.js';
import {
  STACK_COMPONENTS,
  STACK_INDEX_TEMPLATES,
  STACK_PIPELINES,
  STACK_POLICIES,
  STACK_VERSION,
} from '../stack/definitions.js';
import type { ClusterState } from '../state.js';
import { priorityOf } from '../templates/compose.js';
import { overlappingIndexTemplates, overlappingLegacyTemplates } from '../templates/overlaps.js';
import { parseComponentTemplate, parseIndexTemplate } from '../templates/parse-template.js';
import type { IndexTemplate } from '../templates/types.js';
import type { Change, ChangeEnvironment } from './change.js';
import { putLifecyclePolicy } from './lifecycle-policies.js';
import { putPipeline } from './put-pipeline.js';
import { putComponentTemplate, putIndexTemplate } from './put-templates.js';

export interface InstallStackResult {
  /** Index templates, parts and the like that were not put, and why. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

interface Installation {
  readonly name: string;
  readonly isNeeded: (state: ClusterState) => boolean;
  readonly put: (state: ClusterState, environment: ChangeEnvironment) => ClusterState;
}

/** Parts come before what names them. */
const INSTALLATIONS: readonly Installation[] = [
  ...Object.entries(STACK_POLICIES).map(([name, policy]): Installation => ({
    name,
    isNeeded: ({ lifecyclePolicies }) => !lifecyclePolicies.has(name),
    put: (state, environment) => putLifecyclePolicy(state, { name, policy }, environment).state,
  })),
  ...Object.entries(STACK_PIPELINES).map(([id, definition]): Installation => ({
    name: id,
    isNeeded: ({ pipelines }) => isNeeded(stampOfPipeline(pipelines.get(id)?.definition)),
    put: (state, environment) => putPipeline(state, { id, definition }, environment).state,
  })),
  ...Object.entries(STACK_COMPONENTS).map(([name, body]): Installation => ({
    name,
    isNeeded: ({ componentTemplates }) => isNeeded(componentTemplates.get(name)),
    put: (state, environment) => {
      const template = parseComponentTemplate(body);
      return putComponentTemplate(state, { name, template, create: false }, environment).state;
    },
  })),
  ...Object.entries(STACK_INDEX_TEMPLATES).map(([name, body]): Installation => ({
    name,
    isNeeded: ({ indexTemplates }) => isNeeded(indexTemplates.get(name)),
    put: (state, environment) => {
      const template = parseIndexTemplate(body);
      if (!state.indexTemplates.has(name)) refuseToTakeNames(state, name, template);
      return putIndexTemplate(state, { name, template, create: false }, environment).state;
    },
  })),
];

/** Whether something has to be put, as far as the settings let it. */
export function lacksStack(state: ClusterState): boolean {
  const { stackTemplatesEnabled } = ClusterSettingDefinitions;
  if (valueOf(stackTemplatesEnabled, effectiveClusterSettings(state)) !== true) return false;
  return INSTALLATIONS.some((each) => each.isNeeded(state));
}

/** What cannot be put is left out, and said so: the cluster works without it. */
export function installStack(
  state: ClusterState,
  _input: null,
  environment: ChangeEnvironment,
): Change<InstallStackResult> {
  if (!lacksStack(state)) return { state, result: { leftOut: [] } };
  const leftOut: { name: string; reason: string }[] = [];
  let next = state;
  for (const { name, isNeeded: isMissing, put } of INSTALLATIONS) {
    if (!isMissing(next)) continue;
    try {
      next = put(next, environment);
    } catch (error) {
      leftOut.push({ name, reason: asQuarryError(error).message });
    }
  }
  return { state: next, result: { leftOut } };
}

interface Stamp {
  readonly version?: number;
  readonly meta?: JsonObject;
}

/** What a user put under the name stays. */
function isNeeded(there: Stamp | undefined): boolean {
  if (there === undefined) return true;
  return there.meta?.['managed'] === true && there.version !== undefined && there.version < STACK_VERSION;
}

function stampOfPipeline(definition: JsonObject | undefined): Stamp | undefined {
  if (definition === undefined) return undefined;
  const { version, _meta: meta } = definition;
  return {
    ...(typeof version === 'number' ? { version } : {}),
    ...(isJsonObject(meta) ? { meta } : {}),
  };
}

/** In a cluster that had templates of its own before, names that they are for go on becoming what they became. */
function refuseToTakeNames(state: ClusterState, name: string, template: IndexTemplate): void {
  const priority = priorityOf(template);
  const losers = [
    ...overlappingLegacyTemplates(state, template.indexPatterns),
    ...overlappingIndexTemplates(state, template.indexPatterns, name).filter(
      (other) => priorityOf(other.template) <= priority,
    ),
  ];
  if (losers.length === 0) return;
  const names = losers.map((loser) => loser.name).join(', ');
  throw illegalArgument(`it would take names from the templates [${names}], whose priority is not above [${priority}]`);
}
