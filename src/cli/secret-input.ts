/** Passwords and values that nobody may see: typed without an echo at a terminal, else read line by line from the standard input. */
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { QuarryError } from '../base/errors.js';

/** Of a line that is read without a terminal. */
const LINE_BYTES_MAX = 1 << 20;

export class SecretInput {
  readonly isTerminal: boolean;
  private readonly lines = new InputLines();

  constructor(isTerminal: boolean = process.stdin.isTTY) {
    this.isTerminal = isTerminal;
  }

  /** One line, without its end. `what` is asked for at a terminal and named in errors. */
  async line(what: string): Promise<string> {
    if (this.isTerminal) return typedUnseen(`${what}: `);
    const line = await this.lines.next();
    if (line !== undefined) return line;
    throw new QuarryError('illegal_argument_exception', `${what} is expected on the standard input, and it has ended`);
  }

  /** Twice at a terminal, where nobody sees what was typed. */
  async newPassword(what = 'New password of the keystore (empty for none)'): Promise<string> {
    const password = await this.line(what);
    if (this.isTerminal && (await this.line('The same password again')) !== password) {
      throw new QuarryError('illegal_argument_exception', 'the passwords are not equal');
    }
    return password;
  }
}

function typedUnseen(prompt: string): Promise<string> {
  const nowhere = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // The terminal shows nothing from here on: who types as soon as he is asked is not seen either.
  process.stderr.write(prompt);
  return new Promise((resolve, reject) => {
    terminal.once('close', () => {
      process.stderr.write('\n');
      reject(new QuarryError('illegal_argument_exception', 'nothing was entered'));
    });
    terminal.once('line', (line) => {
      resolve(line);
      terminal.close();
    });
  });
}

/** Reads no more than it is asked for: who writes need not end the input. */
class InputLines {
  private rest: Buffer = Buffer.alloc(0);
  private hasEnded = false;

  /** Without its end; undefined after the last one. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const end = this.rest.indexOf('\n');
      if (end !== -1) return this.take(end, end + 1).replace(/\r$/, '');
      if (this.rest.length > LINE_BYTES_MAX) throw tooLong();
      if (this.hasEnded) return this.rest.length === 0 ? undefined : this.take(this.rest.length, this.rest.length);
      const chunk = await nextChunk();
      if (chunk === undefined) this.hasEnded = true;
      else this.rest = Buffer.concat([this.rest, chunk]);
    }
  }

  private take(length: number, from: number): string {
    const line = this.rest.subarray(0, length);
    if (length > LINE_BYTES_MAX) throw tooLong();
    this.rest = this.rest.subarray(from);
    return line.toString('utf8');
  }
}

function tooLong(): QuarryError {
  const reason = `a line of the standard input has more than [${LINE_BYTES_MAX}] bytes`;
  return new QuarryError('illegal_argument_exception', reason);
}

/** Of the standard input; undefined at its end. Between two of them it does not keep the process alive. */
function nextChunk(): Promise<Buffer | undefined> {
  const { stdin } = process;
  if (stdin.readableEnded || stdin.destroyed) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      stdin.pause();
      // One that pauses goes on reading until its buffer is full.
      if (stdin instanceof Socket) stdin.unref();
      stdin.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
    };
    const onData = (chunk: Buffer): void => {
      stop();
      resolve(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(undefined);
    };
    const onError = (error: Error): void => {
      stop();
      reject(error);
    };
    stdin.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
    if (stdin instanceof Socket) stdin.ref();
    stdin.resume();
  });
}
