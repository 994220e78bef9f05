import { ReadBuffer, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import {
  startServerProcess,
  type ProcessPlace,
  type ServerProcess,
  type StdioDefinition,
} from './start-server-process.js';

/** A message larger than this is no answer: the server is ended. */
export const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** The SDK's own transport would start the server outside the sandbox and with part of our environment. */
export function createStdioTransport(
  definition: StdioDefinition,
  place: ProcessPlace,
  said: (text: string) => void,
): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: LARGEST_MESSAGE });
  let running: ServerProcess | undefined;
  let closed = false;

  function close(): void {
    if (closed) return;
    closed = true;
    buffer.clear();
    transport.onclose?.();
  }

  function read(bytes: Buffer): void {
    try {
      buffer.append(bytes);
    } catch {
      const size = `${LARGEST_MESSAGE / 1024 / 1024} MB`;
      transport.onerror?.(new Error(`the server sent a message larger than ${size}, so it was ended`));
      void transport.close();
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch {
        // JSON, but no message: what it is about nobody can tell.
        said('[a line that is no message was passed over]\n');
      }
    }
  }

  const transport: Transport = {
    async start() {
      running = await startServerProcess(definition, place);
      const decoder = new TextDecoder();
      running.stderr.on('data', (bytes: Buffer) => said(decoder.decode(bytes, { stream: true })));
      running.stdout.on('data', read);
      // Not before its output is read to the end: the last answer may still be on its way.
      running.stdout.on('close', () => void ended(running));
    },
    send(message: JSONRPCMessage) {
      return new Promise((resolve, reject) => {
        if (running === undefined || closed) {
          reject(new Error('the server is not running'));
          return;
        }
        running.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
      });
    },
    async close() {
      await running?.end();
      close();
    },
  };

  /** A server that closes its output and lives on can't answer any more. */
  async function ended(process: ServerProcess | undefined): Promise<void> {
    if (process === undefined) return;
    await process.end();
    said(`[${await process.exited}]\n`);
    close();
  }

  return transport;
}
