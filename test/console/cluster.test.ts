/** The web console in a real browser, of a cluster of several nodes: copies that move, a node that is lost, thousands of indices. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../api/node-harness.js';
import { TestCluster } from '../cluster-processes/cluster-harness.js';
import { BROWSER, faint, openBrowser, openTab, unnamed } from './browser.js';

const NODES = ['n1', 'n2', 'n3'];
/** A move at this pace is still under way when a slow browser has shown all that is asked of it. */
const SLOW = '150kb';
const DOCUMENTS = 2_000;
/** Pages read what they show every few seconds. */
const SOON = { timeout: 30_000 };

describe.skipIf(BROWSER === undefined)(
  `the console of a cluster${BROWSER === undefined ? ' (no Chromium found: set QUARRY_CHROMIUM to one)' : ''}`,
  { timeout: 180_000 },
  () => {
    let cluster: TestCluster;
    let browser: Browser;

    beforeAll(async () => {
      const settings = { 'node.processors': '1', 'cluster.routing.allocation.node_concurrent_recoveries': '1' };
      cluster = await TestCluster.start({ nodes: NODES, settings });
      await create('kept', { number_of_replicas: 1, 'routing.allocation.require._name': 'n1,n2' });
      await create('moving', { number_of_replicas: 0, 'routing.allocation.require._name': 'n1' });
      // What cannot be packed.
      const lines = Array.from({ length: DOCUMENTS }, () => [
        { index: {} },
        { text: Array.from({ length: 200 }, () => Math.random().toString(36).slice(2)).join(' ') },
      ]);
      await cluster.node().bulk('/moving/_bulk?refresh=true', lines.flat());
      await cluster.node().post('/moving/_flush');
      browser = await openBrowser();
    }, 120_000);

    afterAll(async () => {
      await browser.close();
      await cluster.stop();
    });

    async function create(name: string, settings: Json): Promise<void> {
      const made = await cluster.node().put(`/${name}?wait_for_active_shards=all`, { settings: { index: settings } });
      expect(made.status, made.text).toBe(200);
    }

    async function pace(bytesPerSecond: string | null): Promise<void> {
      const persistent = { 'indices.recovery.max_bytes_per_sec': bytesPerSecond };
      expect((await cluster.node('n2').put('/_cluster/settings', { persistent })).status).toBe(200);
    }

    const open = async (page: Page, place: string): Promise<void> => {
      await page.goto(`${cluster.node('n2').url}/_console/#/${place}`);
      await page.locator('main h1').waitFor();
    };

    /** What the grid shows of an index, by its columns. */
    async function row(page: Page, index: string): Promise<Readonly<Record<string, string>>> {
      const grid = page.getByRole('table', { name: 'Shards by index and node' });
      const titles = await grid.locator('thead th').allTextContents();
      const cells = grid
        .locator('tbody tr')
        .filter({ has: page.getByRole('link', { name: index, exact: true }) })
        .locator('td');
      const copies = await Promise.all(
        (await cells.all()).map(async (cell) => {
          const links = await cell.getByRole('link').all();
          return (await Promise.all(links.map((link) => link.getAttribute('aria-label')))).join('; ');
        }),
      );
      return Object.fromEntries(copies.map((text, at) => [titles[at + 1] ?? '', text]));
    }

    test.each(['light', 'dark'] as const)('a move is seen in %s, with its progress, and its end', async (scheme) => {
      const { page, complaints } = await openTab(browser, scheme);
      const [from, to] = scheme === 'light' ? ['n1', 'n3'] : ['n3', 'n1'];
      await pace(SLOW);
      await open(page, 'shards');
      const nodes = page.getByRole('table', { name: 'Nodes' }).locator('tbody tr');
      await expect.poll(() => nodes.count(), SOON).toBe(NODES.length);
      await expect
        .poll(() => row(page, 'moving'), SOON)
        .toMatchObject({ [from]: 'shard 0, primary, started', [to]: '' });
      const settings = { 'index.routing.allocation.require._name': to };
      expect((await cluster.node('n2').put('/moving/_settings', settings)).status).toBe(200);
      const during = {
        [from]: `shard 0, primary, relocating to ${to}`,
        [to]: 'shard 0, primary, initializing',
        unassigned: '',
      };
      await expect.poll(() => row(page, 'moving'), SOON).toMatchObject(during);
      const moves = page.getByRole('table', { name: 'Moves and recoveries' });
      const move = moves.getByRole('row').filter({ hasText: 'moving' });
      await expect
        .poll(() => move.locator('td').allTextContents(), SOON)
        .toEqual([
          'moving',
          '0',
          'peer',
          from,
          to,
          'index',
          expect.stringMatching(/^\d+ %$/),
          expect.stringMatching(/^[\d.,]+ \S+ of [\d.,]+ \S+$/),
          expect.stringMatching(/^[\d.]+m?s$/),
        ]);
      const percent = async (): Promise<number> => Number.parseInt(await move.locator('.meter').innerText());
      await expect.poll(percent, SOON).toBeGreaterThan(10);
      expect(await unnamed(page)).toEqual([]);
      expect(await faint(page)).toEqual([]);
      await pace(null);
      await page.getByText('Nothing is being moved or recovered.').waitFor({ timeout: 60_000 });
      await expect
        .poll(() => row(page, 'moving'), SOON)
        .toMatchObject({ [from]: '', [to]: 'shard 0, primary, started' });
      await page
        .getByRole('table', { name: 'Shards by index and node' })
        .getByRole('link', { name: 'shard 0, primary, started' })
        .last()
        .click();
      await page.getByRole('heading', { name: 'Why is this copy where it is?' }).waitFor();
      await page.getByText(`The primary of shard 0 of moving is started on ${to}.`).waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('of thousands of indices lists show a part, find any, and stay quick to use', async () => {
      const { page, complaints } = await openTab(browser, 'light');
      const count = 5_000;
      const [known] = (await cluster.node('n2').get('/_cat/indices/moving?format=json&bytes=b')).json() as Json[];
      const { routing_table: table, ...state } = (
        await cluster.node('n2').get('/_cluster/state/master_node,nodes,routing_table')
      ).json() as Json;
      // Answers as a node with so many indices would give: to make them would take minutes.
      const names = Array.from({ length: count }, (_, at) => `logs-${String(at).padStart(5, '0')}`);
      await page.route('**/_cat/indices?*', (route) =>
        route.fulfill({ json: names.map((index, at) => ({ ...known, index, uuid: index, 'docs.count': String(at) })) }),
      );
      const indices = Object.fromEntries(names.map((name) => [name, table.indices.moving]));
      await page.route('**/_cluster/state/**', (route) =>
        route.fulfill({ json: { ...state, routing_table: { indices } } }),
      );
      await open(page, 'indices');
      const list = page.getByRole('table', { name: 'Indices' });
      await page.getByText('The first 500 of 5,000 rows: filter to see others.').waitFor();
      expect(await list.locator('tbody tr').count()).toBe(500);
      await list.getByRole('button', { name: 'Documents' }).click();
      await list.locator('tbody tr').first().getByText('logs-04999').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('04321');
      await expect.poll(() => list.locator('tbody tr').count(), SOON).toBe(1);
      await page.getByRole('link', { name: 'Nodes and shards' }).click();
      const grid = page.getByRole('table', { name: 'Shards by index and node' });
      await page.getByText('The first 200 of 5,000 indices: filter to see others.').waitFor();
      expect(await grid.locator('tbody tr').count()).toBe(200);
      await page.keyboard.press('/');
      await page.keyboard.type('04321');
      await expect.poll(() => grid.locator('tbody tr').count(), SOON).toBe(1);
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('a node that is lost leaves its copies without a place, and says how long they wait', async () => {
      const { page } = await openTab(browser, 'dark', /./);
      await open(page, 'shards');
      await expect.poll(() => row(page, 'kept'), SOON).toMatchObject({ n3: '', unassigned: '' });
      await cluster.member('n1').kill();
      await expect
        .poll(() => row(page, 'kept'), SOON)
        .toEqual({
          n2: 'shard 0, primary, started',
          n3: '',
          unassigned: 'shard 0, replica, unassigned',
        });
      await page.getByRole('link', { name: 'shard 0, replica, unassigned' }).click();
      await page.getByText('has no place since the node that held it left the cluster').waitFor();
      await page.getByText('The node may come back: the cluster waits for it').waitFor();
      expect(await unnamed(page)).toEqual([]);
      expect(await faint(page)).toEqual([]);
      await cluster.member('n1').start();
      await page.getByText('The replica of shard 0 of kept is started on n1.').waitFor({ timeout: 60_000 });
      await page.context().close();
    });
  },
);
