/** A repository that a web server shows: it is read by ranges, and cannot be listed. */
import type { Clock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import type { BlobListing } from '../blob-store.js';
import { decodeMetadata, endsEarly, generationOf, LATEST, rootBlob } from '../format.js';
import { ReadOnlyStore } from './read-only-store.js';

export interface HttpStoreOptions {
  /** Ends with a slash. */
  readonly url: string;
  /** After the first try. */
  readonly retries: number;
  /** Without a byte of an answer. */
  readonly silenceMs: number;
  readonly clock: Clock;
}

const LATEST_BYTES_MAX = 1_000;
const PAUSE_MS = 100;
/** Newer roots than `latest` names, because its last write failed. */
const NEWER_MAX = 1_000;

export class HttpStore extends ReadOnlyStore {
  readonly isListable = false;
  private readonly options: HttpStoreOptions;

  constructor(options: HttpStoreOptions) {
    super();
    this.options = options;
  }

  read(name: string, lengthMax: number): Promise<Uint8Array> {
    return this.request(name, {}, async (answer, alive) => {
      if (answer.status !== 200) throw statusError(answer);
      return bodyOf(answer, lengthMax, alive);
    });
  }

  async readRange(name: string, offset: number, length: number): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array(0);
    const headers = { range: `bytes=${offset}-${offset + length - 1}` };
    return this.request(name, headers, async (answer, alive) => {
      if (answer.status === 200) throw new Error('the server does not give ranges of a file, which are needed');
      if (answer.status === 416) throw endsEarly(name, offset, offset + length);
      if (answer.status !== 206) throw statusError(answer);
      const size = sizeOf(answer);
      if (size !== undefined && size < offset + length) throw endsEarly(name, size, offset + length);
      const bytes = await bodyOf(answer, length, alive);
      if (bytes.length === length) return bytes;
      throw new Error(`the answer ends at byte [${offset + bytes.length}], before [${offset + length}]`);
    });
  }

  /** Of the outermost folder the newest root only, which is all that a reader looks for. */
  async list(folder: string): Promise<BlobListing> {
    if (folder !== '')
      throw new QuarryError('i_o_exception', `cannot list [${this.options.url}${folder}]: web servers list nothing`);
    const latest = await this.read(LATEST, LATEST_BYTES_MAX).catch((error: unknown) => {
      if (error instanceof QuarryError && error.type === 'no_such_file_exception') return undefined;
      throw error;
    });
    if (latest === undefined) return { blobs: new Map(), folders: [] };
    let generation = generationOf(await decodeMetadata(LATEST, latest, LATEST));
    for (let newer = 0; newer < NEWER_MAX && (await this.isThere(rootBlob(generation + 1))); newer++) generation++;
    return { blobs: new Map([[rootBlob(generation), 0]]), folders: [] };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async isThere(name: string): Promise<boolean> {
    try {
      await this.readRange(name, 0, 1);
      return true;
    } catch (error) {
      if (error instanceof QuarryError && error.type === 'no_such_file_exception') return false;
      throw error;
    }
  }

  private async request(
    name: string,
    headers: Readonly<Record<string, string>>,
    take: (answer: Response, alive: () => void) => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const { url, retries, clock } = this.options;
    const place = `${url}${name.split('/').map(encodeURIComponent).join('/')}`;
    for (let tries = 0; ; tries++) {
      try {
        return await this.once(place, headers, take);
      } catch (error) {
        if (error instanceof StatusError && error.status === 404) {
          throw new QuarryError('no_such_file_exception', `[${place}] is not there`);
        }
        if (error instanceof QuarryError) throw error;
        const mayPass = !(error instanceof StatusError) || error.status >= 500 || error.status === 429;
        if (!mayPass || tries >= retries) {
          throw new QuarryError('i_o_exception', `cannot read [${place}]: ${reasonOf(error)}`);
        }
      }
      await new Promise<void>((resolve) => {
        clock.schedule(PAUSE_MS * 2 ** Math.min(tries, 8), resolve);
      });
    }
  }

  private async once(
    place: string,
    headers: Readonly<Record<string, string>>,
    take: (answer: Response, alive: () => void) => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const { silenceMs, clock } = this.options;
    const controller = new AbortController();
    const watch = (): ReturnType<Clock['schedule']> =>
      clock.schedule(silenceMs, () => {
        controller.abort(new Error(`the server was silent for [${silenceMs}ms]`));
      });
    let timer = watch();
    const alive = (): void => {
      timer();
      timer = watch();
    };
    try {
      // A server that leads elsewhere would lead past the allowed addresses.
      const answer = await fetch(place, { headers, redirect: 'error', signal: controller.signal });
      try {
        return await take(answer, alive);
      } catch (error) {
        await answer.body?.cancel().catch(() => undefined);
        throw error;
      }
    } finally {
      timer();
    }
  }
}

class StatusError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(`the server answers ${status} ${text}`);
    this.status = status;
  }
}

function statusError({ status, statusText }: Response): StatusError {
  return new StatusError(status, statusText);
}

/** Of the whole file, where the answer to a range tells it. */
function sizeOf({ headers }: Response): number | undefined {
  const [, size] = /^bytes \d+-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  return size === undefined ? undefined : Number(size);
}

async function bodyOf({ body }: Response, lengthMax: number, alive: () => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    alive();
    length += chunk.length;
    if (length > lengthMax) throw new Error(`it has more than [${lengthMax}] bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The library puts what happened into the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
