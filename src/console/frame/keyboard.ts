/** Keys that work wherever nobody is typing. */
import { goTo, PAGES } from '../routes.js';

/** `1` to `7` lead to the pages, `/` to the filter of the page. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const page = PAGES[Number(event.key) - 1];
    if (page !== undefined) goTo(page.name);
    else if (event.key === '/') document.querySelector<HTMLInputElement>('input.filter')?.focus();
    else return;
    event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog, [contenteditable]') !== null;
}
