import type { IncomingMessage } from 'node:http';
import { open, type Sent } from './send.js';

export interface ReadFrame {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** A reader of an event stream, and all it got. */
export interface OpenStream {
  readonly response: IncomingMessage;
  readonly frames: readonly ReadFrame[];
  /** Lines that are no event. */
  readonly comments: readonly string[];
  /** The number it would come back with. */
  readonly lastId: () => string;
  /** Resolves with the first frame, read already or still to come, that fits; rejects when the stream ends without one. */
  until(fits: (frame: ReadFrame) => boolean): Promise<ReadFrame>;
  /** Resolves when the stream is over, whoever ended it. True: it was ended in order, and not cut. */
  readonly over: Promise<boolean>;
  close(): void;
}

export async function openStream(url: string, sent: Sent = {}): Promise<OpenStream> {
  const response = await open(url, sent);
  if (response.statusCode !== 200) throw new Error(`the stream answered ${response.statusCode}`);
  const frames: ReadFrame[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  let lastId = '';
  let rest = '';
  let isOver = false;

  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const blocks = `${rest}${chunk}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      comments.push(...lines.filter((line) => line.startsWith(':')));
      lastId = field('id') ?? lastId;
      const data = field('data');
      if (data === undefined) continue;
      frames.push({
        id: lastId,
        event: field('event') ?? 'message',
        data: JSON.parse(data) as Record<string, unknown>,
      });
    }
    for (const look of waiting) look();
  });
  const over = new Promise<boolean>((resolve) => {
    response.on('error', () => undefined);
    response.on('close', () => {
      isOver = true;
      resolve(response.complete);
      for (const look of waiting) look();
    });
  });

  return {
    response,
    frames,
    comments,
    lastId: () => lastId,
    over,
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = frames.find(fits);
          if (found === undefined && !isOver) return;
          waiting.delete(look);
          if (found === undefined) reject(new Error(`the stream ended after ${frames.length} frames without it`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
    close: () => void response.destroy(),
  };
}
