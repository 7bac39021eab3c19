/** `GET _cat/component_templates/{name}`. */
import type { ComponentTemplate } from '../../cluster/templates/types.js';
import { isJsonObject } from '../../base/json-value.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { defineEndpoint } from '../endpoint.js';
import { splitList } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly name: string;
  readonly component: ComponentTemplate;
  readonly users: readonly string[];
}

const COLUMNS: readonly Column<Row>[] = [
  column('name', 'name of the component template', (row) => row.name, { aliases: 'n' }),
  column('version', 'version that the user gave it', (row) => row.component.version, { aliases: 'v' }),
  column('alias_count', 'aliases that it gives', (row) => row.component.template.aliases?.size ?? 0, { aliases: 'a' }),
  column('mapping_count', 'fields that it gives', (row) => fieldCount(row.component), { aliases: 'm' }),
  column('settings_count', 'settings that it gives', (row) => row.component.template.settings?.size ?? 0, {
    aliases: 's',
  }),
  column('metadata_count', 'members of its metadata', (row) => Object.keys(row.component.meta ?? {}).length, {
    aliases: 'me',
  }),
  column('included_in', 'index templates that it is part of', (row) => `[${row.users.join(', ')}]`, { aliases: 'i' }),
];

function fieldCount({ template }: ComponentTemplate): number {
  const properties = template.mappings?.['properties'];
  return isJsonObject(properties) ? Object.keys(properties).length : 0;
}

export const catComponentTemplatesEndpoint = defineEndpoint({
  name: 'cat.component_templates',
  action: 'cluster:admin/component_template/get',
  methods: ['GET'],
  paths: ['/_cat/component_templates', '/_cat/component_templates/{name}'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    return answerTable(COLUMNS, parameters, request.presentation, () => {
      const { componentTemplates, indexTemplates } = context.clusterState();
      const wanted = parts.name === undefined ? ['*'] : splitList(parts.name);
      return [...componentTemplates]
        .filter(([name]) => matchesAny(wanted, name))
        .map(([name, component]): Row => {
          const users = [...indexTemplates].filter(([, { composedOf }]) => composedOf.includes(name));
          return { name, component, users: users.map(([user]) => user).sort() };
        });
    });
  },
});
