/** Proves the bytes of a segment file that lies elsewhere while they come, in order. */
import { native } from './addon.js';
import { guarded, guardedAsync } from './errors.js';
import type { RawFileCheck } from './raw-addon.js';
import type { SegmentFile } from './replication.js';

/** Of any segment file: what says where its end begins. */
export const FOOTER_BYTES = 64;

/** How many bytes at the end of the file {@link FileCheck} needs; `footer`: its last {@link FOOTER_BYTES}. */
export function fileEndLength(footer: Uint8Array, length: number): number {
  return guarded(() => native().fileEndLength(footer, length));
}

/** Damage is a `corrupt_index_exception` that names the place. */
export class FileCheck {
  readonly #raw: RawFileCheck;

  /** `end`: see {@link fileEndLength}. */
  constructor({ uuid, checksum, length }: SegmentFile, end: Uint8Array) {
    this.#raw = guarded(() => native().NativeFileCheck.create(uuid, checksum, end, length));
  }

  update(bytes: Uint8Array): Promise<void> {
    return guardedAsync(() => this.#raw.update(bytes));
  }

  /** Throws where bytes are missing. */
  finish(): void {
    guarded(() => {
      this.#raw.finish();
    });
  }
}
