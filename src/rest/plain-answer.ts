/** How plain JSON goes out to requests that say the same of it. */
import type { NodeSettings } from '../base/node-settings.js';
import { wantsTypes } from './dispatch.js';
import type { Endpoint } from './endpoint.js';
import { apiVersion } from './info/compatibility.js';
import { checkVersions, requestMediaType } from './media-type.js';
import { encoding } from './present.js';
import { readAccept, readPresentation, readQuery, takesGzip } from './request.js';
import type { BareRequest, WireAnswer } from './wire.js';

export interface PlainAnswer {
  readonly headers: WireAnswer['headers'];
  /** The caller takes gzip: what is not small is to be compressed. */
  readonly gzip: boolean;
}

/**
 * Undefined where the answer is not JSON as it is made: another encoding, layout or filter. Throws what is wrong with the headers and with what the query string
 * says of the answer.
 */
export function plainAnswer(
  endpoint: Endpoint,
  request: BareRequest,
  hasBody: boolean,
  settings: NodeSettings,
): PlainAnswer | undefined {
  const accepted = readAccept(request);
  const presentation = readPresentation(readQuery(request), accepted);
  const body = hasBody ? requestMediaType(request.headers.contentType) : undefined;
  checkVersions({ accepted, body }, request.headers, apiVersion(settings));
  const mediaType = accepted ?? body;
  const typed = wantsTypes(endpoint, mediaType, settings);
  const gzip = takesGzip(request, settings);
  const { format, contentType } = encoding({ presentation, mediaType, gzip, typed });
  const isBodyJson = body === undefined || body.format === 'json';
  const isPlain = format === 'json' && isBodyJson && !presentation.pretty && presentation.filterPath.length === 0;
  return isPlain && !typed ? { headers: [['content-type', contentType]], gzip } : undefined;
}
