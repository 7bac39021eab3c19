/** Changes settings of indices, on request those that only a closed index may change. */
import { INDEX_SETTINGS } from '../../cluster/settings/index-settings.js';
import { flattenSettings, withIndexPrefix } from '../../cluster/settings/flat-settings.js';
import { scopeOf } from '../../cluster/settings/registry.js';
import type { JsonObject } from '../../base/json-value.js';
import type { IndexId } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';

export interface UpdateSettingsRequest {
  readonly indices: readonly IndexId[];
  readonly settings: JsonObject;
  readonly preserveExisting: boolean;
  /** Closes the open ones while settings are changed that an open index cannot change. */
  readonly reopen: boolean;
  readonly timeoutMs: number;
}

export async function updateSettings(context: ActionContext, request: UpdateSettingsRequest): Promise<void> {
  const { indices, settings, preserveExisting, timeoutMs } = request;
  const keys = [...withIndexPrefix(flattenSettings(settings)).keys()];
  const update = (): Promise<unknown> =>
    context.coordinator.submit('update-index-settings', { indices, settings, preserveExisting }, { timeoutMs });
  const mustClose = request.reopen && keys.some((key) => scopeOf(INDEX_SETTINGS, key) === 'static');
  if (mustClose) await whileClosed(context, request, update);
  else await update();
}

/** Those that were open are opened again, whatever becomes of the change. */
async function whileClosed(
  context: ActionContext,
  { indices, timeoutMs }: UpdateSettingsRequest,
  update: () => Promise<unknown>,
): Promise<void> {
  const state = context.clusterState();
  const open = indices.filter(({ name }) => state.indices.get(name)?.state === 'open');
  await context.coordinator.submit('close-indices', { indices: open }, { timeoutMs });
  try {
    await update();
  } finally {
    await context.coordinator.submit('open-indices', { indices: open }, { timeoutMs });
  }
}
