/** Options of data streams: of a failure store, which this engine has not. What asks for none is granted. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';

/** Throws by name what is asked for and not there. */
export function checkStreamOptions({ failure_store: store, ...others }: JsonObject): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw malformed(`[data_stream_options] unknown field [${unknown}]`);
  if (store === undefined || store === null) return;
  if (!isJsonObject(store)) throw malformed('[data_stream_options] failure_store must be an object');
  const { enabled = true, ...members } = store;
  const [member] = Object.keys(members);
  if (member !== undefined) throw illegalArgument(`[failure_store.${member}] is not supported`);
  if (enabled === false) return;
  throw illegalArgument('failure stores are not supported: [failure_store.enabled] must be [false]');
}

function malformed(reason: string): QuarryError {
  return new QuarryError('x_content_parse_exception', reason);
}
