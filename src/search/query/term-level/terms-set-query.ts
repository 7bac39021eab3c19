/** `terms_set`: as many of the terms as a field of the document, or a script, says. */
import type { JsonScalar } from '../../../base/json-value.js';
import { readText } from '../../body/read.js';
import type { QueryPlan, ScriptPlan } from '../../plan/query-plan.js';
import { readScript } from '../../script/read-script.js';
import { readMinimumShouldMatch } from '../full-text/text-options.js';
import { CommonOptions, fieldOf, readOptions, type QueryParser } from '../query-parser.js';
import { readTerm } from './terms-query.js';

const NAME = 'terms_set';

export const termsSetQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const { field, body } = fieldOf(place, NAME);
    if (!body.isObject) throw body.error(`[${NAME}] unknown token [${body.token}]`);
    const common = new CommonOptions(NAME);
    let terms: readonly JsonScalar[] | undefined;
    let minimumField: string | undefined;
    let minimumScript: ScriptPlan | undefined;
    let fixed: string | undefined;
    readOptions(body, NAME, {
      ...common.readers,
      terms: (value) => void (terms = value.items().map(readTerm)),
      minimum_should_match: (value) => void (fixed = readMinimumShouldMatch(value)),
      minimum_should_match_field: (value) => void (minimumField = readText(value)),
      minimum_should_match_script: (value) => void (minimumScript = readScript(value)),
    });
    if (terms === undefined) throw body.error('No terms specified for terms_set query', 'illegal_argument_exception');
    const most = context.settings.maxClauseCount;
    if (terms.length > most) {
      throw body.error(
        `[${NAME}] query has too many terms [${terms.length}], limit [${most}]`,
        'illegal_argument_exception',
      );
    }
    if (minimumField !== undefined && minimumScript !== undefined) {
      throw body.error('A script and a field have been specified', 'illegal_argument_exception');
    }
    if (fixed !== undefined) {
      if (minimumField !== undefined || minimumScript !== undefined) {
        throw body.error(
          'Only one of [minimum_should_match], [minimum_should_match_field] and [minimum_should_match_script] may be given',
          'illegal_argument_exception',
        );
      }
      const should = [...new Set(terms)].map((value): QueryPlan => ({ term: { field, value } }));
      if (should.length === 0) return common.named({ match_none: {} });
      return common.named({ bool: { should, minimum_should_match: fixed, ...common.boosted } });
    }
    const minimum =
      minimumField === undefined
        ? minimumScript && { minimum_should_match_script: minimumScript }
        : { minimum_should_match_field: minimumField };
    if (minimum === undefined) {
      throw body.error('No minimum should match has been specified', 'illegal_argument_exception');
    }
    return common.named({ terms_set: { field, terms, ...minimum, ...common.boosted } });
  },
};
