/** `DELETE {index}/_alias/{name}`. */
import { QuarryError } from '../../../base/errors.js';
import { answerAcknowledged } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { acknowledgedParameters, splitList } from '../../parameters.js';
import { aliasHolders, removals } from './alias-holders.js';
import { masterTimeoutMs } from '../index-names.js';

export const deleteAliasEndpoint = defineEndpoint({
  name: 'indices.delete_alias',
  action: 'indices:admin/aliases',
  methods: ['DELETE'],
  paths: ['/{index}/_alias/{name}', '/{index}/_aliases/{name}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const names = splitList(parts.name);
    const actions = removals(context.clusterState(), aliasHolders(context, parts.index), names);
    if (actions.length === 0) throw aliasesMissing(names);
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('update-aliases', { actions }, { timeoutMs });
    return answerAcknowledged();
  },
});

export function aliasesMissing(names: readonly string[]): QuarryError {
  return new QuarryError('aliases_not_found_exception', `aliases [${names.join(', ')}] missing`, {
    details: { 'resource.type': 'aliases', 'resource.id': names.join(',') },
  });
}
