import type { IncomingMessage } from 'node:http';
import { open, type Sent } from './send.js';

export interface ReadFrame {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** A reader of an event stream, with everything it received. */
export interface OpenStream {
  readonly response: IncomingMessage;
  readonly frames: readonly ReadFrame[];
  /** Comment lines. */
  readonly comments: readonly string[];
  /** The id that the reader would resume with. */
  readonly lastId: () => string;
  /** Resolves with the first matching frame, past or future; rejects if the stream ends without one. */
  until(fits: (frame: ReadFrame) => boolean): Promise<ReadFrame>;
  /** Resolves when the stream is over: to true if it ended cleanly, to false if it was cut off. */
  readonly over: Promise<boolean>;
  close(): void;
}

export async function openStream(url: string, sent: Sent = {}): Promise<OpenStream> {
  const response = await open(url, sent);
  if (response.statusCode !== 200) throw new Error(`the stream responded with ${response.statusCode}`);
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
          if (found === undefined) reject(new Error(`the stream ended after ${frames.length} frames without a match`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
    close: () => void response.destroy(),
  };
}
