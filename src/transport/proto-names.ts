/**
 * The library renames members that are called `__proto__`, in documents a name like any other. Before it reads such a message
 * the texts become another of the same length, and the value gets them back afterwards. Few messages have any.
 */
const PROTO = '__proto__';
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

/** `places` are those of the texts in `encoded`. `decode` reads the bytes that it is given. */
export function decodeWithProtoNames(
  encoded: Uint8Array,
  places: readonly number[],
  decode: (encoded: Uint8Array) => unknown,
): unknown {
  const copy = Buffer.from(encoded);
  const stand = standIn(copy);
  for (const place of places) copy.write(stand, place, 'latin1');
  return restored(decode(new Uint8Array(copy.buffer, copy.byteOffset, copy.byteLength)), stand);
}

/** A text of the same length that the message has nowhere. */
function standIn(message: Buffer): string {
  for (const first of DIGITS) {
    for (const second of DIGITS) {
      const text = `__prot_${first}${second}`;
      if (!message.includes(text, 0, 'latin1')) return text;
    }
  }
  throw new Error('its names cannot be told apart');
}

function restored(value: unknown, stand: string): unknown {
  if (value === stand) return PROTO;
  if (Array.isArray(value)) return value.map((item) => restored(item, stand));
  if (value instanceof Map) {
    return new Map(
      [...(value as Map<unknown, unknown>)].map(([key, item]) => [restored(key, stand), restored(item, stand)]),
    );
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  // Unlike assignment, this makes a member of every name.
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [restored(name, stand), restored(item, stand)]),
  );
}
