/** Requests that workers answer: each waits for its place in a pool, and is a task while it is served. */
import type { Clock } from '../base/clock.js';
import type { TaskTable } from '../base/tasks/task-table.js';
import type { HttpMethod } from '../rest/endpoint.js';
import type { WireAnswer, WireRequest, WireRoute } from '../rest/wire.js';
import type { Admission, Admitted } from './admission.js';
import type { CompleteRequest } from './complete-request.js';
import type { Outgoing } from './outgoing.js';

/** Has a worker answer the request. */
export type Serve = (request: WireRequest, route: WireRoute) => Promise<WireAnswer>;

export interface WorkerAnswersOptions {
  readonly clock: Clock;
  readonly tasks: TaskTable;
  readonly admission: Admission;
  readonly outgoing: Outgoing;
  readonly serve: Serve;
}

export class WorkerAnswers {
  private readonly options: WorkerAnswersOptions;

  constructor(options: WorkerAnswersOptions) {
    this.options = options;
  }

  /** Never throws: a request that is refused is answered so. */
  take(request: CompleteRequest): void {
    const { exchange, found, body } = request;
    const { clock, admission, outgoing } = this.options;
    exchange.sinceMs ??= clock.monotonicMs();
    outgoing.traffic.asked(found.route, body?.bytes.length ?? 0);
    try {
      if (outgoing.isFull) throw outgoing.refusal();
      admission.enter(found.route.pool, async (admitted) => {
        const isOver = exchange.isAborted || (await this.serve(request, admitted));
        if (isOver) body?.release();
        else body?.drop();
      });
    } catch (error) {
      body?.release();
      outgoing.sendError(exchange, found.route, error);
    }
  }

  /**
   * Resolves when the worker is done with the request; its answer may still be on its way to a slow reader. False: the
   * worker ended without an answer, and others that it has asked may still be at work on the body.
   */
  private async serve({ exchange, found, body, subject }: CompleteRequest, admitted: Admitted): Promise<boolean> {
    const { route, parts } = found;
    const { tasks, outgoing } = this.options;
    const task = tasks.begin(route.action, route.isCancellable);
    task.opaqueId = exchange.headers.opaqueId;
    admitted.isLong = () => task.isLong;
    let isOver = false as boolean;
    // The task's words serve another request as soon as this one is answered, and a client may go away after that.
    let isServing = true;
    exchange.onAbort(() => {
      if (isServing && !route.outlivesClient) task.cancel();
    });
    outgoing.unanswered++;
    try {
      const request: WireRequest = {
        endpoint: route.endpoint,
        method: exchange.method as HttpMethod,
        rawPath: exchange.rawPath,
        parts,
        query: exchange.query,
        headers: exchange.headers,
        body: body?.bytes,
        task: task.number,
        cancellation: task.word,
        subject,
        audit: exchange.auditOf(route),
      };
      task.request = request;
      const answer = await this.options.serve(request, route);
      isOver = true;
      outgoing.send(exchange, route, answer);
    } catch (error) {
      outgoing.unanswered--;
      outgoing.sendError(exchange, route, error);
    } finally {
      isServing = false;
      if (isOver) tasks.end(task);
      else tasks.abandon(task);
    }
    return isOver;
  }
}
