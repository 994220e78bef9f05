import type { Engine } from '@countersign/core';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import type { StreamWatch } from '../people/stream-watch.js';
import { toBytes } from './encode-frame.js';
import { followLog } from './follow-log.js';
import { countStream, refuseManyStreams } from './limit-streams.js';
import { openOutlet } from './open-outlet.js';
import { findStart, type StreamStart } from './find-start.js';
import { holdFrames } from './hold-frames.js';

export interface StreamOptions {
  engine: Engine;
  /** The route has verified that the world, and the chat in it, exist. */
  worldId: string;
  /** Only this chat's events. */
  chatId?: string;
  /** Only changes to approvals and grants. */
  only?: 'approvals';
  /** Resume after this number in the log. `Last-Event-ID` overrides it. If absent, start with new events. */
  after?: number;
  /** An action whose events the stream includes. It runs once the position in the log is known; if it throws, nothing was sent. */
  act?: () => Promise<unknown>;
  /** Ends the stream when its credential ends. */
  watch: StreamWatch | undefined;
  /** End the stream when the chat is idle or waits for a person. */
  untilSettled?: boolean;
  /** The registered client that reads the stream. It is connected while it reads (CALL16). */
  client?: {
    id: string;
    approvals: boolean;
    /** The client's own tools, by the names that agents use. It gets their calls unmasked (SAFE6, CALL16). */
    tools?: readonly string[];
  };
}

export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** Streams the events of a world or chat (HTTP13), resuming without gaps or duplicates (STORE6). Once this resolves, every later event is sent. */
export async function streamEvents(c: AppRequest, options: StreamOptions): Promise<Response> {
  // HEAD responses have no body, so the stream would never end.
  if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS });
  const { engine, worldId, client } = options;
  const { outgoing } = c.env;
  if (outgoing === undefined) throw new HttpProblem(501, problemTexts.needsSocket);
  // Check before acting: a request whose message was accepted must not fail.
  refuseManyStreams(c, engine);
  const find = (): Promise<StreamStart> => findStart(engine, worldId, c.req.header('last-event-id'), options.after);
  const held = options.act === undefined ? undefined : holdFrames(engine, worldId);
  let start: StreamStart;
  try {
    // If one process owns the store, the held frames show where the log ended, so the log doesn't have to be read.
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
    unwatch();
    follower.stop();
    if (client === undefined || engine.closing.aborted) return;
    engine.clients
      .disconnected(client.id)
      .catch((error: unknown) => engine.runtime.report(error, 'A client could not be marked as disconnected'));
  });
  const unwatch = options.watch?.add(c.var.access, worldId, () => outlet.end()) ?? (() => undefined);
  const follower = followLog(
    {
      engine,
      worldId,
      chatId: options.chatId,
      only: options.only,
      untilSettled: options.untilSettled === true,
      approvals: client?.approvals ?? true,
      ownTools: new Set(client?.tools),
      position: start.position,
    },
    outlet,
  );
  outgoing.writeHead(200, STREAM_HEADERS);
  // An id without data is not an event, but a browser that disconnects before the first event resumes with it.
  outlet.write(Buffer.from(`retry: 1000\nid: ${start.position}\n\n`));
  if (start.isReset) outlet.write(toBytes({ id: String(start.position), event: 'reset', data: '{}' }));
  follower.start(held?.frames());
  held?.stop();
  // If the program loaded the adapter before us, this response writes itself until someone reads its body.
  void RESPONSE_ALREADY_SENT.body;
  return RESPONSE_ALREADY_SENT;
}
