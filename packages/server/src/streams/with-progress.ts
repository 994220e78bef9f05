import type { AppContext, AppRequest } from '../app/context.js';
import type { Reply } from '../app/route.js';
import { toProblem } from '../app/to-problem.js';
import { STREAM_HEADERS } from './stream-events.js';

/**
 * Answers with the result, or, if asked for with `Accept`, with events about its progress and the result as the last one. What is refused before
 * the first progress is refused like any request. The work ends when nobody waits for it anymore.
 */
export async function withProgress(
  c: AppRequest,
  { report }: Pick<AppContext['engine']['runtime'], 'report'>,
  work: (signal: AbortSignal, tell: (calls: number) => void) => Promise<unknown>,
): Promise<Reply | Response> {
  if (c.req.header('accept')?.includes('text/event-stream') !== true)
    return { status: 200, body: await work(c.req.raw.signal, () => undefined) };
  const cancel = new AbortController();
  const signal = AbortSignal.any([c.req.raw.signal, cancel.signal]);
  let last = 0;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const send = (event: string, data: unknown): void =>
    signal.aborted
      ? undefined
      : controller?.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  const done = await new Promise<{ result: Promise<unknown> }>((resolve, reject) => {
    const result = work(signal, (calls) => {
      last = calls;
      resolve({ result });
      send('progress', { calls });
    });
    result.then(() => resolve({ result }), reject);
  });
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      send('progress', { calls: last });
      const end = (event: string, data: unknown): void => {
        send(event, data);
        if (!signal.aborted) given.close();
      };
      done.result.then(
        (result) => end('result', result),
        (error: unknown) => {
          const { problem } = toProblem(error);
          if (problem.status === 500 && !signal.aborted) report(error, 'A request failed while it was streamed');
          end('problem', problem);
        },
      );
    },
    cancel: () => cancel.abort(),
  });
  return new Response(stream, { headers: STREAM_HEADERS });
}
