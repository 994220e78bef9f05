import type { Engine } from '@countersign/core';
import type { AppRequest } from '../app/context.js';
import { toBytes } from './encode-frame.js';
import { followLog } from './follow-log.js';
import { countStream, refuseManyStreams } from './limit-streams.js';
import { openOutlet } from './open-outlet.js';
import { findStart } from './find-start.js';

export interface StreamOptions {
  engine: Engine;
  /** The route has seen that there is such a world, and such a chat in it. */
  worldId: string;
  /** Only this chat. */
  chatId?: string;
  /** Go on after this number of the log. `Last-Event-ID`, which a reader sends when it comes back, counts more. Absent: from now on. */
  after?: number;
  /** End when the chat has nothing to do but, maybe, wait for people. */
  untilSettled?: boolean;
  /** The route has asked `refuseManyStreams` before it wrote something: what is kept must be answered. */
  admitted?: boolean;
  /** The registered client that reads: there as long as it does (A18). */
  client?: {
    id: string;
    approvals: boolean;
    /** Its own tools, by the names agents know them by: of their calls it gets the real arguments (A15, A18). */
    tools?: readonly string[];
  };
}

const encoder = new TextEncoder();
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/**
 * The events of a world or a chat as they happen (W4), from where the reader left off without gap or repeat (S6). Once it resolves,
 * whatever happens is told.
 */
export async function streamEvents(c: AppRequest, options: StreamOptions): Promise<Response> {
  // Nobody would read the body of this one, and nobody would end it.
  if (c.req.method === 'HEAD') return new Response(null, { headers: HEADERS });
  const { engine, worldId, client } = options;
  if (options.admitted !== true) refuseManyStreams(c, engine);
  const start = await findStart(engine, worldId, c.req.header('last-event-id'), options.after);
  if (client !== undefined) await engine.clients.connected(client.id);

  const uncount = countStream(c, engine);
  const outlet = openOutlet(c, () => {
    uncount();
    follower.stop();
    if (client === undefined || engine.closing.aborted) return;
    engine.clients
      .disconnected(client.id)
      .catch((error: unknown) => engine.runtime.report(error, 'a client could not be noted as cut'));
  });
  const follower = followLog(
    {
      engine,
      worldId,
      chatId: options.chatId,
      untilSettled: options.untilSettled === true,
      approvals: client?.approvals ?? true,
      ownTools: new Set(client?.tools),
      position: start.position,
    },
    outlet,
  );
  // A number without data is no event, but a browser that is cut before the first one comes back with it.
  outlet.write(encoder.encode(`retry: 1000\nid: ${start.position}\n\n`));
  if (start.isReset) outlet.write(toBytes({ id: String(start.position), event: 'reset', data: '{}' }));
  follower.start();
  return new Response(outlet.body, { headers: HEADERS });
}
