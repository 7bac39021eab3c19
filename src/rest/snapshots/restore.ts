/** `POST _snapshot/{repository}/{snapshot}/_restore`. */
import type { Chosen, Renaming, RestoreRequest } from '../../actions/snapshots/restore-snapshot.js';
import { illegalArgument } from '../../base/errors.js';
import { IndicesDefaults, type IndicesOptions } from '../../cluster/names/indices-options.js';
import { flattenSettings, withIndexPrefix, type FlatSettings } from '../../cluster/settings/flat-settings.js';
import { answerValue } from '../answer.js';
import { defineEndpoint, type Distribution } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter } from '../parameters.js';
import { SnapshotBody } from './snapshot-body.js';
import { namedIn } from './snapshot.js';

const EVERY_INDEX: IndicesOptions = { ...IndicesDefaults.expandOpenAndClosed, expandHidden: true };

export const restoreSnapshotEndpoint = defineEndpoint({
  name: 'snapshot.restore',
  action: 'cluster:admin/snapshot/restore',
  methods: ['POST'],
  paths: ['/_snapshot/{repository}/{snapshot}/_restore'],
  parameters: { ...acknowledgedParameters, wait_for_completion: booleanParameter(false) },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parts, parameters, sentParameters, body }, context) {
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const asked = readRestore(
      new SnapshotBody('restore', body.object() ?? {}),
      context.settings.values['compatibility.distribution'],
    );
    const { repository, snapshot } = parts;
    const { restoreSnapshot, whenRestored } = await import('../../actions/snapshots/restore-snapshot.js');
    const begun = await restoreSnapshot(context, { ...asked, repository, snapshot }, timeoutMs);
    if (!parameters.wait_for_completion) return answerValue({ accepted: true });
    const shards = await whenRestored(context, begun);
    return answerValue({ snapshot: { snapshot, indices: begun.indices.map(({ name }) => name), shards } });
  },
});

type Asked = Omit<RestoreRequest, 'repository' | 'snapshot'>;

function readRestore(body: SnapshotBody, distribution: Distribution): Asked {
  const names = body.list('indices') ?? [];
  const options = body.indicesOptions(EVERY_INDEX);
  const storage = body.text('storage_type');
  const asked: Asked = {
    choose: (indices, dataStreams) => chosen(indices, dataStreams, names, options),
    renameIndices: renamingOf(body, 'rename_pattern', 'rename_replacement'),
    renameAliases: renamingOf(body, 'rename_alias_pattern', 'rename_alias_replacement'),
    includeAliases: body.flag('include_aliases', true),
    includeGlobalState: body.flag('include_global_state', false),
    featureStates: body.featureStates(distribution),
    partial: body.flag('partial', false),
    settings: readGivenSettings(body),
    ignoredSettings: readIgnoredSettings(body),
    mount: undefined,
  };
  body.refuseOthers();
  if (storage !== undefined && storage !== 'local') {
    throw illegalArgument(`storage_type [${storage}] is not supported: only [local] is`);
  }
  return asked;
}

function renamingOf(body: SnapshotBody, pattern: string, replacement: string): Renaming | undefined {
  const [from, to] = [body.text(pattern), body.text(replacement)];
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined) {
    throw illegalArgument(`[${pattern}] and [${replacement}] have to be given together`);
  }
  return { pattern: from, replacement: to };
}

/** `ignore_index_settings`: keys and patterns of keys. */
export function readIgnoredSettings(body: SnapshotBody): readonly string[] {
  return (body.list('ignore_index_settings') ?? []).map(prefixed);
}

/** `index_settings`, flat; those that are null stay as they are. */
export function readGivenSettings(body: SnapshotBody): FlatSettings {
  const flat = withIndexPrefix(flattenSettings(body.object('index_settings') ?? {}));
  return new Map([...flat].flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])));
}

function prefixed(key: string): string {
  return key.startsWith('index.') ? key : `index.${key}`;
}

/** A data stream comes with its indices; an index of one that is named alone comes without the stream. */
function chosen(
  indices: readonly string[],
  dataStreams: readonly string[],
  asked: readonly string[],
  options: IndicesOptions,
): Chosen {
  // A name of an index is none of a stream.
  const streams = namedIn(dataStreams, asked, { ...options, ignoreUnavailable: true });
  const others = asked.filter((name) => !dataStreams.includes(name) && !isExclusionIn(dataStreams, name));
  const areAllStreams = asked.length > 0 && others.length === 0;
  return { indices: areAllStreams ? [] : namedIn(indices, others, options), dataStreams: streams };
}

/** Of a stream by its name: there is no such index. */
function isExclusionIn(streams: readonly string[], expression: string): boolean {
  return expression.startsWith('-') && streams.includes(expression.slice(1));
}
