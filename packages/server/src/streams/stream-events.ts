import type { Engine } from '@countersign/core';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { AppRequest } from '../app/context.js';
import { toBytes } from './encode-frame.js';
import { followLog } from './follow-log.js';
import { countStream, refuseManyStreams } from './limit-streams.js';
import { openOutlet } from './open-outlet.js';
import { findStart, type StreamStart } from './find-start.js';
import { holdFrames } from './hold-frames.js';

export interface StreamOptions {
  engine: Engine;
  /** The route has seen that there is such a world, and such a chat in it. */
  worldId: string;
  /** Only this chat. */
  chatId?: string;
  /** Go on after this number of the log. `Last-Event-ID`, which a reader sends when it comes back, counts more. Absent: from now on. */
  after?: number;
  /** What the stream tells the effects of. Done once the place in the log is known; if it throws, nothing was sent. */
  act?: () => Promise<unknown>;
  /** End when the chat has nothing to do but, maybe, wait for people. */
  untilSettled?: boolean;
  /** The registered client that reads: there as long as it does (A18). */
  client?: {
    id: string;
    approvals: boolean;
    /** Its own tools, by the names agents know them by: of their calls it gets the real arguments (A15, A18). */
    tools?: readonly string[];
  };
}

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
  const { outgoing } = c.env;
  if (outgoing === undefined) throw new Error('an event stream needs a socket');
  // Before anything is done: what is kept must be answered.
  refuseManyStreams(c, engine);
  const find = (): Promise<StreamStart> => findStart(engine, worldId, c.req.header('last-event-id'), options.after);
  const held = options.act === undefined ? undefined : holdFrames(engine, worldId);
  let start: StreamStart;
  try {
    // A store of one process tells everything to who listens here: where the log ended is known from what came next, without reading it.
    const isTold = options.after === undefined && c.req.header('last-event-id') === undefined;
    const before = isTold && engine.runtime.store.shared === undefined ? undefined : await find();
    await options.act?.();
    start = before ?? held?.start() ?? (await find());
  } catch (error) {
    held?.stop();
    throw error;
  }
  if (client !== undefined) await engine.clients.connected(client.id);

  const uncount = countStream(c, engine);
  const outlet = openOutlet(outgoing, () => {
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
  outgoing.writeHead(200, HEADERS);
  // A number without data is no event, but a browser that is cut before the first one comes back with it.
  outlet.write(Buffer.from(`retry: 1000\nid: ${start.position}\n\n`));
  if (start.isReset) outlet.write(toBytes({ id: String(start.position), event: 'reset', data: '{}' }));
  follower.start(held?.frames());
  held?.stop();
  return RESPONSE_ALREADY_SENT;
}
