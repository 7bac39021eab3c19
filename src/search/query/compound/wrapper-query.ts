/** `wrapper`: a query as base64. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonValue } from '../../../base/json-value.js';
import { Place } from '../../body/place.js';
import { readText } from '../../body/read.js';
import { readOptions, type QueryParser } from '../query-parser.js';

const NAME = 'wrapper';

export const wrapperQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    let wrapped: string | undefined;
    readOptions(place, NAME, { query: (value) => void (wrapped = readText(value)) });
    if (wrapped === undefined || wrapped === '') throw illegalArgument('query source text cannot be null or empty');
    let value: JsonValue;
    try {
      value = JSON.parse(Buffer.from(wrapped, 'base64').toString('utf8')) as JsonValue;
    } catch (error) {
      throw place.error(`[${NAME}] query does not hold JSON`, 'parsing_exception', error);
    }
    return context.parseQuery(Place.ofValue(value));
  },
};
