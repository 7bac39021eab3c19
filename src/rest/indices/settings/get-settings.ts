/** `GET {index}/_settings/{names}`. An index without any of the named settings is left out. */
import { checkBlocks } from '../../../cluster/blocks/blocks.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { matchesAny } from '../../../cluster/names/wildcard.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, indicesOptionsParameters, splitList } from '../../parameters.js';
import { namedIndices, stateReadParameters } from '../index-names.js';
import { renderIndexSettings, type SettingsLayout } from './render-settings.js';

export const getSettingsEndpoint = defineEndpoint({
  name: 'indices.get_settings',
  action: 'indices:monitor/settings/get',
  methods: ['GET', 'HEAD'],
  paths: ['/_settings', '/_settings/{name}', '/{index}/_settings', '/{index}/_settings/{name}'],
  parameters: {
    ...indicesOptionsParameters,
    ...stateReadParameters,
    flat_settings: booleanParameter(false),
    include_defaults: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    const names = parts.name === undefined ? [] : splitList(parts.name);
    const layout: SettingsLayout = {
      flat: parameters.flat_settings,
      includeDefaults: parameters.include_defaults,
      human: request.presentation.human,
      ...(names.length === 0 || names.includes('_all') ? {} : { wanted: (key) => matchesAny(names, key) }),
    };
    const indices = namedIndices(context, parts.index, IndicesDefaults.expandOpenAndClosed, parameters);
    const entries = indices.flatMap((index) => {
      checkBlocks(index, 'metadata_read');
      const rendered = renderIndexSettings(index, layout);
      const isEmpty = Object.values(rendered).every((section) => Object.keys(section ?? {}).length === 0);
      return isEmpty ? [] : [[index.name, rendered] as const];
    });
    return answerValue(Object.fromEntries(entries));
  },
});
