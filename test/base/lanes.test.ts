import { expect, it } from 'vitest';
import { Lanes } from '../../src/base/lanes.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('runs so much at once and the rest in order, also behind work that fails', async () => {
  const lanes = new Lanes(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (number: number) =>
    lanes.run(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => (ends[number] = resolve));
      if (number === 0) throw new Error('broken');
      return number;
    });
  expect(lanes.count).toBe(0);
  const [failing, ...others] = [0, 1, 2, 3].map(work);
  const failed = expect(failing).rejects.toThrow('broken');
  await turn();
  expect(begun).toEqual([0, 1]);
  ends[0]?.();
  await failed;
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  expect(lanes.count).toBe(3);
  ends[1]?.();
  await turn();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();
  expect(await Promise.all(others)).toEqual([1, 2, 3]);
  expect(lanes.count).toBe(0);
});
