/** `ids`: documents by `_id`. */
import { readStrings } from '../../body/read.js';
import { CommonOptions, type OptionReaders, type QueryParser } from '../query-parser.js';

const NAME = 'ids';

export const idsQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    let values: readonly string[] | undefined;
    const readers: OptionReaders = { ...common.readers, values: (value) => void (values = readStrings(value)) };
    for (const [name, value] of place.members()) {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      if (read === undefined) throw value.errorWithPlace(`[${NAME}] unknown field [${name}]`, 'parsing_exception');
      read(value);
    }
    if (values === undefined) throw place.error(`[${NAME}] requires providing at least one id in [values]`);
    return common.named({ ids: { values, ...common.boosted } });
  },
};
