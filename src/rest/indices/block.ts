/** `PUT {index}/_block/{block}` and its DELETE: one setting of `index.blocks` by name. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument } from '../../base/errors.js';
import { IndicesDefaults, type IndicesParameters } from '../../cluster/names/indices-options.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { acknowledgedParameters, indicesOptionsParameters } from '../parameters.js';
import { idsOf, masterTimeoutMs, namedIndices } from './index-names.js';

const BLOCKS = ['metadata', 'read', 'read_only', 'write'];

const parameters = { ...acknowledgedParameters, ...indicesOptionsParameters } as const;

export const addBlockEndpoint = defineEndpoint({
  name: 'indices.add_block',
  action: 'indices:admin/block/add',
  methods: ['PUT'],
  paths: ['/{index}/_block/{block}'],
  parameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters: given, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(given, sentParameters);
    const indices = await changeBlock(context, { ...parts, parameters: given, value: 'true', timeoutMs });
    return answerValue({
      acknowledged: true,
      shards_acknowledged: true,
      indices: indices.map(({ name }) => ({ name, blocked: true })),
    });
  },
});

export const removeBlockEndpoint = defineEndpoint({
  name: 'indices.remove_block',
  action: 'indices:admin/block/remove',
  methods: ['DELETE'],
  paths: ['/{index}/_block/{block}'],
  parameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters: given, parts, sentParameters }, context) {
    const timeoutMs = masterTimeoutMs(given, sentParameters);
    const indices = await changeBlock(context, { ...parts, parameters: given, value: null, timeoutMs });
    return answerValue({ acknowledged: true, indices: indices.map(({ name }) => ({ name, unblocked: true })) });
  },
});

interface BlockChange {
  readonly index: string;
  readonly block: string;
  readonly parameters: IndicesParameters;
  readonly value: string | null;
  readonly timeoutMs: number;
}

async function changeBlock(context: ActionContext, change: BlockChange): Promise<readonly IndexMetadata[]> {
  const { block, value, timeoutMs } = change;
  if (!BLOCKS.includes(block)) {
    throw illegalArgument(
      block === 'read_only_allow_delete'
        ? 'read_only_allow_delete block is for internal use only'
        : `No block found with name ${block}`,
    );
  }
  const indices = namedIndices(context, change.index, IndicesDefaults.change, change.parameters);
  const settings = { [`index.blocks.${block}`]: value };
  await context.coordinator.submit('update-index-settings', { indices: idsOf(indices), settings }, { timeoutMs });
  return indices;
}
