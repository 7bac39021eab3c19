/**
 * Exits with 0 when the node answers: the health check of a container. `QUARRY_HEALTH_URL` names another address. Any answer
 * below 500 will do, since a node with security tells a stranger nothing but 401; its certificate is not verified.
 */
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';

const TIMEOUT_MS = 4_000;
const url = process.env.QUARRY_HEALTH_URL ?? 'http://127.0.0.1:9200/';
const ask = url.startsWith('https:') ? overHttps : overHttp;

function fail(reason) {
  console.error(`${url}: ${reason}`);
  process.exit(1);
}

const request = ask(url, { rejectUnauthorized: false, timeout: TIMEOUT_MS }, (answer) => {
  answer.resume();
  if (answer.statusCode >= 500) fail(`status ${answer.statusCode}`);
});
request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
request.on('error', (error) => fail(error.message));
request.end();
