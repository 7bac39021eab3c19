/** Requests that the front answers itself, at once or in one of its next turns: they are no tasks, and no worker hears of them. */
import type { Clock } from '../base/clock.js';
import type { HttpMethod } from '../rest/endpoint.js';
import type { BareRequest, PromptAnswer, WireRoute } from '../rest/wire.js';
import type { Admission } from './admission.js';
import type { CompleteRequest } from './complete-request.js';
import { LateReads, LateReadsByEndpoint, NO_TIME, type NoTime } from './late-reads.js';
import type { Outgoing } from './outgoing.js';

/**
 * The answer to a request that costs little here; undefined: a worker is to give it. `NO_TIME`: ask again in the next turn. `isNext`: none of its
 * kind waits.
 */
export type AnswerAtOnce = (
  request: BareRequest,
  body: Uint8Array | undefined,
  route: WireRoute,
  isNext: boolean,
) => PromptAnswer | NoTime | undefined;

export interface PromptAnswersOptions {
  readonly clock: Clock;
  readonly admission: Admission;
  readonly outgoing: Outgoing;
  readonly answerAtOnce: AnswerAtOnce;
  /** Takes one that had to wait, and turns out to need a worker. */
  readonly otherwise: (request: CompleteRequest) => void;
}

export class PromptAnswers {
  private readonly options: PromptAnswersOptions;
  private readonly lateReads: LateReadsByEndpoint;

  constructor(options: PromptAnswersOptions) {
    const { admission, clock } = options;
    this.options = options;
    this.lateReads = new LateReadsByEndpoint(() => new LateReads(admission, clock));
  }

  /**
   * False: the request takes the usual way. One that is answered here is no task, and waits for none: it is over before anybody could ask for it. Its
   * body is given back.
   */
  take(request: CompleteRequest): boolean {
    if (!mayAnswer(request)) return false;
    const { exchange, found, body } = request;
    const answer = (isNext: boolean): boolean | NoTime => {
      const answered = exchange.isAborted || this.answer(request, isNext);
      if (answered === true) body?.release();
      return answered;
    };
    const { endpoint, pool } = found.route;
    // Nobody passes those of the same kind that wait.
    const answered = answer(this.lateReads.isEmpty(endpoint));
    if (answered !== NO_TIME) return answered;
    const { clock, otherwise } = this.options;
    exchange.sinceMs ??= clock.monotonicMs();
    return this.lateReads.add(endpoint, {
      pool,
      answer: () => answer(true),
      otherwise: () => {
        otherwise(request);
      },
      fail: (error) => {
        body?.release();
        exchange.sendError(error);
      },
    });
  }

  private answer({ exchange, found, body, subject }: CompleteRequest, isNext: boolean): boolean | NoTime {
    const { outgoing, admission, answerAtOnce } = this.options;
    if (outgoing.isFull) return false;
    const { route, parts } = found;
    const { rawPath, query, headers } = exchange;
    const request: BareRequest = {
      endpoint: route.endpoint,
      method: exchange.method as HttpMethod,
      rawPath,
      parts,
      query,
      headers,
      subject,
      audit: exchange.auditOf(route),
    };
    const answer = answerAtOnce(request, body?.bytes, route, isNext);
    if (answer === undefined) return false;
    if (answer === NO_TIME) return NO_TIME;
    outgoing.traffic.asked(route, body?.bytes.length ?? 0);
    admission.pass(route.pool);
    outgoing.unanswered++;
    outgoing.send(exchange, route, answer);
    return true;
  }
}

/** Not to HEAD: its answers go out whole, however many are asked for. */
function mayAnswer({ exchange, found }: CompleteRequest): boolean {
  return found.route.placement === 'near' && exchange.method !== 'HEAD';
}
