/** `include` and `exclude`: which values get a bucket. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import type { Place } from '../../body/place.js';
import { readInt, readScalar } from '../../body/read.js';
import type { OptionReaders } from '../../query/query-parser.js';
import type { SearchSettings } from '../../settings.js';

export class SelectionOptions {
  readonly #settings: SearchSettings;
  #include: JsonObject | undefined;
  #exclude: JsonObject | undefined;

  constructor(settings: SearchSettings) {
    this.#settings = settings;
  }

  get readers(): OptionReaders {
    return {
      include: (value) => void (this.#include = readInclude(value, this.#settings)),
      exclude: (value) => void (this.#exclude = readExclude(value, this.#settings)),
    };
  }

  plan(): { readonly include?: JsonObject; readonly exclude?: JsonObject } {
    const [include, exclude] = [this.#include, this.#exclude];
    if (include !== undefined && 'partition' in include && exclude !== undefined) {
      throw illegalArgument('Cannot specify any excludes when using a partition-based include');
    }
    return { ...(include === undefined ? {} : { include }), ...(exclude === undefined ? {} : { exclude }) };
  }
}

/** A regular expression or a list of values. */
function readExclude(place: Place, settings: SearchSettings): JsonObject {
  if (place.isArray) return { values: place.items().map(readScalar) };
  if (typeof place.value !== 'string') throw illegalArgument(`Unrecognized token for an exclude [${place.token}]`);
  const length = place.value.length;
  if (length <= settings.maxRegexLength) return { regexp: place.value };
  throw illegalArgument(
    `The length of regex [${length}] used in the request has exceeded the allowed maximum of [${settings.maxRegexLength}]. ` +
      'This maximum can be set by changing the [index.max_regex_length] index level setting.',
  );
}

/** As an exclude, or `{"partition": .., "num_partitions": ..}`. */
function readInclude(place: Place, settings: SearchSettings): JsonObject {
  if (!place.isObject) {
    if (place.isArray || typeof place.value === 'string') return readExclude(place, settings);
    throw illegalArgument(`Unrecognized token for an include [${place.token}]`);
  }
  let partition: number | undefined;
  let partitions: number | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'partition') partition = readInt(value);
    else if (name === 'num_partitions') partitions = readInt(value);
    else throw value.error(`Unknown parameter in Include/Exclude clause: ${name}`, 'parse_exception');
  }
  if (partition === undefined) throw illegalArgument('Missing [partition] parameter for partition-based include');
  if (partitions === undefined) {
    throw illegalArgument('Missing [num_partitions] parameter for partition-based include');
  }
  if (partition < 0 || partition >= partitions) {
    throw illegalArgument(`Partition must be >=0 and < numPartition which is ${partitions}`);
  }
  return { partition: { partition, partitions } };
}
