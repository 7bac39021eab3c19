/** Apps, of one thread or several, to which the app that listens hands accepted connections in turn. */
import type { TemplatedApp } from 'uWebSockets.js';

/** Descriptors are numbers that hold in all threads of the process, for as long as the thread of the app is there. */
export interface AppRing {
  add(descriptor: number): void;
  /** The former one gets no more connections, and keeps those that it has. */
  replace(former: number, next: number): void;
}

/** The installed version can hand accepted connections from one app to another; its declarations do not know it. */
interface SharingApp {
  getDescriptor(): number;
  addChildAppDescriptor(descriptor: number): void;
  removeChildAppDescriptor(descriptor: number): void;
}

export function descriptorOf(app: TemplatedApp): number {
  return sharing(app).getDescriptor();
}

/** `acceptor` carries no connections of its own from now on. */
export function ringOf(acceptor: TemplatedApp): AppRing {
  return {
    add: (descriptor) => {
      sharing(acceptor).addChildAppDescriptor(descriptor);
    },
    replace: (former, next) => {
      sharing(acceptor).addChildAppDescriptor(next);
      sharing(acceptor).removeChildAppDescriptor(former);
    },
  };
}

function sharing(app: TemplatedApp): SharingApp {
  return app as unknown as SharingApp;
}
