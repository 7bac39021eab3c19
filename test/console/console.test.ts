/** The web console in a real browser against a real node. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestNode, type Json } from '../api/node-harness.js';
import { PASSWORD, startSecured } from '../api/security-helpers.js';
import { BROWSER, faint, NO_LANGUAGE, openBrowser, openTab, unnamed } from './browser.js';

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const PAGES = ['Overview', 'Nodes and shards', 'Indices', 'Snapshots', 'Tasks', 'Charts', 'Requests'];
/** Beyond the pages of the navigation. */
const VIEWS = [
  'shards/explain/films/0/replica',
  'indices/films',
  'indices/films/segments',
  'indices/films/mapping',
  'indices/films/settings',
  'indices/films/aliases',
];

describe.skipIf(BROWSER === undefined)(
  `the console${BROWSER === undefined ? ' (no Chromium found: set QUARRY_CHROMIUM to one)' : ''}`,
  () => {
    let node: TestNode;
    let browser: Browser;

    beforeAll(async () => {
      node = await TestNode.start();
      await node.put('/films', {
        settings: { number_of_shards: 1, number_of_replicas: 1 },
        mappings: { _meta: { note: HOSTILE }, properties: { title: { type: 'text' }, genre: { type: 'keyword' } } },
      });
      await node.put("/films/_alias/x'onclick=window.hacked=1", { filter: { term: { genre: HOSTILE } } });
      await node.put('/logs', { settings: { number_of_replicas: 0 } });
      await node.put('/films/_doc/1?refresh=true', { title: HOSTILE, genre: 'noir' });
      browser = await openBrowser();
    });

    afterAll(async () => {
      await browser.close();
      await node.stop();
    });

    const open = async (page: Page, place: string): Promise<void> => {
      await page.goto(`${node.url}/_console/#/${place}`);
      await page.locator('main h1').waitFor();
    };

    const hasLoaded = async (page: Page): Promise<void> => {
      await expect.poll(() => page.getByText('Loading …').count(), { timeout: 10_000 }).toBe(0);
    };

    test.each(['light', 'dark'] as const)(
      'every page is drawn in %s, can be read and has names for all controls',
      async (scheme) => {
        const { page, complaints } = await openTab(browser, scheme);
        await open(page, '');
        const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect(paper).toBe(scheme === 'light' ? 'rgb(246, 245, 241)' : 'rgb(20, 23, 26)');
        const check = async (where: string): Promise<void> => {
          await hasLoaded(page);
          expect(await unnamed(page), where).toEqual([]);
          expect(await faint(page), where).toEqual([]);
        };
        for (const title of PAGES) {
          await page.getByRole('link', { name: title, exact: true }).first().click();
          await page.getByRole('heading', { level: 1, name: title }).waitFor();
          await check(title);
        }
        for (const view of VIEWS) {
          await open(page, view);
          await check(view);
        }
        expect(await page.locator('[role=alert]').count()).toBe(0);
        expect(complaints).toEqual([]);
        await page.context().close();
      },
    );

    test('it is drawn where the system has no language', async () => {
      const { page, complaints } = await openTab(browser, 'light', undefined, NO_LANGUAGE);
      await open(page, 'charts');
      await page.locator('.plot canvas').first().waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('charts show the heap as such, and whatever waits in a queue', async () => {
      const { page, complaints } = await openTab(browser, 'light');
      // The figures of the node, with others in the places that they have.
      await page.route('**/_nodes/stats/**', async (route) => {
        const response = await route.fetch();
        const json = (await response.json()) as Json;
        for (const stats of Object.values<Json>(json.nodes)) {
          expect(Object.keys(stats.jvm.mem)).toContain('javascript_used_in_bytes');
          stats.jvm.mem = { heap_used_in_bytes: 3 * 2 ** 30, javascript_used_in_bytes: 2 ** 27 };
          for (const [pool, queue] of Object.entries({ search: 5, index_searcher: 7, management: 3, analyze: 2 })) {
            stats.thread_pool[pool].queue = queue;
          }
        }
        await route.fulfill({ json });
      });
      await open(page, 'charts');
      const legend = (title: string): Promise<readonly string[]> =>
        page
          .locator('figure.chart')
          .filter({ has: page.getByText(title, { exact: true }) })
          .locator('.legend b')
          .allTextContents();
      await expect.poll(() => legend('JavaScript heap'), { timeout: 15_000 }).toEqual(['128 MB']);
      expect(await legend('Private memory of the process')).toEqual(['3.00 GB']);
      expect(await legend('Waiting in queues')).toEqual(['5', '0', '3', '2']);
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('the theme is switched and stays so', async () => {
      const { page } = await openTab(browser, 'light');
      await open(page, 'overview');
      await page.getByRole('button', { name: 'Dark theme' }).click();
      await page.reload();
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
      await page.context().close();
    });

    test('the keyboard alone reaches everything, in order', async () => {
      const { page } = await openTab(browser, 'light');
      await open(page, 'overview');
      const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent.replace(/\\d$/, '')");
      const order: string[] = [];
      for (let presses = 0; presses < 1 + PAGES.length; presses++) {
        await page.keyboard.press('Tab');
        order.push(await focused());
      }
      expect(order).toEqual(['To the content', ...PAGES]);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
      await page.getByRole('link', { name: 'Overview' }).focus();
      await page.keyboard.press('3');
      await page.getByRole('table', { name: 'Indices' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('film');
      expect(await page.getByRole('table', { name: 'Indices' }).locator('tbody tr').count()).toBe(1);
      await page.context().close();
    });

    test('an unassigned shard is explained, and the request that mends it is sent', async () => {
      const { page, complaints } = await openTab(browser, 'light');
      await open(page, 'shards');
      await page.getByRole('link', { name: 'shard 0, replica, unassigned' }).click();
      await page.getByText('has no place since its index was created').waitFor();
      await page.getByText('it holds a copy of this shard already').waitFor();
      await page.getByRole('button', { name: 'Open in the editor' }).click();
      expect(await page.getByLabel('Method').inputValue()).toBe('PUT');
      expect(await page.getByRole('combobox', { name: 'Path' }).inputValue()).toBe('films/_settings');
      await page.getByLabel('Body', { exact: true }).press('Control+Enter');
      await page.getByLabel('Body of the answer').getByText('"acknowledged": true').waitFor();
      expect((await node.get('/films/_settings')).json().films.settings.index.number_of_replicas).toBe('0');
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('the editor completes paths and fields, shows the answer as text, and remembers', async () => {
      const { page, complaints } = await openTab(browser, 'dark', /status of 400/);
      await open(page, 'requests');
      const path = page.getByRole('combobox', { name: 'Path' });
      await path.fill('');
      await path.pressSequentially('fil');
      await page.getByRole('option', { name: 'films', exact: true }).waitFor();
      await path.press('ArrowDown');
      await path.press('Enter');
      expect(await path.inputValue()).toBe('films');
      await path.pressSequentially('/_sea');
      await page.getByRole('option', { name: 'films/_search', exact: true }).waitFor();
      await path.press('ArrowDown');
      await path.press('Tab');
      expect(await path.inputValue()).toBe('films/_search');
      await path.pressSequentially('?request_c');
      await page.getByRole('option', { name: 'films/_search?request_cache=', exact: true }).waitFor();
      await path.press('ArrowDown');
      await path.press('Enter');
      await page.getByRole('option', { name: 'films/_search?request_cache=false', exact: true }).waitFor();
      await path.press('ArrowDown');
      await path.press('ArrowDown');
      await path.press('Enter');
      expect(await path.inputValue()).toBe('films/_search?request_cache=false');
      await path.fill('films/_search');
      const body = page.getByLabel('Body', { exact: true });
      await body.fill('');
      await body.pressSequentially('{"query":{"term":{"gen');
      await page.getByRole('option', { name: 'genre', exact: true }).waitFor();
      await body.press('ArrowDown');
      await body.press('Enter');
      await body.pressSequentially(':"noir"}}}');
      await body.press('Control+Enter');
      await page.getByLabel('Body of the answer').getByText('onerror').waitFor();
      await page.getByText('200', { exact: true }).waitFor();
      await page.getByLabel('Method').selectOption('PUT');
      await path.fill('_security/user/somebody');
      await body.fill('{"password":"a-secret"}');
      await body.press('Control+Enter');
      await page.getByText('400', { exact: true }).waitFor();
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('a-secret');
      await page.reload();
      await page.getByRole('button', { name: /^GET films\/_search/ }).waitFor();
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('names and documents of others stay text wherever they are shown', async () => {
      const { page } = await openTab(browser, 'light');
      for (const view of [
        'indices/films/aliases',
        'indices/films/mapping',
        'indices/films/settings',
        'shards',
        'tasks',
      ]) {
        await open(page, view);
        await hasLoaded(page);
      }
      await open(page, `indices/${encodeURIComponent(HOSTILE)}`);
      await page.locator('[role=alert]').first().waitFor();
      await open(page, `shards/explain/${encodeURIComponent(HOSTILE)}/0/primary`);
      await page.locator('[role=alert]').first().waitFor();
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(await page.locator('main img, main script').count()).toBe(0);
      await page.context().close();
    });

    test('a task is cancelled', async () => {
      await node.put('/slow', { settings: { number_of_replicas: 0 } });
      await node.bulk(
        '/slow/_bulk?refresh=true',
        Array.from({ length: 200 }, (_, id) => [{ index: {} }, { id }]).flat(),
      );
      const started = await node.post('/_reindex?wait_for_completion=false&requests_per_second=1', {
        source: { index: 'slow', size: 10 },
        dest: { index: 'copy' },
      });
      const { task } = started.json();
      const { page, complaints } = await openTab(browser, 'light');
      await open(page, 'tasks');
      await page.getByRole('button', { name: new RegExp(`reindex ${task}$`) }).click();
      await page.getByRole('button', { name: 'Cancel the task' }).click();
      await page.getByText(`Cancel ${task}: done.`).waitFor();
      const end = await node.until(async () => {
        const answer = (await node.get(`/_tasks/${task}`)).json();
        return answer.completed === true ? answer : undefined;
      });
      expect(end.response.canceled).toContain('by user request');
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('an index is deleted only after its name was typed', async () => {
      await node.put('/doomed', {});
      const { page } = await openTab(browser, 'light');
      await open(page, 'indices/doomed');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      const confirm = page.getByRole('button', { name: 'Delete the index' });
      expect(await confirm.isDisabled()).toBe(true);
      await page.getByRole('textbox', { name: /Type doomed/ }).fill('doomed');
      await confirm.click();
      await page.getByText('Delete doomed: done.').waitFor();
      expect((await node.request('HEAD', '/doomed')).status).toBe(404);
      await page.context().close();
    });

    test('with security on it asks who is there, and says what is not allowed', async () => {
      const secured = await startSecured();
      const { page, complaints } = await openTab(browser, 'light', /status of 40[13]/);
      await page.goto(`${secured.url}/_console/`);
      await page.getByLabel('User', { exact: true }).fill('admin');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('The node does not know this user').waitFor();
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('All shards have all their copies.').waitFor();
      await page.getByRole('button', { name: 'Sign out admin' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage])')).not.toContain('Basic');
      expect(complaints).toEqual([]);
      await page.context().close();
      await secured.stop();
    });
  },
);
