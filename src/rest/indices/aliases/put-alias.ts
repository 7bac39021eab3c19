/** `PUT {index}/_alias/{name}`. */
import { illegalArgument } from '../../../base/errors.js';
import { parseAlias } from '../../../cluster/aliases/alias-body.js';
import { resolveDateMathName } from '../../../cluster/names/date-math-name.js';
import { requireNames } from '../../../cluster/security/index-access.js';
import { answerAcknowledged } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { acknowledgedParameters } from '../../parameters.js';
import { additions, aliasHolders } from './alias-holders.js';
import { masterTimeoutMs } from '../index-names.js';

export const putAliasEndpoint = defineEndpoint({
  name: 'indices.put_alias',
  action: 'indices:admin/aliases',
  methods: ['PUT', 'POST'],
  paths: [
    '/{index}/_alias/{name}',
    '/{index}/_aliases/{name}',
    '/_alias/{name}',
    '/_alias',
    '/_aliases/{name}',
    '/{index}/_alias',
    '/{index}/_aliases',
  ],
  parameters: acknowledgedParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const { index: bodyIndex, alias: bodyAlias, ...body } = request.body.object() ?? {};
    const indexPart = bodyIndex ?? parts.index;
    const name = bodyAlias ?? parts.name;
    if (typeof indexPart !== 'string') throw illegalArgument('[index] is missing');
    if (typeof name !== 'string') throw illegalArgument('[alias] is missing');
    const alias = resolveDateMathName(name, context.clock.nowMs());
    const metadata = parseAlias(body, name);
    requireNames(context.clusterState(), [alias]);
    const actions = additions(context, aliasHolders(context, indexPart), indexPart, { alias, metadata });
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('update-aliases', { actions }, { timeoutMs });
    return answerAcknowledged();
  },
});
