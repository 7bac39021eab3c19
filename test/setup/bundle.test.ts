/** What a node's threads load when they start: each thread pays for it in time and memory, at every start. */
import { expect, it } from 'vitest';

interface Loaded {
  readonly packages: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

/** Packages that a thread needs for its first request; any other is loaded when it is first used (`base/on-demand.ts`, `import()`). */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  front: ['cbor-x', 'commander', 'piscina', 'uWebSockets.js'],
  'side front': ['cbor-x', 'uWebSockets.js'],
  coordinator: ['cbor-x'],
  worker: ['cbor-x', 'flatbuffers'],
};

/** Of code, without maps and white space. What is here is parsed by each thread; families of endpoints could be loaded on first use. */
const BYTES_MAX: Readonly<Record<string, number>> = {
  front: 400_000,
  'side front': 200_000,
  coordinator: 850_000,
  worker: 1_850_000,
};

/** Each has to be found, read and linked. */
const FILES_MAX = 4;

it('loads at start only what each thread needs then', async () => {
  const place = new URL('../../src/setup/bundle.mjs', import.meta.url).href;
  const { loadedAtStart } = (await import(place)) as { loadedAtStart: () => Promise<Record<string, Loaded>> };
  for (const [thread, { packages, files, bytes }] of Object.entries(await loadedAtStart())) {
    const offenders = packages.filter((name) => !PACKAGES[thread]?.includes(name));
    expect(offenders, `packages that the ${thread} must not load when it starts`).toEqual([]);
    expect(files, `files of the ${thread}`).toBeLessThanOrEqual(FILES_MAX);
    expect(bytes, `bytes of code of the ${thread}`).toBeLessThan(BYTES_MAX[thread] ?? 0);
  }
});
