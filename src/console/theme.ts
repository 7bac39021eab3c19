/** Light or dark: as the system says, until somebody chooses. */
import { Store } from './store.js';

export type Theme = 'light' | 'dark';

const KEY = 'quarry.theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

export const theme = new Store<Theme>(chosen() ?? systemTheme());

system.addEventListener('change', () => {
  if (chosen() === undefined) theme.set(systemTheme());
});
theme.subscribe(apply);
apply();

export function toggleTheme(): void {
  const next = theme.current === 'dark' ? 'light' : 'dark';
  localStorage.setItem(KEY, next);
  theme.set(next);
}

function apply(): void {
  document.documentElement.dataset['theme'] = theme.current;
}

function systemTheme(): Theme {
  return system.matches ? 'dark' : 'light';
}

function chosen(): Theme | undefined {
  const text = localStorage.getItem(KEY);
  return text === 'light' || text === 'dark' ? text : undefined;
}
