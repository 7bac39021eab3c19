/** The web console of users with few privileges, in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestNode } from '../api/node-harness.js';
import { ADMIN, PASSWORD, startSecured } from '../api/security-helpers.js';
import { BROWSER, faint, openBrowser, openTab, unnamed } from './browser.js';

const VIEWS = [
  'overview',
  'shards',
  'shards/explain/films/0/replica',
  'indices',
  'indices/films',
  'indices/films/segments',
  'indices/films/mapping',
  'snapshots',
  'tasks',
  'charts',
  'requests',
];

describe.skipIf(BROWSER === undefined)(
  `the console with few privileges${BROWSER === undefined ? ' (no Chromium found: set QUARRY_CHROMIUM to one)' : ''}`,
  () => {
    let node: TestNode;
    let browser: Browser;

    beforeAll(async () => {
      node = await startSecured();
      await admin('PUT', '/_security/role/others', {
        cluster: ['monitor'],
        indices: [{ names: ['others-*'], privileges: ['monitor'] }],
      });
      await admin('PUT', '/_security/user/of-console', { password: PASSWORD, roles: ['console_admin'] });
      await admin('PUT', '/_security/user/of-others', { password: PASSWORD, roles: ['others'] });
      browser = await openBrowser();
    });

    afterAll(async () => {
      await browser.close();
      await node.stop();
    });

    async function admin(method: string, path: string, body: unknown): Promise<void> {
      const answer = await node.request(method, path, body, { authorization: ADMIN });
      expect(answer.status, answer.text).toBeLessThan(300);
    }

    const open = async (page: Page, place: string): Promise<void> => {
      await page.goto(`${node.url}/_console/#/${place}`);
      await page.locator('main h1').waitFor();
    };

    const signIn = async (page: Page, user: string): Promise<void> => {
      await open(page, 'indices');
      await page.getByLabel('User', { exact: true }).fill(user);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: `Sign out ${user}` }).waitFor();
    };

    test('who may see no index is told so, and not that there is none', async () => {
      const { page } = await openTab(browser, 'light', /./);
      await signIn(page, 'of-others');
      await page.getByText('There is no index yet.').waitFor();
      await admin('PUT', '/films', { settings: { number_of_replicas: 1 } });
      await page.getByText('The cluster has indices, but none that your privileges let you see.').waitFor();
      expect(await page.getByText('There is no index yet.').count()).toBe(0);
      expect(await unnamed(page)).toEqual([]);
      expect(await faint(page)).toEqual([]);
      await page.context().close();
    });

    test('the role of the console shows every page', async () => {
      await admin('PUT', '/films/_doc/1?refresh=true', { title: 'one' });
      const { page, complaints } = await openTab(browser, 'dark', /status of 401/);
      await signIn(page, 'of-console');
      await page.getByRole('link', { name: 'films' }).waitFor();
      for (const view of VIEWS) {
        await open(page, view);
        await expect.poll(() => page.getByText('Loading …').count(), { timeout: 10_000 }).toBe(0);
        expect([view, await page.locator('[role=alert]').allTextContents()]).toEqual([view, []]);
      }
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  },
);
