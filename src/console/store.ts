/** A value that several parts of the page share, and that tells them when it changes. */
import { useEffect, useState } from 'preact/hooks';

export class Store<T> {
  private value: T;
  private readonly listeners = new Set<() => void>();

  constructor(value: T) {
    this.value = value;
  }

  get current(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}

/** The value of the store; the component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.current);
  useEffect(() => {
    const follow = (): void => {
      setValue(store.current);
    };
    follow();
    return store.subscribe(follow);
  }, [store]);
  return value;
}
