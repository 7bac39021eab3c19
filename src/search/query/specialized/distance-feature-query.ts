/** `distance_feature`: the nearer a date or a place, the higher the score. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonValue } from '../../../base/json-value.js';
import { readScalar, readText } from '../../body/read.js';
import { CommonOptions, type OptionReaders, type QueryParser } from '../query-parser.js';

const NAME = 'distance_feature';

export const distanceFeatureQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    let field: string | undefined;
    let origin: JsonValue | undefined;
    let pivot: string | undefined;
    const readers: OptionReaders = {
      ...common.readers,
      field: (value) => void (field = readText(value)),
      origin: (value) => void (origin = value.isScalar ? readScalar(value) : value.value),
      pivot: (value) => void (pivot = readText(value)),
    };
    for (const [name, value] of place.members()) {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      if (read === undefined) throw value.errorWithPlace(`[${NAME}] unknown field [${name}]`);
      read(value);
    }
    const missing = [
      field === undefined ? 'field' : '',
      origin === undefined ? 'origin' : '',
      pivot === undefined ? 'pivot' : '',
    ];
    if (field === undefined || origin === undefined || pivot === undefined) {
      throw illegalArgument(`Required [${missing.filter((name) => name !== '').join(', ')}]`);
    }
    return common.named({ distance_feature: { field, origin, pivot, ...common.boosted } });
  },
};
