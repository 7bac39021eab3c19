/** `exists`: documents that have a value for the field. */
import { illegalArgument } from '../../../base/errors.js';
import { readText } from '../../body/read.js';
import { CommonOptions, readScalarOptions, type QueryParser } from '../query-parser.js';

const NAME = 'exists';

export const existsQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    let field: string | undefined;
    readScalarOptions(place, NAME, { ...common.readers, field: (value) => void (field = readText(value)) });
    if (field === undefined) throw place.error(`[${NAME}] must be provided with a [field]`);
    if (field === '') throw illegalArgument('field name is null or empty');
    return common.named({ exists: { field, ...common.boosted } });
  },
};
