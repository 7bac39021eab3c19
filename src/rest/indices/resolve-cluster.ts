/** `GET _resolve/cluster/{name}`: which clusters hold what is named. There are no remote ones, so this one alone answers. */
import type { ActionContext } from '../../actions/context.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { IndicesDefaults, type IndicesParameters } from '../../cluster/names/indices-options.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { versionBlock } from '../info/compatibility.js';
import { booleanParameter, indicesOptionsParameters, timeParameter } from '../parameters.js';
import { indexNames, namedIndices } from './index-names.js';

export const resolveClusterEndpoint = defineEndpoint({
  name: 'indices.resolve_cluster',
  action: 'indices:admin/resolve/cluster',
  methods: ['GET'],
  paths: ['/_resolve/cluster', '/_resolve/cluster/{name}'],
  parameters: {
    ...indicesOptionsParameters,
    // No index is held back from searches.
    ignore_throttled: booleanParameter(),
    // Nobody is waited for.
    timeout: timeParameter(),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { name } = request.parts;
    // Without a name remote clusters alone are told of.
    if (name === undefined) return answerValue({});
    refuseRemote(indexNames(name));
    const version = versionBlock(context.settings, context.node.version);
    return answerValue({
      '(local)': {
        connected: true,
        skip_unavailable: false,
        ...matches(context, name, request.parameters),
        version,
      },
    });
  },
});

function refuseRemote(names: readonly string[]): void {
  const remote = names.find((name) => name.includes(':') && !name.startsWith('<'));
  if (remote === undefined) return;
  const cluster = remote.slice(0, remote.indexOf(':'));
  throw new QuarryError('no_such_remote_cluster_exception', `no such remote cluster: [${cluster}]`);
}

function matches(context: ActionContext, name: string, parameters: IndicesParameters): JsonObject {
  try {
    const found = namedIndices(context, name, IndicesDefaults.expandOpen, parameters);
    return { matching_indices: found.length > 0 };
  } catch (error) {
    if (error instanceof QuarryError && error.type === 'index_not_found_exception') return { error: error.message };
    throw error;
  }
}
