/** `DELETE {index}/_alias/{name}`. */
import { QuarryError } from '../../base/errors.js';
import type { AliasAction } from '../../cluster/changes/update-aliases.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { answerAcknowledged } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { acknowledgedParameters, splitList } from '../parameters.js';
import { aliasSelector } from './alias-patterns.js';
import { masterTimeoutMs, namedIndices } from './index-names.js';
import { ALIASED } from './put-alias.js';

export const deleteAliasEndpoint = defineEndpoint({
  name: 'indices.delete_alias',
  methods: ['DELETE'],
  paths: ['/{index}/_alias/{name}', '/{index}/_aliases/{name}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const names = splitList(parts.name);
    const actions = removals(namedIndices(context, parts.index, ALIASED, {}), names);
    if (actions.length === 0) throw aliasesMissing(names);
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('update-aliases', { actions }, { timeoutMs });
    return answerAcknowledged();
  },
});

export function removals(indices: readonly IndexMetadata[], names: readonly string[]): readonly AliasAction[] {
  const wanted = aliasSelector(names);
  return indices.flatMap(({ name, uuid, aliases }) =>
    [...aliases.keys()].filter(wanted).map((alias) => ({ kind: 'remove', index: { name, uuid }, alias }) as const),
  );
}

export function aliasesMissing(names: readonly string[]): QuarryError {
  return new QuarryError('aliases_not_found_exception', `aliases [${names.join(', ')}] missing`, {
    details: { 'resource.type': 'aliases', 'resource.id': names.join(',') },
  });
}
