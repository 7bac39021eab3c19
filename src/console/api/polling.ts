/** Reads a resource again and again while somebody looks: more rarely while that fails, not at all while the tab is hidden. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure, read } from './client.js';
import { credentials } from './credentials.js';
import type { Resource } from './resource.js';

export const LIVE_MS = 3_000;
const BACK_OFF_MS_MAX = 30_000;

export interface Polled<T> {
  /** The last that was read, also while reading fails. */
  readonly data: T | undefined;
  readonly failure: Failure | undefined;
  /** Reads now. */
  readonly refresh: () => void;
}

interface Held<T> {
  readonly path: string;
  readonly data: T | undefined;
  readonly failure: Failure | undefined;
}

/** `everyMs` undefined: once. An undefined resource is not read. */
export function usePolled<T>(resource: Resource<T> | undefined, everyMs: number | undefined = LIVE_MS): Polled<T> {
  const path = resource?.path ?? '';
  const [held, setHeld] = useState<Held<T>>({ path, data: undefined, failure: undefined });
  const refresh = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (path === '') return undefined;
    const poll = new Poll<T>({ path }, everyMs, (data, failure) => {
      setHeld((last) => ({ path, data: data ?? (last.path === path ? last.data : undefined), failure }));
    });
    refresh.current = () => {
      poll.now();
    };
    const stopWatching = credentials.subscribe(() => {
      poll.now();
    });
    return () => {
      stopWatching();
      poll.stop();
    };
  }, [path, everyMs]);
  const isOfPath = held.path === path;
  return {
    data: isOfPath ? held.data : undefined,
    failure: isOfPath ? held.failure : undefined,
    refresh: () => {
      refresh.current();
    },
  };
}

type Tell<T> = (data: T | undefined, failure: Failure | undefined) => void;

/** One resource that is read until it is stopped. */
export class Poll<T> {
  private readonly resource: Resource<T>;
  private readonly everyMs: number | undefined;
  private readonly tell: Tell<T>;
  private timer: number | undefined;
  private under: AbortController | undefined;
  private failures = 0;
  private isStopped = false;
  private readonly onVisible = (): void => {
    if (!document.hidden && this.everyMs !== undefined) this.now();
  };

  constructor(resource: Resource<T>, everyMs: number | undefined, tell: Tell<T>) {
    this.resource = resource;
    this.everyMs = everyMs;
    this.tell = tell;
    document.addEventListener('visibilitychange', this.onVisible);
    this.now();
  }

  now(): void {
    window.clearTimeout(this.timer);
    this.under?.abort();
    void this.round(new AbortController());
  }

  stop(): void {
    this.isStopped = true;
    window.clearTimeout(this.timer);
    this.under?.abort();
    document.removeEventListener('visibilitychange', this.onVisible);
  }

  private async round(controller: AbortController): Promise<void> {
    this.under = controller;
    let data: T | undefined;
    let failure: Failure | undefined;
    try {
      data = await read(this.resource, controller.signal);
    } catch (error) {
      failure = error instanceof Failure ? error : new Failure(String(error));
    }
    if (controller.signal.aborted || this.isStopped) return;
    this.failures = failure === undefined ? 0 : this.failures + 1;
    this.tell(data, failure);
    this.later();
  }

  private later(): void {
    if (this.everyMs === undefined || document.hidden) return;
    const delayMs = Math.min(BACK_OFF_MS_MAX, this.everyMs * 2 ** this.failures);
    this.timer = window.setTimeout(() => {
      this.now();
    }, delayMs);
  }
}
