/** Where in the console somebody is: the part of the address after the hash sign. */
import { Store } from './store.js';

export const PAGES = [
  { name: 'overview', title: 'Overview' },
  { name: 'shards', title: 'Nodes and shards' },
  { name: 'indices', title: 'Indices' },
  { name: 'snapshots', title: 'Snapshots' },
  { name: 'tasks', title: 'Tasks' },
  { name: 'charts', title: 'Charts' },
  { name: 'requests', title: 'Requests' },
] as const;

export type PageName = (typeof PAGES)[number]['name'];

export interface Place {
  readonly page: PageName;
  /** What of the page is looked at, decoded. */
  readonly parts: readonly string[];
}

export const place = new Store(readPlace(location.hash));

window.addEventListener('hashchange', () => {
  place.set(readPlace(location.hash));
});

/** An address for links. */
export function linkTo(page: PageName, ...parts: readonly string[]): string {
  return `#/${[page, ...parts].map(encodeURIComponent).join('/')}`;
}

export function goTo(page: PageName, ...parts: readonly string[]): void {
  location.hash = linkTo(page, ...parts);
}

function readPlace(hash: string): Place {
  const [name = '', ...parts] = hash.replace(/^#\/?/, '').split('/').map(decode);
  const page = PAGES.find((each) => each.name === name)?.name ?? 'overview';
  return { page, parts: parts.filter((part) => part !== '') };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
