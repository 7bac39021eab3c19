/** What the front counts, as others are told. */
import type { TransportTraffic } from '../../actions/front-figures.js';
import type { LogFields } from '../../base/logger.js';
import type { HttpServer } from '../../http/server.js';
import type { ClientFigures } from '../../transport/client-traffic.js';
import type { TransportFigures } from '../../transport/server.js';

/** `asked`: what this node asked of others. Zeros while its port is not open. */
export function transportTraffic(figures: TransportFigures | undefined, asked: ClientFigures): TransportTraffic {
  return {
    active: figures?.active ?? 0,
    completed: figures?.completed ?? 0,
    rejected: figures?.rejected ?? 0,
    receivedBytes: figures?.receivedBytes ?? 0,
    sentBytes: figures?.sentBytes ?? 0,
    watchers: figures?.watchers ?? 0,
    refused: figures?.refused ?? 0,
    asked,
  };
}

/** What the limits of this run have done, for the last line of its log. */
export function servedBy(http: HttpServer | undefined, buffersRelieved: number): LogFields {
  const pools = Object.values(http?.poolFigures() ?? {});
  const breakers = http?.breakerFigures();
  return {
    requests: sum(pools.map(({ completed }) => completed)),
    requestsRejected: sum(pools.map(({ rejected }) => rejected)),
    bodiesRefused: breakers?.inflight_requests.refused,
    refusedForUnreadAnswers: breakers?.in_flight_answers.refused,
    buffersRelieved,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
