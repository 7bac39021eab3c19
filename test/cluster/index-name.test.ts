import { describe, expect, it } from 'vitest';
import { checkAliasName, checkIndexName } from '../../src/cluster/names/index-name.js';

describe('index names', () => {
  it.each(['logs', '.hidden', 'a-b_c+d.e', 'ünïcode', 'x'.repeat(255)])('accepts %s', (name) => {
    expect(() => {
      checkIndexName(name);
    }).not.toThrow();
  });

  const characters = 'must not contain the following characters [ , ", *, \\, <, |, ,, >, /, ?]';
  it.each([
    ['Upper', 'must be lowercase'],
    ['_a', "must not start with '_', '-', or '+'"],
    ['-a', "must not start with '_', '-', or '+'"],
    ['a b', characters],
    ['a*', characters],
    ['a,b', characters],
    ['a#b', "must not contain '#'"],
    ['a:b', "must not contain ':'"],
    ['.', "must not be '.' or '..'"],
    ['..', "must not be '.' or '..'"],
    ['é'.repeat(128), 'index name is too long, (256 > 255)'],
    ['', 'must not be empty'],
  ])('refuses [%s]', (name, fault) => {
    expect(() => {
      checkIndexName(name);
    }).toThrow(
      expect.objectContaining({
        type: 'invalid_index_name_exception',
        message: `Invalid index name [${name}], ${fault}`,
        details: { index: name, index_uuid: '_na_' },
      }) as Error,
    );
  });
});

describe('alias names', () => {
  it('may hold capitals, but may not be the name of an index', () => {
    expect(() => {
      checkAliasName('Alias', () => false);
    }).not.toThrow();
    expect(() => {
      checkAliasName('logs', (name) => name === 'logs');
    }).toThrow('Invalid alias name [logs]: an index or data stream exists with the same name as the alias');
  });
});
