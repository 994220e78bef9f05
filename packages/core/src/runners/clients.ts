import {
  CountersignError,
  type ClientToolResult,
  type NewClient,
  type Signer,
  type ToolResultOutcome,
} from '@countersign/protocol';
import type { ClientRecord, CallRecord, StoreReader, Tool, ToolSource } from '../ports/index.js';
import { SILENT_MS } from '../turns/take-over.js';
import { answerClientCall, failPendingCalls, pendingCalls, type ClientWithTools } from './answer-client.js';
import { readClientTools } from './client-tools.js';
import { denyUnattended } from '../decisions/deny-approval.js';
import { hashSecret, registerClient } from './register-client.js';
import { changeWorld } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';

/** A client that reconnects within this time is not treated as disconnected (CALL16). */
export const CLIENT_GRACE_MS = 30_000;

/** A client that was looked up by its secret. */
export interface FoundClient {
  id: string;
  label: string;
  approvals: boolean;
  /** The names of the client's tools, as agents use them. */
  tools: string[];
}

/** Clients that offer tools: their registrations, tools and connections (CALL16). */
export interface ClientRegistry {
  /** The tools offered by a world's connected clients. */
  tools(worldId: string): ReadonlyMap<string, Tool>;
  /** Registers a client with its tools, and returns its secret. */
  register(
    worldId: string,
    client: NewClient,
    signer?: Signer,
  ): Promise<{ clientId: string; clientSecret: string; tools: string[] }>;
  /** Finds the world's client with this secret, unless it has left. */
  find(worldId: string, secret: string): Promise<FoundClient | undefined>;
  /** Called when one of the client's streams opens. The client is connected while at least one stream is open. */
  connected(clientId: string): Promise<void>;
  /** Called when one of the client's streams closes. */
  disconnected(clientId: string): Promise<void>;
  /** Calls forwarded to a client that are still unanswered. */
  pending(clientId: string): Promise<CallRecord[]>;
  /** Records the result of a client's tool. */
  answer(clientId: string, result: ClientToolResult): Promise<ToolResultOutcome>;
  /** Loads all clients: at startup, and periodically if other processes share the store. */
  load(): Promise<void>;
  /** Reloads a client that another process registered or removed. */
  reload(clientId: string): Promise<void>;
  /** Loads clients registered by other processes before a model is called or a call is judged. */
  readonly source: ToolSource;
  /** Cancels the grace timers of disconnected clients. */
  close(): void;
}

interface Present extends ClientWithTools {
  /** Number of open streams in this process. */
  streams: number;
  /** Cancels a disconnected client's grace timer. */
  cancelGrace: (() => void) | undefined;
}

export function createClientRegistry(runtimeOf: () => Runtime): ClientRegistry {
  const present = new Map<string, Present>();

  /** Keeps the same tool objects, because a call that is about to start compares them by identity. */
  function note(record: ClientRecord): Present {
    const known = present.get(record.id);
    if (known !== undefined) {
      known.record = record;
      return known;
    }
    const entry: Present = { record, tools: readClientTools(record), streams: 0, cancelGrace: undefined };
    present.set(record.id, entry);
    return entry;
  }

  function forget(entry: Present): void {
    entry.cancelGrace?.();
    present.delete(entry.record.id);
  }

  function startGrace(entry: Present, ms = CLIENT_GRACE_MS): void {
    const runtime = runtimeOf();
    entry.cancelGrace?.();
    entry.cancelGrace = runtime.clock.after(
      ms,
      () => {
        entry.cancelGrace = undefined;
        leave(entry).catch((error: unknown) => runtime.report(error, 'failed to remove a client'));
      },
      { background: true },
    );
  }

  async function connect({ record }: Present): Promise<void> {
    const runtime = runtimeOf();
    await changeWorld(runtime, 'client-connected', record.worldId, (change) =>
      change.tx.setClientConnected(record.id, runtime.process.owner),
    );
  }

  async function cut({ record }: Present, from: string): Promise<void> {
    await changeWorld(runtimeOf(), 'client-cut', record.worldId, (change) => change.tx.setClientCut(record.id, from));
  }

  /** Reconciles a client's local state with its record. `living`: the live processes. */
  async function reconcile(record: ClientRecord, living: ReadonlySet<string>): Promise<void> {
    const { owner } = runtimeOf().process;
    const entry = note(record);
    const { leftAt, connectedTo } = record;
    if (entry.streams > 0) {
      // The client's other stream ended in another process, or that process died, but a stream is still open here.
      if (leftAt !== null || (connectedTo !== owner && !living.has(connectedTo))) await connect(entry);
      return;
    }
    // The process with the client's stream died, or couldn't record the disconnect.
    if (leftAt === null && (connectedTo === owner || !living.has(connectedTo))) await cut(entry, connectedTo);
    else if (leftAt === null) return;
    if (entry.cancelGrace === undefined) startGrace(entry);
  }

  /** Its world may be deleted while a stream or a grace timer of it is still there. */
  async function isDeleted({ record }: Present): Promise<boolean> {
    return (await runtimeOf().store.read((reader) => reader.client(record.id))) === undefined;
  }

  /** The remaining grace time by the store's clock. Undefined if the client is connected to another process. */
  async function timeLeft(entry: Present): Promise<number | undefined> {
    const { record } = entry;
    const runtime = runtimeOf();
    // With a single process, it is certain that no stream is open.
    if (runtime.store.shared === undefined || (await isDeleted(entry))) return 0;
    return await changeWorld(runtime, 'client-leaving', record.worldId, async (change) => {
      const now = await change.tx.client(record.id);
      if (now === undefined) return 0;
      return now.leftAt === null ? undefined : now.leftAt + CLIENT_GRACE_MS - change.tx.now();
    });
  }

  /** Removes a client permanently: its tools disappear, and its pending calls fail with an error message. */
  async function leave(entry: Present): Promise<void> {
    const left = await timeLeft(entry);
    if (left === undefined || entry.streams > 0) return;
    if (left > 0) {
      startGrace(entry, left);
      return;
    }
    forget(entry);
    const { record: client } = entry;
    const { label, worldId } = client;
    await failPendingCalls(runtimeOf(), entry, `the client "${label}" disconnected before it answered`);
    if (await isDeleted(entry)) return;
    await changeWorld(runtimeOf(), 'client-left', worldId, ({ tx }) => writeFact(tx, { kind: 'client-left', client }));
    await denyUnattended(runtimeOf(), worldId);
  }

  async function reload(reader: StoreReader, worldId: string): Promise<void> {
    const known = [...present.values()].filter(({ record }) => record.worldId === worldId);
    const records = await reader.clients(worldId);
    const there = new Set(records.map(({ id }) => id));
    for (const entry of known) if (!there.has(entry.record.id)) forget(entry);
    for (const record of records) note(record);
  }

  return {
    tools(worldId) {
      const offered = new Map<string, Tool>();
      for (const { record, tools } of present.values()) {
        if (record.worldId === worldId) for (const [name, tool] of tools) offered.set(name, tool);
      }
      return offered;
    },
    async register(worldId, input, signer) {
      const { record, secret } = await registerClient(runtimeOf(), worldId, input, signer);
      // A newly registered client isn't connected yet, so it gets the grace time to connect.
      const entry = note(record);
      startGrace(entry);
      return { clientId: record.id, clientSecret: secret, tools: [...entry.tools.keys()] };
    },
    async find(worldId, secret) {
      const hash = hashSecret(secret).toString('hex');
      const records = await runtimeOf().store.read((reader) => reader.clients(worldId));
      // A timing-safe comparison isn't needed: these are hashes of random secrets.
      const record = records.find(({ secretHash }) => secretHash === hash);
      // Registered by another process: track it here too.
      if (record === undefined) return undefined;
      const entry = note(record);
      if (record.leftAt !== null && entry.streams === 0 && entry.cancelGrace === undefined) startGrace(entry);
      const { id, label, approvals } = record;
      return { id, label, approvals, tools: [...entry.tools.keys()] };
    },
    async connected(clientId) {
      const entry = present.get(clientId);
      if (entry === undefined)
        throw new CountersignError('not-found', 'this client is not registered in this world. Register it again');
      entry.cancelGrace?.();
      entry.cancelGrace = undefined;
      entry.streams += 1;
      if (entry.streams > 1) return;
      try {
        await connect(entry);
      } catch (error) {
        entry.streams -= 1;
        startGrace(entry);
        throw error;
      }
    },
    async disconnected(clientId) {
      const entry = present.get(clientId);
      if (entry === undefined || entry.streams === 0) return;
      entry.streams -= 1;
      if (entry.streams > 0) return;
      startGrace(entry);
      if (!(await isDeleted(entry))) await cut(entry, runtimeOf().process.owner);
    },
    async pending(clientId) {
      const entry = present.get(clientId);
      return entry === undefined ? [] : await pendingCalls(runtimeOf(), entry);
    },
    answer: (clientId, result) => answerClientCall(runtimeOf(), present.get(clientId), result),
    async load() {
      const { store } = runtimeOf();
      const known = [...present.values()];
      const records = await store.read((reader) => reader.allClients());
      const living = new Set(store.shared === undefined ? [] : await store.shared.living(SILENT_MS));
      const there = new Set(records.map(({ id }) => id));
      for (const entry of known) if (!there.has(entry.record.id)) forget(entry);
      // When a single process starts, all clients are disconnected; each gets the usual grace time.
      for (const record of records) await reconcile(record, living);
    },
    async reload(clientId) {
      const record = await runtimeOf().store.read((reader) => reader.client(clientId));
      const entry = present.get(clientId);
      if (record !== undefined) note(record);
      else if (entry !== undefined) forget(entry);
    },
    source: {
      // The runtime lists client tools through `ClientRegistry.tools`.
      tools: () => new Map(),
      read: reload,
      prepare: () => undefined,
      async refresh(worldId, toolName) {
        if (toolName.startsWith('app__')) await runtimeOf().store.read((reader) => reload(reader, worldId));
      },
      close: () => Promise.resolve(),
    },
    close() {
      for (const entry of present.values()) entry.cancelGrace?.();
    },
  };
}
