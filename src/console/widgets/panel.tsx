/** A titled part of a page, and what it shows while there is nothing: loading, failed, empty. */
import type { ComponentChildren, VNode } from 'preact';
import type { Failure } from '../api/client.js';
import type { Polled } from '../api/polling.js';

interface PanelProps {
  readonly title: string;
  /** Beside the title. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({ title, aside, children }: PanelProps): VNode {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <div class="aside">{aside}</div>
      </header>
      {children}
    </section>
  );
}

interface LoadedProps<T> {
  readonly from: Polled<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows what was read; what was read last stays while reading fails. */
export function Loaded<T>({ from: { data, failure }, children }: LoadedProps<T>): VNode {
  return (
    <>
      {failure !== undefined && <FailureNote failure={failure} isOld={data !== undefined} />}
      {data !== undefined ? children(data) : failure === undefined && <p class="note quiet">Loading …</p>}
    </>
  );
}

interface FailureNoteProps {
  readonly failure: Failure;
  /** What is shown below was read before. */
  readonly isOld?: boolean;
}

export function FailureNote({ failure, isOld = false }: FailureNoteProps): VNode {
  return (
    <p class="note bad" role="alert">
      <strong>{headline(failure)}</strong> {failure.message}
      {isOld && ' What is shown is the last that was read.'}
    </p>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }): VNode {
  return <p class="note quiet">{children}</p>;
}

function headline({ status }: Failure): string {
  if (status === undefined) return 'No connection.';
  if (status === 401) return 'Sign in to see this.';
  if (status === 403) return 'You are not allowed to see this.';
  return `Error ${status}.`;
}
