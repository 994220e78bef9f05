import type { Engine } from '@countersign/core';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { QUEUE_FRAME } from '@countersign/protocol';
import type { AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { actionsOf } from '../people/access.js';
import type { StreamWatch } from '../people/stream-watch.js';
import { countStream, refuseManyStreams } from './limit-streams.js';
import { openOutlet } from './open-outlet.js';
import { queueFeedOf } from './queue-feed.js';
import { STREAM_HEADERS } from './stream-events.js';

/**
 * Streams which worlds' waiting calls change. It has no log to resume from: after it opens, the reader reads everything, and after each event the
 * waiting calls of that world. It ends when the credential ends or its person's roles change, so what it may read stays the same.
 */
export async function streamQueues(
  c: AppRequest,
  { engine, watch }: { engine: Engine; watch: StreamWatch | undefined },
): Promise<Response> {
  // HEAD responses have no body, so the stream would never end.
  if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS });
  const { outgoing } = c.env;
  if (outgoing === undefined) throw new HttpProblem(501, problemTexts.needsSocket);
  refuseManyStreams(c, engine);
  const { access } = c.var;
  const changed = new Set<string>();
  let isTelling = false;
  let isOpen = false;

  async function tell(): Promise<void> {
    if (isTelling || !isOpen) return;
    isTelling = true;
    while (changed.size > 0) {
      const worlds = [...changed];
      changed.clear();
      // Ends this stream if the credential or the roles have changed. If that can't be checked, the stream ends too.
      if ((await watch?.check()) === false) outlet.end();
      const readable = worlds.filter((worldId) => actionsOf(access, worldId).has('read'));
      // A reader that is too slow reconnects and reads everything.
      if (!readable.every((worldId) => outlet.write(frameOf(worldId)))) outlet.end();
    }
    isTelling = false;
  }

  const stop = await queueFeedOf(engine).listen({
    changed(worldId) {
      changed.add(worldId);
      void tell();
    },
    beat: () => isOpen && outlet.beat(),
    closing: () => isOpen && outlet.end(),
  });
  const uncount = countStream(c, engine);
  const outlet = openOutlet(outgoing, () => {
    uncount();
    unwatch();
    stop();
  });
  const unwatch = watch?.add(access, undefined, () => outlet.end()) ?? (() => undefined);
  isOpen = true;
  outgoing.writeHead(200, STREAM_HEADERS);
  outlet.write(Buffer.from('retry: 1000\n\n'));
  void tell();
  if (engine.closing.aborted) outlet.end();
  // If the program loaded the adapter before us, this response writes itself until someone reads its body.
  void RESPONSE_ALREADY_SENT.body;
  return RESPONSE_ALREADY_SENT;
}

function frameOf(worldId: string): Uint8Array {
  return Buffer.from(`event: ${QUEUE_FRAME}\ndata: ${JSON.stringify({ worldId })}\n\n`);
}
