/** `terms_set`: as many of the terms as a field of the document says. */
import type { JsonScalar } from '../../base/json-value.js';
import { readScalar, readText } from '../body/read.js';
import { CommonOptions, fieldOf, readOptions, type QueryParser } from './query-parser.js';

const NAME = 'terms_set';

export const termsSetQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const { field, body } = fieldOf(place, NAME);
    if (!body.isObject) throw body.error(`[${NAME}] unknown token [${body.token}]`);
    const common = new CommonOptions(NAME);
    let terms: readonly JsonScalar[] | undefined;
    let minimumField: string | undefined;
    readOptions(body, NAME, {
      ...common.readers,
      terms: (value) => void (terms = value.items().map(readScalar)),
      minimum_should_match_field: (value) => void (minimumField = readText(value)),
      minimum_should_match_script: (value) => {
        throw value.error(
          `[${NAME}] option [minimum_should_match_script] is not supported`,
          'illegal_argument_exception',
        );
      },
    });
    if (terms === undefined) throw body.error('No terms specified for terms_set query', 'illegal_argument_exception');
    const most = context.settings.maxClauseCount;
    if (terms.length > most) {
      throw body.error(
        `[${NAME}] query has too many terms [${terms.length}], limit [${most}]`,
        'illegal_argument_exception',
      );
    }
    if (minimumField === undefined) {
      throw body.error('No minimum should match has been specified', 'illegal_argument_exception');
    }
    return common.named({ terms_set: { field, terms, minimum_should_match_field: minimumField, ...common.boosted } });
  },
};
