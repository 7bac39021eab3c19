import { expect, it } from 'vitest';
import { formatBytes, formatTime, parseBytes, sizeInBytes } from '../../src/base/units.js';

it('prints durations in the largest unit with one decimal, cut', () => {
  expect(
    [0, 0.000_04, 0.000_04 * 25, 0.0441, 0.999_99, 1, 12.39, 59_999, 90_000, 5_400_000, 216_000_000].map(formatTime),
  ).toEqual([
    '0s',
    '40nanos',
    '1micros',
    '44.1micros',
    '999.9micros',
    '1ms',
    '12.3ms',
    '59.9s',
    '1.5m',
    '1.5h',
    '2.5d',
  ]);
});

it('prints sizes alike', () => {
  expect([0, 1_023, 1_024, 1_587, 1_048_576, 2.5 * 1024 ** 3].map(formatBytes)).toEqual([
    '0b',
    '1023b',
    '1kb',
    '1.5kb',
    '1mb',
    '2.5gb',
  ]);
});

it('reads sizes as large as 64 bits count, and no larger ones', () => {
  const sizes = ['-1', '0', '1.5kb', '7pb', '8191pb', '9223372036854775807b'];
  expect(sizes.map((size) => parseBytes(size, 'a.size'))).toEqual([
    -1,
    0,
    1_536,
    7 * 1024 ** 5,
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER,
  ]);
  expect(sizeInBytes('9pb', 'a.size')).toBe(9 * 1024 ** 5);
  for (const size of ['9223372036854775808b', '8589934592gb', '8192pb', `${'9'.repeat(400)}gb`]) {
    expect(() => parseBytes(size, 'a.size')).toThrow(
      `failed to parse setting [a.size] with value [${size}] as a size in bytes: ` +
        'values greater than 9223372036854775807 bytes are not supported',
    );
  }
});
