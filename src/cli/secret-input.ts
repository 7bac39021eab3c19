/** Passwords and values that nobody may see: typed without an echo at a terminal, else read line by line from the standard input. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { QuarryError } from '../base/errors.js';

/** Of what is read without a terminal. */
const INPUT_BYTES_MAX = 1 << 20;

export class SecretInput {
  readonly isTerminal: boolean;
  private lines: Promise<string[]> | undefined;

  constructor(isTerminal: boolean = process.stdin.isTTY) {
    this.isTerminal = isTerminal;
  }

  /** One line, without its end. `what` is asked for at a terminal and named in errors. */
  async line(what: string): Promise<string> {
    if (this.isTerminal) return typedUnseen(`${what}: `);
    this.lines ??= readLines();
    const line = (await this.lines).shift();
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

async function readLines(): Promise<string[]> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > INPUT_BYTES_MAX) {
      throw new QuarryError(
        'illegal_argument_exception',
        `the standard input has more than [${INPUT_BYTES_MAX}] bytes`,
      );
    }
    chunks.push(chunk);
  }
  const lines = Buffer.concat(chunks).toString('utf8').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
