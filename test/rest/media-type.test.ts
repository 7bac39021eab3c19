/** Which encodings bodies and answers have. */
import { describe, expect, it } from 'vitest';
import { acceptedMediaType, requestMediaType } from '../../src/rest/media-type.js';

describe('the media type of a body', () => {
  it.each([
    ['application/json', 'json', 'application/json'],
    ['Application/JSON; charset=UTF-8', 'json', 'application/json'],
    ['application/x-yaml', 'yaml', 'application/yaml'],
    [
      'application/vnd.elasticsearch+json; compatible-with=8',
      'json',
      'application/vnd.elasticsearch+json;compatible-with=8',
    ],
  ])('%s', (text, format, contentType) => {
    expect(requestMediaType(text)).toMatchObject({ format, contentType });
  });

  it.each(['constructor', '__proto__', 'application/vnd.elasticsearch+toString', 'text/plain', 'application/xml'])(
    '%s is refused',
    (text) => {
      expect(() => requestMediaType(text)).toThrow(`Content-Type header [${text}] is not supported`);
    },
  );
});

describe('the media type of an answer', () => {
  it('is the first of ours, or any', () => {
    expect(acceptedMediaType('application/xml, application/cbor;q=0.5')?.format).toBe('cbor');
    expect(acceptedMediaType('*/*')).toBeUndefined();
    expect(() => acceptedMediaType('constructor')).toThrow(
      'Invalid media-type value on header [Accept]: [constructor]',
    );
  });
});
