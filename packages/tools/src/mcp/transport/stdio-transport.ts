import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { createLineReader } from './read-lines.js';
import {
  startServerProcess,
  type ProcessPlace,
  type ServerProcess,
  type StdioDefinition,
} from './start-server-process.js';

/** A larger message is invalid, and the server is stopped. */
export const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** How much of stderr is searched after the server has ended. */
const LONGEST_COMPLAINT = 8 * 1024;

/** Our own transport, because the SDK's would start the server outside the sandbox, with part of our environment. */
export function createStdioTransport(
  definition: StdioDefinition,
  place: ProcessPlace,
  said: (text: string) => void,
): Transport {
  let running: ServerProcess | undefined;
  let closed = false;
  let ending: Promise<string> | undefined;
  let complaints = '';
  const read = createLineReader(LARGEST_MESSAGE, (line) => {
    const message = readMessage(line);
    if (message === undefined) said(`[not a message, ignored: ${line.slice(0, 200)}]\n`);
    else transport.onmessage?.(message);
  });

  function close(): void {
    if (closed) return;
    closed = true;
    transport.onclose?.();
  }

  function take(bytes: Buffer): void {
    if (closed || read(bytes)) return;
    const size = `${LARGEST_MESSAGE / 1024 / 1024} MB`;
    transport.onerror?.(new Error(`the server sent a message larger than ${size}, so it was stopped`));
    running?.stdout.off('data', take).resume();
    void transport.close();
  }

  /** A server that closed its stdout can't respond anymore, even if it is still running. */
  async function end(process: ServerProcess): Promise<string> {
    await process.end();
    const how = await process.exited;
    // Also reported to pending requests: "connection closed" alone explains nothing.
    transport.onerror?.(new Error(how));
    for (const hint of process.hints(complaints)) said(`[${hint}]\n`);
    close();
    return how;
  }
  const ended = (process: ServerProcess): Promise<string> => (ending ??= end(process));

  const transport: Transport = {
    async start() {
      const process = await startServerProcess(definition, place);
      running = process;
      const decoder = new TextDecoder();
      process.stderr.on('data', (bytes: Buffer) => {
        const text = decoder.decode(bytes, { stream: true });
        complaints = (complaints + text).slice(-LONGEST_COMPLAINT);
        said(text);
      });
      process.stdout.on('data', take);
      // Wait until stdout is drained: the last response may still be in it.
      process.stdout.on('close', () => void ended(process));
    },
    send(message: JSONRPCMessage) {
      return new Promise((resolve, reject) => {
        if (running === undefined || closed) {
          reject(new Error('the server is not running'));
          return;
        }
        const process = running;
        // EPIPE only means that the server ended; report how it ended instead.
        const gone = async (): Promise<void> => reject(new Error(await ended(process)));
        process.stdin.write(serializeMessage(message), (error) => (error ? void gone() : resolve()));
      });
    },
    async close() {
      await running?.end();
      close();
    },
  };
  return transport;
}

/** Undefined if the line is not a valid message. */
function readMessage(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch {
    return undefined;
  }
}
