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

/** A message larger than this is no answer: the server is ended. */
export const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** Of its error output, what is looked through once it has ended. */
const LONGEST_COMPLAINT = 8 * 1024;

/** The SDK's own transport would start the server outside the sandbox and with part of our environment. */
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
    if (message === undefined) said(`[no message, passed over: ${line.slice(0, 200)}]\n`);
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
    transport.onerror?.(new Error(`the server sent a message larger than ${size}, so it was ended`));
    running?.stdout.off('data', take).resume();
    void transport.close();
  }

  /** A server that closes its output and lives on can't answer any more. */
  async function end(process: ServerProcess): Promise<string> {
    await process.end();
    const how = await process.exited;
    // Also for requests that wait for an answer: "connection closed" alone explains nothing.
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
      // Not before its output is read to the end: the last answer may still be on its way.
      process.stdout.on('close', () => void ended(process));
    },
    send(message: JSONRPCMessage) {
      return new Promise((resolve, reject) => {
        if (running === undefined || closed) {
          reject(new Error('the server is not running'));
          return;
        }
        const process = running;
        // Its input is closed (EPIPE) because it has ended: that says more.
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

/** Undefined: what it is about nobody can tell. */
function readMessage(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch {
    return undefined;
  }
}
