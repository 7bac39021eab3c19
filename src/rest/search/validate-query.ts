/** `GET _validate/query`, `GET {index}/_validate/query`. */
import { commonSearchSettings } from '../../actions/searches/search-plans.js';
import { searchTargets, type SearchTarget } from '../../actions/searches/shards/search-targets.js';
import { validateQuery as carryOut, type ShardValidation } from '../../actions/searches/validate-query.js';
import { restrictionIn } from '../../actions/security/reading/guarded-shards.js';
import { refusedToReader } from '../../actions/security/reading/refusal.js';
import type { ActionContext } from '../../actions/context.js';
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { QueryCheckPlan } from '../../search/plan/search-plan.js';
import { parseQueryCheck } from '../../search/request/parse-query-check.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, indicesOptionsParameters } from '../parameters.js';
import { searchScope, uriQueryParameters } from './search-parameters.js';

export const validateQuery = defineEndpoint({
  name: 'indices.validate_query',
  action: 'indices:admin/validate/query',
  methods: ['GET', 'POST'],
  paths: ['/_validate/query', '/{index}/_validate/query'],
  parameters: {
    ...indicesOptionsParameters,
    ...uriQueryParameters,
    all_shards: booleanParameter(false),
    explain: booleanParameter(false),
    rewrite: booleanParameter(false),
  },
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    const nowMs = context.clock.nowMs();
    const state = context.clusterState();
    const scope = searchScope(parts.index, { ...given, preference: undefined, routing: undefined });
    const targets = searchTargets(state, scope, nowMs);
    const settings = commonSearchSettings(
      state,
      targets.map(({ index }) => index),
    );
    if (given.rewrite) refuseRewrite(targets, context);
    let plan: QueryCheckPlan;
    try {
      plan = parseQueryCheck(body.isEmpty ? undefined : body, given, { settings, nowMs });
    } catch (thrown) {
      const error = asQuarryError(thrown);
      if (error.status >= 500) throw error;
      return answerValue({ valid: false, ...(given.explain ? { error: detailed(error) } : {}) });
    }
    const validations = await carryOut({ plan, settings, targets, allShards: given.all_shards }, context);
    const isExplaining = given.explain || given.rewrite;
    return answerValue(render(validations, isExplaining, given.all_shards, distributionOf(context)));
  },
});

/** The terms that a pattern becomes may be those of documents that may not be read. */
function refuseRewrite(targets: readonly SearchTarget[], { shards }: ActionContext): void {
  if (targets.every(({ index }) => restrictionIn(shards, index.name)?.documents === undefined)) return;
  throw refusedToReader("Validate with rewrite isn't supported if document level security is enabled");
}

function distributionOf(context: ActionContext): 'elasticsearch' | 'opensearch' {
  return context.settings.values['compatibility.distribution'];
}

function render(
  validations: readonly ShardValidation[],
  isExplaining: boolean,
  allShards: boolean,
  distribution: 'elasticsearch' | 'opensearch',
): JsonObject {
  const total = validations.length;
  const explanations = validations.map(({ index, shard, outcome }): JsonObject => {
    const place = allShards ? { index, shard } : { index };
    if (outcome instanceof QuarryError) return { ...place, valid: false, error: `[${index}] ${detailed(outcome)}` };
    return { ...place, valid: true, explanation: explanationOf(outcome, distribution) };
  });
  return {
    _shards: { total, successful: total, failed: 0 },
    valid: validations.every(({ outcome }) => typeof outcome === 'string'),
    ...(isExplaining ? { explanations } : {}),
  };
}

/** What one of the distributions makes of a search for everything. */
function explanationOf(described: string, distribution: 'elasticsearch' | 'opensearch'): string {
  if (described !== '*:*' || distribution !== 'opensearch') return described;
  return 'ApproximateScoreQuery(originalQuery=*:*, approximationQuery=Approximate(*:*))';
}

/** `ParsingException[unknown query [x]]; nested: ..`: an error and what caused it in one line. */
function detailed(error: QuarryError): string {
  const own = `${className(error.type)}[${error.message}]`;
  if (error.cause === undefined) return `${own};`;
  return `${own}; nested: ${detailed(asQuarryError(error.cause))}`;
}

function className(type: string): string {
  return type.replaceAll(/(?:^|_)([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}
