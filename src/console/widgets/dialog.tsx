/** Dialogs over the page; the browser keeps the keyboard inside and closes them with Escape. */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

export interface Confirmation {
  readonly title: string;
  /** What it does and what cannot be taken back. */
  readonly text: string;
  readonly action: string;
  /** To be typed first, for what destroys data. */
  readonly name?: string;
  readonly carryOut: () => void;
}

interface ConfirmProps {
  readonly what: Confirmation;
  readonly onClose: () => void;
}

export function Confirm({ what, onClose }: ConfirmProps): VNode {
  const [typed, setTyped] = useState('');
  const isReady = what.name === undefined || typed === what.name;
  const confirm = (event: Event): void => {
    event.preventDefault();
    if (!isReady) return;
    what.carryOut();
    onClose();
  };
  return (
    <Dialog title={what.title} onClose={onClose}>
      <form onSubmit={confirm}>
        <p>{what.text}</p>
        {what.name !== undefined && (
          <label>
            Type <code>{what.name}</code> to go on
            <input value={typed} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
        )}
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={what.name === undefined ? 'main' : 'danger'} disabled={!isReady}>
            {what.action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
