/** What a request is about, in one line, as the list of tasks shows it. Made when somebody asks, from what came over the wire. */
import type { DescribedRequest, TaskSlot } from '../../base/tasks/task-slot.js';

/** Bytes of a body that a description shows. */
const SHOWN_BYTES_MAX = 2_048;

export function describeRequest({ action, request }: TaskSlot): string {
  if (request === undefined) return '';
  const index = request.parts['index'] ?? '';
  switch (action) {
    case 'indices:data/read/search':
      return `indices[${index}], search_type[QUERY_THEN_FETCH], source[${bodyText(request)}]`;
    case 'indices:data/read/msearch':
      return `indices[${index}], requests[${bodyText(request)}]`;
    case 'indices:data/read/scroll':
      return `scrollId[${request.parts['scroll_id'] ?? ''}], source[${bodyText(request)}]`;
    default:
      return request.parts['index'] === undefined ? '' : `indices[${index}]`;
  }
}

/** Its beginning, where it is text. */
function bodyText({ body, headers }: DescribedRequest): string {
  if (body === undefined || headers.contentEncoding !== '' || headers.contentType.includes('cbor')) return '';
  const shown = body.subarray(0, SHOWN_BYTES_MAX);
  const text = Buffer.from(shown.buffer, shown.byteOffset, shown.byteLength).toString('utf8');
  return body.length > shown.length ? `${text}...` : text;
}
