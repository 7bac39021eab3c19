/** `lifecycle` of data streams, as requests say it and as it is printed. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseTimeMs } from '../../base/units.js';
import type { DataStreamLifecycle } from '../state.js';

export function parseLifecycle(body: JsonObject): DataStreamLifecycle {
  const { enabled, data_retention: retention, downsampling, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new QuarryError('x_content_parse_exception', `[lifecycle] unknown field [${unknown}]`);
  if (downsampling !== undefined && downsampling !== null) {
    throw illegalArgument('[lifecycle.downsampling] is not supported: documents of data streams are kept as they are');
  }
  const isEnabled = enabled === undefined || enabled === null || enabled === true || enabled === 'true';
  if (!isEnabled && enabled !== false && enabled !== 'false') {
    throw illegalArgument(`[lifecycle.enabled] must be a boolean, found [${JSON.stringify(enabled)}]`);
  }
  if (retention === undefined || retention === null) return { enabled: isEnabled };
  if (typeof retention !== 'string') {
    throw illegalArgument(
      `[lifecycle.data_retention] must be a time such as [7d], found [${JSON.stringify(retention)}]`,
    );
  }
  if (parseTimeMs(retention, 'lifecycle.data_retention') <= 0) {
    throw illegalArgument(`[lifecycle.data_retention] must be more than nothing, found [${retention}]`);
  }
  return { enabled: isEnabled, retention };
}

export function renderLifecycle({ enabled, retention }: DataStreamLifecycle): JsonObject {
  return {
    enabled,
    ...(retention === undefined
      ? {}
      : {
          data_retention: retention,
          effective_retention: retention,
          retention_determined_by: 'data_stream_configuration',
        }),
  };
}

/** Undefined: for ever. */
export function retentionMs({ retention }: DataStreamLifecycle): number | undefined {
  return retention === undefined ? undefined : parseTimeMs(retention, 'lifecycle.data_retention');
}
