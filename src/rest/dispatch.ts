/** One request in a worker, from the wire to the wire. Never throws: what goes wrong becomes an error answer. */
import type { ActionContext } from '../actions/context.js';
import { unauthorized } from '../actions/security/authentication-errors.js';
import { asQuarryError } from '../base/error-wire.js';
import { ERROR_STATUS, type QuarryError } from '../base/errors.js';
import type { JsonObject } from '../base/json-value.js';
import type { NodeSettings } from '../base/node-settings.js';
import { named } from '../base/logger.js';
import { globalBlock } from '../cluster/blocks/global-blocks.js';
import { withSourcePlaces } from '../store/source-places.js';
import { answerValue, type RestAnswer } from './answer.js';
import { authorise } from './authorise.js';
import { blockLevelOf } from './block-levels.js';
import { DeprecationLog } from './deprecation-log.js';
import type { Distribution, Endpoint, Presentation } from './endpoint.js';
import { errorBody } from './error-body.js';
import { apiVersion } from './info/compatibility.js';
import { whenMasterIsKnown } from './master-reads.js';
import { checkVersions, type MediaType } from './media-type.js';
import { parameterHints } from './parameters.js';
import { present } from './present.js';
import { readAccept, readPresentation, readQuery, readRequest, takesGzip } from './request.js';
import { taskKind } from './tasks/task-kind.js';
import { OLDEST_API, tellsOfDocuments } from './typed-documents.js';
import type { WireAnswer, WireRequest, WireRoute } from './wire.js';

/** Of this thread. */
const deprecations = new DeprecationLog();

const PLAIN: Presentation = { format: undefined, pretty: false, human: false, filterPath: [], errorTrace: false };

/** The routes of all endpoints that a distribution has, for the front. */
export function wireRoutes(endpoints: readonly Endpoint[], of: Distribution): readonly WireRoute[] {
  return endpoints.flatMap((definition, endpoint) => {
    const { name, routes, pool, placement, distribution } = definition;
    if (distribution !== undefined && distribution !== of) return [];
    const shared = {
      pool,
      placement,
      ...taskKind(definition),
      parameters: parameterHints(definition.parameters).join(),
    };
    return routes.map(({ method, path }) => ({ endpoint, name, method, path, ...shared }));
  });
}

export async function dispatch(endpoint: Endpoint, wire: WireRequest, context: ActionContext): Promise<WireAnswer> {
  let presentation = PLAIN;
  let mediaType: MediaType | undefined;
  let answer: RestAnswer;
  try {
    const query = readQuery(wire);
    presentation = readPresentation(query, undefined);
    mediaType = readAccept(wire);
    presentation = readPresentation(query, mediaType);
    const bodyBytesMax = context.settings.values['http.max_content_length'];
    const { request, bodyType } = await readRequest(wire, endpoint, query, presentation, bodyBytesMax);
    checkVersions({ accepted: mediaType, body: bodyType }, wire.headers, apiVersion(context.settings));
    mediaType ??= bodyType;
    context.cancellation.throwIfCancelled();
    await whenMasterIsKnown(endpoint.name, request, context);
    refuseIfBlocked(endpoint, context);
    answer = await endpoint.handle(request, authorise(endpoint, request, context));
    const from = { endpoint: endpoint.name, opaqueId: wire.headers.opaqueId };
    deprecations.note(answer.headers, from, context.logger);
  } catch (thrown) {
    answer = errorAnswer(thrown, presentation, endpoint, context);
  }
  const gzip = takesGzip(wire, context.settings);
  try {
    const typed = wantsTypes(endpoint, mediaType, context.settings);
    return await present(answer, { presentation, mediaType, gzip, typed });
  } catch (thrown) {
    const choice = { presentation: PLAIN, mediaType: undefined, gzip, typed: false };
    return present(errorAnswer(thrown, PLAIN, endpoint, context), choice);
  }
}

/** Only the one product answers as its version 7 where it is asked to. */
export function wantsTypes({ name }: Endpoint, mediaType: MediaType | undefined, settings: NodeSettings): boolean {
  if (mediaType?.version !== OLDEST_API || !tellsOfDocuments(name)) return false;
  return settings.values['compatibility.distribution'] === 'elasticsearch';
}

function refuseIfBlocked({ name }: Endpoint, context: ActionContext): void {
  const level = blockLevelOf(name);
  const block = level === undefined ? undefined : globalBlock(context.clusterState(), context.node, level);
  if (block !== undefined) throw block;
}

function errorAnswer(
  thrown: unknown,
  presentation: Presentation,
  endpoint: Endpoint,
  context: ActionContext,
): RestAnswer {
  const error = requireCredentials(asQuarryError(thrown), context);
  if (error.status >= 500) {
    const stack = withSourcePlaces(error.stack ?? '');
    named(context.logger, 'rest').log('error', error.message, { endpoint: endpoint.name, type: error.type, stack });
  }
  const { status, body } = errorBody(error, presentation);
  const challenges = (error.details['header'] as JsonObject | undefined)?.['WWW-Authenticate'];
  return answerValue(body, status, Array.isArray(challenges) ? { 'WWW-Authenticate': challenges.join(', ') } : {});
}

/** Where it is set so, who came without credentials is asked for some instead of being refused. */
function requireCredentials(error: QuarryError, { subject, settings }: ActionContext): QuarryError {
  const isAnonymous = subject?.authenticationType === 'anonymous';
  const isDenied = error.type === 'security_exception' && error.status === ERROR_STATUS.security_exception;
  if (!isAnonymous || !isDenied || settings.values['security.anonymous.authz_exception']) return error;
  return unauthorized(error.message);
}
