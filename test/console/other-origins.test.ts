/** Pages of other origins in a real browser: it asks before requests, and keeps from pages what the node does not allow. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { ADMIN, startSecured } from '../api/security-helpers.js';
import { BROWSER, openBrowser } from './browser.js';

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials?: 'include';
}

/** What a script of the page finds out. */
interface Seen {
  readonly status?: number;
  readonly text?: string;
  /** Of the headers that it may read. */
  readonly opaqueId?: string | null;
  readonly failure?: string;
}

const JSON_BODY = { 'content-type': 'application/json' };

describe.skipIf(BROWSER === undefined)(
  `pages of other origins${BROWSER === undefined ? ' (no Chromium found: set QUARRY_CHROMIUM to one)' : ''}`,
  () => {
    let browser: Browser;
    let pages: Server;
    let origin: string;
    let node: TestNode;
    let page: Page;

    beforeAll(async () => {
      pages = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end('<!doctype html><title>a tool</title>');
      });
      await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
      browser = await openBrowser();
    });

    afterAll(async () => {
      await browser.close();
      pages.close();
    });

    afterEach(async () => {
      await page.context().close();
      await node.stop();
    });

    async function open(started: Promise<TestNode>): Promise<void> {
      node = await started;
      page = await (await browser.newContext()).newPage();
      await page.goto(origin);
    }

    function fetchInPage(path: string, asked: Asked = {}): Promise<Seen> {
      const given = JSON.stringify([node.url + path, asked]);
      return page.evaluate(`(async ([url, asked]) => {
        try {
          const answer = await fetch(url, asked);
          const opaqueId = answer.headers.get('x-opaque-id');
          return { status: answer.status, text: await answer.text(), opaqueId };
        } catch (error) {
          return { failure: error.message };
        }
      })(${given})`);
    }

    test('without http.cors.enabled a page reads nothing, and changes nothing', async () => {
      await open(TestNode.start());
      expect(await fetchInPage('/')).toEqual({ failure: 'Failed to fetch' });
      expect(await fetchInPage('/films', { method: 'PUT' })).toEqual({ failure: 'Failed to fetch' });
      expect((await node.get('/films')).status).toBe(404);
    });

    test('one that is allowed works with documents as a tool does, and reads errors', async () => {
      const settings = { 'http.cors.enabled': 'true', 'http.cors.allow-origin': origin };
      await open(TestNode.start({ ...settings, 'http.cors.expose-headers': 'X-Opaque-Id' }));
      const put = { method: 'PUT', headers: JSON_BODY, body: '{"title":"one"}' };
      expect(await fetchInPage('/films/_doc/1?refresh=true', put)).toMatchObject({ status: 201 });
      const search = { method: 'POST', headers: JSON_BODY, body: '{"query":{"match":{"title":"one"}}}' };
      const found = await fetchInPage('/films/_search?filter_path=hits.total.value', search);
      expect(found).toMatchObject({ status: 200, text: '{"hits":{"total":{"value":1}}}' });
      expect(await fetchInPage('/none/_search', search)).toMatchObject({
        status: 404,
        text: expect.stringContaining('no such index [none]') as string,
      });
      // A header that the node was not told of: the question before the request says no.
      const named = { headers: { 'x-opaque-id': 'mine' } };
      expect(await fetchInPage('/', named)).toEqual({ failure: 'Failed to fetch' });
      expect(await fetchInPage('/films', { method: 'DELETE' })).toMatchObject({ status: 200 });
    });

    test('headers that are allowed are sent, and shown', async () => {
      const allowed = { 'http.cors.allow-headers': 'X-Opaque-Id', 'http.cors.expose-headers': 'X-Opaque-Id' };
      const pattern = String.raw`/http:\/\/127\.0\.0\.1:[0-9]+/`;
      await open(TestNode.start({ 'http.cors.enabled': 'true', 'http.cors.allow-origin': pattern, ...allowed }));
      expect(await fetchInPage('/', { headers: { 'x-opaque-id': 'mine' } })).toMatchObject({
        status: 200,
        opaqueId: 'mine',
      });
    });

    test('one of another origin than the allowed ones changes nothing', async () => {
      await open(TestNode.start({ 'http.cors.enabled': 'true', 'http.cors.allow-origin': 'http://tools.example' }));
      expect(await fetchInPage('/')).toEqual({ failure: 'Failed to fetch' });
      // Browsers ask nothing before such a request.
      const plain = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"title":"one"}' };
      expect(await fetchInPage('/films/_doc', plain)).toEqual({ failure: 'Failed to fetch' });
      expect((await node.get('/films')).status).toBe(404);
    });

    test('credentials are asked for, and taken from pages that are allowed', async () => {
      const cors = {
        'http.cors.enabled': 'true',
        'http.cors.allow-origin': origin,
        'http.cors.allow-credentials': 'true',
        'http.cors.allow-headers': 'Authorization,Content-Type',
      };
      await open(startSecured(cors));
      // The question carries no credentials, and the refusal of a request without can be read.
      expect(await fetchInPage('/_cluster/health')).toMatchObject({
        status: 401,
        text: expect.stringContaining('missing authentication credentials') as string,
      });
      const asAdmin = { headers: { ...JSON_BODY, authorization: ADMIN }, credentials: 'include' } as const;
      expect(await fetchInPage('/_security/_authenticate?filter_path=username', asAdmin)).toMatchObject({
        status: 200,
        text: '{"username":"admin"}',
      });
      const created = await fetchInPage('/films', { ...asAdmin, method: 'PUT', body: '{}' });
      expect(created).toMatchObject({ status: 200 });
    });
  },
);
