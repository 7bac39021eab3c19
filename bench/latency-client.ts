/**
 * One connection on which one request at a time is timed. A general client takes as long for a small answer as a server does, and that would be
 * measured with both: here a request is bytes that are ready, and of an answer no more is read than where it ends.
 */
import { connect, type Socket } from 'node:net';

export interface TimedAnswer {
  /** From the first byte written to the last one read. */
  readonly milliseconds: number;
  readonly status: number;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');

export class LatencyClient {
  private readonly socket: Socket;
  private readonly host: string;
  private pieces: Buffer[] = [];
  private waiting: { resolve(bytes: Buffer): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket, host: string) {
    this.socket = socket;
    this.host = host;
    socket.setNoDelay(true);
    socket.on('data', (piece: Buffer) => {
      this.take(piece);
    });
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error(`${host} closed the connection`)));
  }

  static open(url: string): Promise<LatencyClient> {
    const { hostname, port, host } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once('connect', () => {
        resolve(new LatencyClient(socket, host));
      });
      socket.once('error', reject);
    });
  }

  /** A request as {@link send} takes it. */
  request(method: string, path: string, body: string): Buffer {
    const head = [
      `${method} ${path} HTTP/1.1`,
      `Host: ${this.host}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'utf8');
  }

  /** Rejects when the answer does not say how long it is, or the connection ends. */
  async send(request: Buffer): Promise<TimedAnswer> {
    if (this.socket.destroyed) throw new Error(`the connection to ${this.host} is closed`);
    const started = performance.now();
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
    const milliseconds = performance.now() - started;
    const status = Number(bytes.toString('latin1', 9, 12));
    return { milliseconds, status, body: bytes.subarray(bytes.indexOf(HEAD_END) + HEAD_END.length) };
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private take(piece: Buffer): void {
    this.pieces.push(piece);
    const bytes = this.pieces.length === 1 ? piece : Buffer.concat(this.pieces);
    this.pieces = [bytes];
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1];
    if (length === undefined) this.waiting?.reject(new Error(`${this.host} answered without [Content-Length]`));
    else if (bytes.length >= headEnd + HEAD_END.length + Number(length)) this.finish(bytes);
  }

  private finish(bytes: Buffer): void {
    this.pieces = [];
    this.waiting?.resolve(bytes);
  }
}
