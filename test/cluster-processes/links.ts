/**
 * The network between the nodes of a test: in front of each node's transport port stands a proxy, whose port is the one that
 * the node publishes. A proxy reads from a connection's first request which node it comes from, so that each link can be
 * severed for itself.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** `cut`: connections are closed and refused. `hang`: bytes are neither carried nor refused, as by a firewall. */
export type LinkState = 'open' | 'cut' | 'hang';

const HEAD_END = '\r\n\r\n';
const SENDER = /^quarry-sender: *([^\r\n]*)/im;

interface Passage {
  readonly from: string;
  readonly to: string;
  readonly near: Socket;
  readonly far: Socket;
  /** Undefined until its bytes are carried for the first time. */
  state: LinkState | undefined;
}

export class Links {
  private readonly nameOf: (nodeId: string) => string | undefined;
  private readonly states = new Map<string, LinkState>();
  private readonly proxies: Server[] = [];
  private readonly passages = new Set<Passage>();

  /** `nameOf` tells the name of the node that has this id. */
  constructor(nameOf: (nodeId: string) => string | undefined) {
    this.nameOf = nameOf;
  }

  /** Listens for the node of this name, whose own port is `target`. */
  async open(name: string, at: { readonly host: string; readonly port: number }, target: number): Promise<void> {
    const proxy = createServer((socket) => {
      this.accept(socket, name, target);
    });
    proxy.listen(at.port, at.host);
    await once(proxy, 'listening');
    this.proxies.push(proxy);
  }

  /** What happens between the two from now on, in both directions. */
  set(left: string, right: string, state: LinkState): void {
    this.states.set(linkName(left, right), state);
    for (const passage of this.passages) {
      if (linkName(passage.from, passage.to) === linkName(left, right)) this.apply(passage, state);
    }
  }

  healAll(): void {
    for (const link of [...this.states.keys()]) {
      const [left = '', right = ''] = link.split('|');
      this.set(left, right, 'open');
    }
  }

  stop(): void {
    for (const { near, far } of this.passages) {
      near.destroy();
      far.destroy();
    }
    for (const proxy of this.proxies) proxy.close();
  }

  private accept(near: Socket, to: string, target: number): void {
    let head = Buffer.alloc(0);
    near.on('error', () => undefined);
    const read = (piece: Buffer): void => {
      head = Buffer.concat([head, piece]);
      if (!head.includes(HEAD_END)) return;
      near.off('data', read);
      near.pause();
      const sender = SENDER.exec(head.toString('latin1'))?.[1] ?? '';
      this.carry(near, head, { from: this.nameOf(sender) ?? sender, to, target });
    };
    near.on('data', read);
  }

  private carry(near: Socket, head: Buffer, way: { from: string; to: string; target: number }): void {
    const state = this.states.get(linkName(way.from, way.to)) ?? 'open';
    if (state === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(way.target, '127.0.0.1');
    const passage: Passage = { from: way.from, to: way.to, near, far, state: undefined };
    this.passages.add(passage);
    const end = (): void => {
      this.passages.delete(passage);
      near.destroy();
      far.destroy();
    };
    far.on('error', end);
    far.on('close', end);
    near.on('close', end);
    // Kept by the socket until it is connected and, on a link that hangs, until it is healed.
    near.unshift(head);
    this.apply(passage, state);
  }

  private apply(passage: Passage, state: LinkState): void {
    // Two pipes between the same sockets would carry every byte twice.
    if (passage.state === state) return;
    passage.state = state;
    const { near, far } = passage;
    switch (state) {
      case 'cut':
        near.resetAndDestroy();
        far.destroy();
        return;
      case 'hang':
        near.unpipe(far);
        far.unpipe(near);
        near.pause();
        far.pause();
        return;
      case 'open':
        near.pipe(far);
        far.pipe(near);
    }
  }
}

function linkName(left: string, right: string): string {
  return [left, right].sort().join('|');
}
