/** `POST _cluster/reroute`: moves copies by hand, or has those tried again that failed too often. */
import type { JsonObject } from '../../base/json-value.js';
import type { RerouteExplanation } from '../../cluster/changes/copies/reroute-cluster.js';
import { renderDecision } from '../../cluster/explain/node-result.js';
import { parseRerouteCommands } from '../../cluster/allocation/reroute-command.js';
import { QuarryError } from '../../base/errors.js';
import { answerValue } from '../answer.js';
import { clusterUuidOf } from '../cluster-identity.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter, listParameter } from '../parameters.js';
import { knownMetrics, METRICS, type Metric } from './state.js';

/** Everything but the metadata, unless that is asked for: it is the largest part by far. */
const MOST_METRICS = METRICS.filter((metric) => metric !== 'metadata');

export const clusterRerouteEndpoint = defineEndpoint({
  name: 'cluster.reroute',
  action: 'cluster:admin/reroute',
  methods: ['POST'],
  paths: ['/_cluster/reroute'],
  parameters: {
    ...acknowledgedParameters,
    dry_run: booleanParameter(false),
    explain: booleanParameter(false),
    retry_failed: booleanParameter(false),
    metric: listParameter(),
  },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, sentParameters } = request;
    const { commands, ...others } = request.body.object() ?? {};
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
      throw new QuarryError('x_content_parse_exception', `[cluster_reroute] unknown field [${unknown}]`);
    }
    const metrics = parameters.metric === undefined ? MOST_METRICS : readRerouteMetrics(parameters.metric);
    const input = {
      commands: parseRerouteCommands(commands),
      dryRun: parameters.dry_run,
      explain: parameters.explain,
      retryFailed: parameters.retry_failed,
    };
    const { renderSections } = await import('./state-sections.js');
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const result = await context.coordinator.submit('reroute', input, { timeoutMs });
    const state = result.state ?? context.clusterState();
    const view = { state, indices: [...state.indices.values()], context, flat: false };
    return answerValue({
      acknowledged: true,
      ...(metrics === undefined
        ? {}
        : { state: { cluster_uuid: clusterUuidOf(state), ...renderSections(metrics, view) } }),
      ...(parameters.explain ? { explanations: result.explanations.map(renderExplanation) } : {}),
    });
  },
});

/** Undefined for an answer without the state. */
function readRerouteMetrics(names: readonly string[]): readonly Metric[] | undefined {
  return names.length === 1 && names[0] === 'none' ? undefined : knownMetrics(names);
}

function renderExplanation({ command, parameters, decisions }: RerouteExplanation): JsonObject {
  return { command, parameters, decisions: decisions.map(renderDecision) };
}
