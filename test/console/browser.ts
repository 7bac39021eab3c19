/** A headless Chromium, which is no part of the project: tests with it are left out where there is none. */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Undefined: none is found. */
export const BROWSER = [process.env['QUARRY_CHROMIUM'] ?? '', ...PLACES].find(
  (place) => place !== '' && existsSync(place),
);

export function openBrowser(): Promise<Browser> {
  // Root, as which containers run, may not have its sandbox.
  return chromium.launch({ executablePath: BROWSER ?? '', args: ['--no-sandbox'] });
}

export interface Tab {
  readonly page: Page;
  /** What the browser complained of: errors of scripts, of the policy and of requests. */
  readonly complaints: string[];
}

/** What Chromium takes for the language of a system that has none (`LANG=C`). */
export const NO_LANGUAGE = 'en-US@posix';

/** `expected`: complaints about requests that a test means to fail. */
export async function openTab(
  browser: Browser,
  colorScheme: 'light' | 'dark',
  expected = /^$/,
  locale = 'en-US',
): Promise<Tab> {
  const context = await browser.newContext({ colorScheme, locale, viewport: { width: 1360, height: 900 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'log' && !expected.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

/** Controls without a name, images without a text, and ids that are there twice. */
export function unnamed(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const nameOf = (element) =>
      element.getAttribute('aria-label') || element.textContent.trim() || [...(element.labels ?? [])].map((label) => label.textContent).join('');
    const controls = [...document.querySelectorAll('a, button, input, select, textarea, [role=listbox], table, nav, section')];
    const images = [...document.querySelectorAll('img:not([alt]), svg:not([aria-hidden]):not([aria-label])')];
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    return [
      ...controls.filter((element) => !nameOf(element)).map((element) => element.outerHTML.slice(0, 200)),
      ...images.map((element) => element.outerHTML.slice(0, 200)),
      ...ids.filter((id, at) => ids.indexOf(id) !== at),
    ];
  })()`);
}

/** Pairs of colours of text and what is behind it whose contrast is too low to be read (WCAG AA). */
export function faint(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => {
      const linear = [r, g, b].map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const behind = (element) => {
      for (let at = element; at !== null; at = at.parentElement) {
        const colour = parse(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
      }
      return [255, 255, 255];
    };
    const texts = [...document.querySelectorAll('body *')].filter(
      (element) => element.checkVisibility() && !element.closest(':disabled') && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''),
    );
    return texts.flatMap((element) => {
      const [one, other] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      return contrast >= 4.5 ? [] : [contrast.toFixed(2) + ' ' + element.outerHTML.slice(0, 120)];
    });
  })()`);
}
