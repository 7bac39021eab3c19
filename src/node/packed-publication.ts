/** Publications as the threads of a node are sent them: bytes, so that what goes to many threads is written once. */
import { deserialize, serialize } from 'node:v8';
import type { Publication } from '../coordinator/publication.js';

export function packPublication(publication: Publication): Uint8Array {
  return serialize(publication);
}

/** Of what another thread of this process has packed. */
export function unpackPublication(bytes: Uint8Array): Publication {
  return deserialize(bytes) as Publication;
}
