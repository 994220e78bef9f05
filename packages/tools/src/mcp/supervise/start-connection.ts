import { fillValues, startTimeout, type McpServerDefinition } from '@countersign/protocol';
import type { Connection } from '../connect-server.js';
import type { Parts } from './parts.js';
import { createRefresher } from './refresher.js';

/** Starts the server, connects to it and lists its tools. Rejects with a readable error. */
export async function startConnection(
  parts: Parts,
  wanted: string | undefined,
  signal: AbortSignal,
  ended: () => void,
): Promise<Connection> {
  const { name, options, current, diagnosis, view, keeper, hidden } = parts;
  const { problem } = current.record();
  if (problem !== undefined) throw new Error(`${problem}. Enter them again`);
  const definition = fillValues(current.definition());
  const place = await view.take(wanted);
  const { log, ...observed } = await diagnosis.begin();
  const refresher = createRefresher(
    (from) => current.list(from),
    (words) => log.push(`[its tools could not be listed again: ${words}]\n`),
  );
  parts.relisted = () => refresher.listed();
  // Loaded lazily: the SDK takes half as long to load as everything else, and most worlds have no server.
  const { connectServer, createHttpTransport, createStdioTransport } = await import('../speak.js');
  const connection = await connectServer({
    ...options,
    server: name,
    startMs: startTimeoutOf(definition, options.connectMs),
    transport: () =>
      definition.transport === 'stdio'
        ? createStdioTransport(definition, { ...place, ...observed }, (text) => log.push(text))
        : createHttpTransport(definition, {
            authProvider: current.authProvider,
            onStatus: (status) => diagnosis.onStatus(status),
          }),
    workingDirectory: place.workingDirectory,
    log,
    hide: { inText: (text) => hidden().inText(text), inData: (value) => hidden().inData(value) },
    checker: current.newChecker(),
    signal,
    listChanged: (from) => refresher.begin(from),
    ended,
    doubt: () => keeper.doubt(),
  });
  try {
    await current.list(connection);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** How long the server may take to start. */
export function startTimeoutOf(definition: McpServerDefinition, connectMs: number): number {
  return definition.transport === 'stdio' ? startTimeout(definition, connectMs) : connectMs;
}
