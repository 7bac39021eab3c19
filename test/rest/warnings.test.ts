/** Headers with warnings: what is written there is read again for the log. */
import { expect, it } from 'vitest';
import { warningHeader, warningsIn } from '../../src/rest/answer.js';

it.each([[[]], [['one']], [['one', 'the "other", with \\ and a comma']], [['299 Quarry "in itself"', '']]])(
  'keeps %j apart',
  (warnings) => {
    expect(warningsIn(warningHeader(...warnings))).toEqual(warnings);
  },
);

it('is absent without warnings', () => {
  expect(warningHeader()).toEqual({});
});
