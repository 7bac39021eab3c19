/** Proves the bytes of a segment file that lies elsewhere while they come, in order. */
import { native } from './addon.js';
import { guarded, guardedAsync } from './errors.js';
import type { RawFileCheck } from './raw-addon.js';
import type { SegmentFile } from './replication.js';

/** Of any segment file: what says where its end begins. */
const FOOTER_BYTES = 64;

/** Damage is a `corrupt_index_exception` that names the place. */
export class FileCheck {
  readonly #raw: RawFileCheck;

  private constructor(raw: RawFileCheck) {
    this.#raw = raw;
  }

  /** `read` is asked for the end of the file. `partBytes`: of the parts whose checksums {@link partChecksums} has; 0: of none. */
  static async of(
    { uuid, checksum, length }: SegmentFile,
    read: (offset: number, length: number) => Promise<Uint8Array>,
    partBytes: number,
  ): Promise<FileCheck> {
    const footerBytes = Math.min(FOOTER_BYTES, length);
    const footer = await read(length - footerBytes, footerBytes);
    const endBytes = guarded(() => native().fileEndLength(footer, length));
    const end = await read(length - endBytes, endBytes);
    return new FileCheck(guarded(() => native().NativeFileCheck.create(uuid, checksum, end, length, partBytes)));
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

  /** crc32c of each part, four bytes, little-endian. Throws where bytes are missing. */
  partChecksums(): Uint8Array {
    return guarded(() => this.#raw.partChecksums());
  }
}
