/** What the front counts, as others are told. */
import type { FrontFigures, TransportTraffic } from '../../actions/front-figures.js';
import type { LogFields } from '../../base/logger.js';
import { sum } from '../../base/sum.js';
import type { HttpServer } from '../../http/server.js';
import type { ClientFigures } from '../../transport/client-traffic.js';
import type { TransportFigures } from '../../transport/server.js';
import type { FrontSecurity } from './front-security.js';

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

/** What one front counts of the requests of clients, or all of them together. */
export interface HttpFigures extends Pick<FrontFigures, 'requests' | 'pools' | 'connections' | 'routes' | 'security'> {
  readonly breakers: ReturnType<HttpServer['breakerFigures']>;
}

/** `security`: undefined where it is off. */
export function httpFigures(server: HttpServer, security: FrontSecurity | undefined): HttpFigures {
  return {
    ...(security === undefined ? {} : { security: security.figures() }),
    requests: server.traffic.requests(),
    routes: server.traffic.figures(),
    pools: server.poolFigures(),
    connections: server.connectionFigures(),
    breakers: server.breakerFigures(),
  };
}

/** What the limits of this run have done, for the last line of its log. */
export function servedBy({ pools, breakers }: HttpFigures, buffersRelieved: number): LogFields {
  const all = Object.values(pools);
  return {
    requests: sum(all.map(({ completed }) => completed)),
    requestsRejected: sum(all.map(({ rejected }) => rejected)),
    bodiesRefused: breakers.inflight_requests.refused,
    refusedForUnreadAnswers: breakers.in_flight_answers.refused,
    buffersRelieved,
  };
}
