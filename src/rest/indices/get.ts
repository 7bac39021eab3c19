/** `GET {index}` and `HEAD {index}`: aliases, mapping and settings. */
import { checkBlocks } from '../../cluster/blocks/blocks.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { renderMapping } from '../../mapping/render.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, indicesOptionsParameters, listParameter } from '../parameters.js';
import { renderAliases } from './aliases/render-aliases.js';
import { namedIndices, stateReadParameters } from './index-names.js';
import { renderIndexSettings } from './settings/render-settings.js';

export const getIndexEndpoint = defineEndpoint({
  name: 'indices.get',
  action: 'indices:admin/get',
  methods: ['GET', 'HEAD'],
  paths: ['/{index}'],
  parameters: {
    ...indicesOptionsParameters,
    ...stateReadParameters,
    flat_settings: booleanParameter(false),
    include_defaults: booleanParameter(false),
    features: listParameter(),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters } = request;
    const indices = namedIndices(context, request.parts.index, IndicesDefaults.expandOpen, parameters);
    const features = readFeatures(parameters.features);
    const layout = {
      flat: parameters.flat_settings,
      includeDefaults: parameters.include_defaults,
      human: request.presentation.human,
    };
    const entries = indices.map((index) => {
      checkBlocks(index, 'metadata_read');
      const parts: Readonly<Record<Feature, () => JsonObject>> = {
        aliases: () => ({ aliases: renderAliases(index) }),
        mappings: () => ({ mappings: renderMapping(index.mapping) }),
        settings: () => renderIndexSettings(index, layout),
      };
      const rendered = features.flatMap((feature) => Object.entries(parts[feature]()));
      return [index.name, Object.fromEntries(rendered)] as const;
    });
    return answerValue(Object.fromEntries(entries));
  },
});

const FEATURES = ['aliases', 'mappings', 'settings'] as const;
type Feature = (typeof FEATURES)[number];

function readFeatures(names: readonly string[] | undefined): readonly Feature[] {
  if (names === undefined || names.length === 0) return FEATURES;
  const unknown = names.find((name) => !FEATURES.some((feature) => feature === name));
  if (unknown !== undefined) throw illegalArgument(`No feature for name [${unknown}]`);
  return FEATURES.filter((feature) => names.includes(feature));
}
