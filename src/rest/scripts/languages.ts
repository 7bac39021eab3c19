/** `GET _script_language`: the languages, with their contexts. */
import { scriptContexts } from '../../native/scripts.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';

export const scriptLanguageEndpoint = defineEndpoint({
  name: 'get_script_languages',
  action: 'cluster:admin/script_language/get',
  methods: ['GET'],
  paths: ['/_script_language'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(_request, context) {
    const contexts = scriptContexts();
    const types = context.settings.values['script.allowed_types'];
    const names = (holds: (each: (typeof contexts)[number]) => boolean): string[] =>
      contexts.filter(holds).map(({ name }) => name);
    return answerValue({
      types_allowed: types.length === 0 || types.includes('both') ? ['inline', 'stored'] : types,
      language_contexts: [
        { language: 'expression', contexts: names(({ expression }) => expression) },
        { language: 'mustache', contexts: ['template'] },
        { language: 'painless', contexts: names(({ name }) => name !== 'template') },
      ],
    });
  },
});
