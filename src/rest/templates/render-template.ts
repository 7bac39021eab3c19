/** Templates as the API prints them. */
import type { JsonObject } from '../../base/json-value.js';
import { renderAlias } from '../../cluster/aliases/alias-body.js';
import { renderLifecycle } from '../../cluster/data-streams/data-stream-lifecycle.js';
import {
  renderFlat,
  renderNested,
  type FlatSettings,
  type SettingsUpdate,
} from '../../cluster/settings/flat-settings.js';
import type {
  ComponentTemplate,
  IndexTemplate,
  LegacyTemplate,
  TemplateContent,
} from '../../cluster/templates/types.js';

export function renderIndexTemplate(template: IndexTemplate, flat: boolean): JsonObject {
  const { priority, version, meta, dataStream, allowAutoCreate, deprecated, ignoreMissing } = template;
  return {
    index_patterns: template.indexPatterns,
    ...(template.template === undefined ? {} : { template: renderContent(template.template, flat) }),
    composed_of: template.composedOf,
    ...(priority === undefined ? {} : { priority }),
    ...(version === undefined ? {} : { version }),
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(dataStream === undefined
      ? {}
      : { data_stream: { hidden: dataStream.hidden, allow_custom_routing: dataStream.allowCustomRouting } }),
    ...(allowAutoCreate === undefined ? {} : { allow_auto_create: allowAutoCreate }),
    ...(ignoreMissing.length === 0 ? {} : { ignore_missing_component_templates: ignoreMissing }),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}

export function renderComponentTemplate(component: ComponentTemplate, flat: boolean): JsonObject {
  const { template, version, meta, deprecated } = component;
  return {
    template: renderContent(template, flat),
    ...(version === undefined ? {} : { version }),
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}

export function renderLegacyTemplate(template: LegacyTemplate, flat: boolean): JsonObject {
  const { order, version, indexPatterns } = template;
  return {
    order,
    ...(version === undefined ? {} : { version }),
    index_patterns: indexPatterns,
    ...renderContent(template, flat),
  };
}

/** Sections that a template does not have are left out. */
export function renderContent(content: TemplateContent, flat: boolean): JsonObject {
  const { settings, mappings, aliases, lifecycle } = content;
  return {
    ...(settings === undefined ? {} : { settings: renderUpdate(settings, flat) }),
    ...(mappings === undefined ? {} : { mappings }),
    ...(aliases === undefined
      ? {}
      : { aliases: Object.fromEntries([...aliases].map(([name, alias]) => [name, renderAlias(alias)])) }),
    ...(lifecycle === undefined ? {} : { lifecycle: renderLifecycle(lifecycle) }),
  };
}

/** A setting that is taken away is printed as null. */
function renderUpdate(settings: SettingsUpdate, flat: boolean): JsonObject {
  const values = settings as unknown as FlatSettings;
  return flat ? renderFlat(values) : renderNested(values);
}
