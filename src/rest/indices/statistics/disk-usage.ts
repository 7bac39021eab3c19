/** `POST {index}/_disk_usage`: which fields and structures take how much of the disk. */
import { broadcastEach, shardsHeader } from '../../../actions/indices/broadcast.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { formatBytes } from '../../../base/units.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import type { DiskUsage, FieldUsage } from '../../../native/searcher.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, indicesOptionsParameters } from '../../parameters.js';
import { namedIndices } from '../index-names.js';
import { openOnly } from '../maintenance/refresh.js';

export const diskUsageEndpoint = defineEndpoint({
  name: 'indices.disk_usage',
  action: 'indices:admin/analyze_disk_usage',
  methods: ['POST'],
  paths: ['/{index}/_disk_usage'],
  parameters: {
    ...indicesOptionsParameters,
    flush: booleanParameter(true),
    run_expensive_tasks: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts }, context) {
    if (!parameters.run_expensive_tasks) {
      throw illegalArgument(
        'analyzing the disk usage of an index is expensive and resource intensive, the parameter [run_expensive_tasks] ' +
          'must be set to [true] in order for the task to be performed',
      );
    }
    const indices = openOnly(namedIndices(context, parts.index, IndicesDefaults.expandOpenForbidClosed, parameters));
    const inputFor = (): { flush: boolean } => ({ flush: parameters.flush });
    const result = await broadcastEach(context, indices, 'disk-usage', inputFor, 'primaries');
    const entries = indices.flatMap(({ name }) => {
      const own = result.answers.filter(({ index }) => index.name === name).map(({ output }) => output);
      return own.length === 0 ? [] : [[name, renderIndex(own)] as const];
    });
    return answerValue({ _shards: shardsHeader(result), ...Object.fromEntries(entries) });
  },
});

const NOTHING: FieldUsage = { invertedIndex: 0, storedFields: 0, docValues: 0, norms: 0, knnVectors: 0 };

function renderIndex(shards: readonly DiskUsage[]): JsonObject {
  const fields = new Map<string, FieldUsage>();
  for (const usage of shards) {
    for (const [name, own] of Object.entries(usage.fields)) fields.set(name, sum(fields.get(name) ?? NOTHING, own));
  }
  const all = [...fields.values()].reduce(sum, NOTHING);
  const names = [...fields.keys()].sort();
  return {
    ...size(
      'store_size',
      shards.reduce((bytes, { storeBytes }) => bytes + storeBytes, 0),
    ),
    all_fields: renderUsage(all),
    fields: Object.fromEntries(names.map((name) => [name, renderUsage(fields.get(name) ?? NOTHING)])),
  };
}

function sum(left: FieldUsage, right: FieldUsage): FieldUsage {
  return {
    invertedIndex: left.invertedIndex + right.invertedIndex,
    storedFields: left.storedFields + right.storedFields,
    docValues: left.docValues + right.docValues,
    norms: left.norms + right.norms,
    knnVectors: left.knnVectors + right.knnVectors,
  };
}

/** There are no points: ranges read columns. Term vectors have no structures of their own. */
function renderUsage({ invertedIndex, storedFields, docValues, norms, knnVectors }: FieldUsage): JsonObject {
  return {
    ...size('total', invertedIndex + storedFields + docValues + norms + knnVectors),
    inverted_index: size('total', invertedIndex),
    ...size('stored_fields', storedFields),
    ...size('doc_values', docValues),
    ...size('points', 0),
    ...size('norms', norms),
    ...size('term_vectors', 0),
    ...size('knn_vectors', knnVectors),
  };
}

/** Both forms, as the API has them here whatever `human` says. */
function size(name: string, bytes: number): JsonObject {
  return { [name]: formatBytes(bytes), [`${name}_in_bytes`]: bytes };
}
