/** `terms`: any of several exact values. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonScalar } from '../../base/json-value.js';
import type { Place } from '../body/place.js';
import { readScalar } from '../body/read.js';
import type { SearchSettings } from '../settings.js';
import { CommonOptions, type QueryParser } from './query-parser.js';

const NAME = 'terms';

function readValues(place: Place, settings: SearchSettings): readonly JsonScalar[] {
  const values = place.items().map((item) => {
    if (item.value === null) throw item.error(`No value specified for terms query`);
    return readScalar(item);
  });
  if (values.length <= settings.maxTermsCount) return values;
  throw illegalArgument(
    `The number of terms [${values.length}] used in the Terms Query request has exceeded the allowed maximum of ` +
      `[${settings.maxTermsCount}]. This maximum can be set by changing the [index.max_terms_count] index level setting.`,
  );
}

export const termsQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const common = new CommonOptions(NAME);
    const commonReaders = common.readers;
    let found: { readonly field: string; readonly values: readonly JsonScalar[] } | undefined;
    for (const [name, value] of place.members()) {
      if (Object.hasOwn(commonReaders, name)) commonReaders[name]?.(value);
      else if (found !== undefined) throw value.error(`[${NAME}] query does not support multiple fields`);
      else if (value.isArray) found = { field: name, values: readValues(value, context.settings) };
      else if (value.isObject) throw value.error(`[${NAME}] query: looking terms up in a document is not supported`);
      else throw value.error(`[${NAME}] query does not support [${name}]`);
    }
    if (found === undefined) {
      throw place.error(
        `[${NAME}] query requires a field name, followed by array of terms or a document lookup specification`,
      );
    }
    return common.named({ terms: { ...found, ...common.boosted } });
  },
};
