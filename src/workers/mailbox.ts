/** Calls between threads over one message port: a question has exactly one answer, errors keep their type. */
import { fromPlainError, toPlainError, type PlainError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import type { MessageTurns } from './message-turns.js';
import type { Port } from './threads.js';

/** Kind, number of the call, content. Rows cross between threads in half the time of objects, whose names are written and looked up each time. */
type Letter =
  | readonly ['call', number, unknown]
  | readonly ['answer', number, unknown]
  | readonly ['failure', number, PlainError]
  | readonly ['note', undefined, unknown];

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** To another thread, or to what stands for one in this thread. */
export interface Line {
  /** Rejects with the other side's error. `moved` are ports in the message, which the other side has from now on. */
  call(message: unknown, moved?: readonly Port[]): Promise<unknown>;
  /** A message that needs no answer. */
  note(message: unknown): void;
  close(): void;
}

/** Answers the other side's calls and takes its notes (whose answer is ignored). */
export type MailHandler = (message: unknown) => unknown;

/** When a thread takes its messages, and which of them are of one kind: see `MessageTurns`. */
export interface MailOrder {
  readonly turns: MessageTurns;
  readonly laneOf: (message: unknown) => string;
}

/** Answers go on with what was begun before. */
const ANSWERS = 'answers';

export class Mailbox implements Line {
  private readonly port: Port;
  private readonly peer: string;
  private readonly handle: MailHandler;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 0;
  private isClosed = false;

  /** `peer` names the other side in errors. */
  constructor(port: Port, peer: string, handle: MailHandler, { turns, laneOf }: MailOrder) {
    this.port = port;
    this.peer = peer;
    this.handle = handle;
    port.on('message', (letter: Letter) => {
      const [kind, , content] = letter;
      const lane = kind === 'call' || kind === 'note' ? laneOf(content) : ANSWERS;
      turns.take(lane, () => {
        this.receive(letter);
      });
    });
    port.on('close', () => {
      this.abandon();
    });
  }

  /** Rejects with the other side's error, or with `unavailable_shards_exception` when it goes away. */
  call(message: unknown, moved: readonly Port[] = []): Promise<unknown> {
    if (this.isClosed) return Promise.reject(this.gone());
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.post(['call', id, message], moved);
    });
  }

  /** A message that needs no answer. */
  note(message: unknown): void {
    if (!this.isClosed) this.post(['note', undefined, message]);
  }

  close(): void {
    this.port.close();
    this.abandon();
  }

  private post(letter: Letter, moved: readonly Port[] = []): void {
    this.port.postMessage(letter, moved);
  }

  private receive([kind, id, content]: Letter): void {
    switch (kind) {
      case 'call':
        void this.answer(id, content);
        return;
      case 'note':
        this.handle(content);
        return;
      case 'answer':
        this.settle(id)?.resolve(content);
        return;
      case 'failure':
        this.settle(id)?.reject(fromPlainError(content));
        return;
    }
  }

  private async answer(id: number, message: unknown): Promise<void> {
    let letter: Letter;
    try {
      letter = ['answer', id, await this.handle(message)];
    } catch (error) {
      letter = ['failure', id, toPlainError(error)];
    }
    if (!this.isClosed) this.post(letter);
  }

  private settle(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  private abandon(): void {
    this.isClosed = true;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const call of waiting) call.reject(this.gone());
  }

  private gone(): QuarryError {
    return new QuarryError('unavailable_shards_exception', `[${this.peer}] is not available`);
  }
}
