/** `GET _cat/snapshots/{repository}`: no repository can be registered yet, so none of those named is there. */
import { QuarryError } from '../../base/errors.js';
import { isPattern } from '../../cluster/wildcard.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, splitList } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

const right = (aliases: string): { aliases: string; align: 'right' } => ({ aliases, align: 'right' });
const none = (): undefined => undefined;

const ID = column<never>('id', 'name of the snapshot', none, { aliases: 'id,snapshot' });
/** Known to tools of one kind alone. */
const REPOSITORY = column<never>('repository', 'where it is', none, { aliases: 're,repo' });

const REST: readonly Column<never>[] = [
  column('status', 'how far it is, or how it ended', none, { aliases: 's,status' }),
  column('start_epoch', 'when it began, in seconds since 1970', none, { aliases: 'ste,startEpoch' }),
  column('start_time', 'when it began, time of day', none, { aliases: 'sti,startTime' }),
  column('end_epoch', 'when it ended, in seconds since 1970', none, { aliases: 'ete,endEpoch' }),
  column('end_time', 'when it ended, time of day', none, { aliases: 'eti,endTime' }),
  column('duration', 'how long it took', none, right('dur,duration')),
  column('indices', 'indices in it', none, right('i,indices')),
  column('successful_shards', 'shards that are stored', none, right('ss')),
  column('failed_shards', 'shards that could not be stored', none, right('fs')),
  column('total_shards', 'shards', none, right('ts')),
  column('reason', 'why it failed', none, { aliases: 'r', isDefault: false }),
];

export const catSnapshotsEndpoint = defineEndpoint({
  name: 'cat.snapshots',
  methods: ['GET'],
  paths: ['/_cat/snapshots', '/_cat/snapshots/{repository}'],
  parameters: { ...catParameters, ignore_unavailable: booleanParameter(false) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parts, parameters } = request;
    const isOpensearch = context.settings.values['compatibility.distribution'] === 'opensearch';
    const columns = isOpensearch ? [ID, ...REST] : [ID, REPOSITORY, ...REST];
    return answerTable(columns, parameters, request.presentation, () => {
      const named = parts.repository === undefined ? [] : splitList(parts.repository);
      const missing = named.find((name) => name !== '_all' && !isPattern(name));
      if (missing === undefined) return [];
      throw new QuarryError('repository_missing_exception', `[${missing}] missing`);
    });
  },
});
