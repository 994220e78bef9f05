import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  checkWithJsonSchema,
  clientToolResultSchema,
  CountersignError,
  newClientSchema,
  parseInput,
  slug,
  toolDefinitionSchema,
  toolNameSchema,
  type ClientToolResult,
  type NewClient,
  type Signer,
  type ToolDefinition,
  type ToolResultOutcome,
} from '@countersign/protocol';
import type { ClientRecord, InvocationRecord, Tool } from '../ports/index.js';
import { maskSecrets } from '../masking/index.js';
import { newId } from '../turn/ids.js';
import { denyUnattended } from './deny-unattended.js';
import { commit, type Runtime } from './runtime.js';
import { resumeTurn } from './resume-turn.js';
import { settleInvocation, type Settlement } from './settle-invocation.js';

/** A cut shorter than this is not leaving (A18). */
export const CLIENT_GRACE_MS = 30_000;

/** A client that was known by its secret. */
export interface FoundClient {
  id: string;
  label: string;
  approvals: boolean;
  /** The names of its tools, as agents know them. */
  tools: string[];
}

/** Clients that offer tools of their own: who they are, what they offer, and whether they are there (A18). */
export interface ClientRegistry {
  tools(worldId: string): ReadonlyMap<string, Tool>;
  register(
    worldId: string,
    client: NewClient,
    signer?: Signer,
  ): Promise<{ clientId: string; clientSecret: string; tools: string[] }>;
  /** True if the secret is this client's. Compared in constant time. */
  knows(clientId: string, secret: string): Promise<boolean>;
  /** The client of a world that this secret belongs to, if it has not left. */
  find(worldId: string, secret: string): Promise<FoundClient | undefined>;
  /** One more stream of it is open. It is there as long as one is. */
  connected(clientId: string): Promise<void>;
  /** One of them ended. */
  disconnected(clientId: string): Promise<void>;
  /** Calls forwarded to a client that it has not answered. */
  pending(clientId: string): Promise<InvocationRecord[]>;
  answer(clientId: string, result: ClientToolResult): Promise<ToolResultOutcome>;
  load(): Promise<void>;
  close(): void;
}

interface Present {
  record: ClientRecord;
  tools: Map<string, Tool>;
  /** How many of its streams are open in this process. */
  streams: number;
  cancelGrace: () => void;
}

export function createClientRegistry(runtimeOf: () => Runtime): ClientRegistry {
  const present = new Map<string, Present>();

  function add(record: ClientRecord): Present {
    const tools = new Map(
      record.tools.map((raw) => {
        const definition = parseInput(toolDefinitionSchema, raw, `tool of client "${record.label}"`);
        return [definition.name, clientTool(definition)];
      }),
    );
    const entry: Present = { record, tools, streams: 0, cancelGrace: () => undefined };
    present.set(record.id, entry);
    return entry;
  }

  function startGrace(entry: Present, ms: number): void {
    const runtime = runtimeOf();
    entry.cancelGrace();
    entry.cancelGrace = runtime.clock.after(
      ms,
      () => {
        leave(entry).catch((error: unknown) => runtime.report(error, 'a client could not be taken out'));
      },
      { background: true },
    );
  }

  /** Another process may have it: then it is looked at again later, since that process may lose it too. */
  async function isElsewhere({ record }: Present): Promise<boolean> {
    const { store } = runtimeOf();
    if (store.shared === undefined) return false;
    const now = await store.read((reader) => reader.client(record.id));
    return now !== undefined && now.leftAt === null;
  }

  /** Gone for good: its tools are offered no more and what it was asked fails in words. */
  async function leave(entry: Present): Promise<void> {
    if (await isElsewhere(entry)) {
      startGrace(entry, CLIENT_GRACE_MS);
      return;
    }
    present.delete(entry.record.id);
    const error = `the client "${entry.record.label}" left before it answered`;
    for (const call of await pendingOf(entry)) await settle(runtimeOf(), call, { kind: 'failed', error });
    await commit(runtimeOf(), 'client-left', entry.record.worldId, async (step) => {
      await step.tx.deleteClient(entry.record.id);
      const { id, label } = entry.record;
      step.tx.record({ kind: 'policy', decision: 'client left', client: id, why: maskSecrets(label) });
      step.tx.emit({
        event: 'crud',
        chatId: null,
        data: { operation: 'delete', entity: 'client', id: entry.record.id },
      });
    });
    await denyUnattended(runtimeOf(), entry.record.worldId);
  }

  async function pendingOf({ record, tools }: Present): Promise<InvocationRecord[]> {
    return await runtimeOf().store.read(async (reader) => {
      const turns = (await reader.unfinishedTurns()).filter(
        (turn) => turn.worldId === record.worldId && turn.iteration > 0,
      );
      const calls = await Promise.all(turns.map((turn) => reader.invocations(turn.id, turn.iteration)));
      return calls.flat().filter((call) => call.status === 'started' && tools.has(call.toolName));
    });
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
      const client = parseInput(newClientSchema, input, 'client');
      const clientId = newId('client');
      const clientSecret = randomBytes(32).toString('base64url');
      const handle = handleFor(client.label, clientId);
      const tools = (client.tools ?? []).map((tool) => named(handle, tool));
      const record = await commit(runtimeOf(), 'register-client', worldId, async (step) => {
        const made: ClientRecord = {
          id: clientId,
          worldId,
          label: client.label,
          secretHash: hashSecret(clientSecret).toString('hex'),
          approvals: client.approvals,
          tools,
          leftAt: step.tx.now(),
          createdAt: step.tx.now(),
        };
        await step.tx.insertClient(made);
        step.tx.emit({ event: 'crud', chatId: null, data: { operation: 'create', entity: 'client', id: clientId } });
        const offers = tools.map((tool) => tool.name).join(', ') || 'no tools';
        const why = `${client.label}: ${client.approvals ? 'approvals' : 'no approvals'}, ${offers}`;
        step.tx.record({
          kind: 'policy',
          decision: 'client registered',
          client: clientId,
          why: maskSecrets(why),
          ...(signer === undefined ? {} : { who: signer.who }),
        });
        return made;
      });
      // Registered is not yet there: it has as long to connect as it would have to come back.
      startGrace(add(record), CLIENT_GRACE_MS);
      return { clientId, clientSecret, tools: tools.map((tool) => tool.name) };
    },
    async knows(clientId, secret) {
      const record = await runtimeOf().store.read((reader) => reader.client(clientId));
      if (record === undefined) return false;
      return timingSafeEqual(hashSecret(secret), Buffer.from(record.secretHash, 'hex'));
    },
    async find(worldId, secret) {
      const hash = hashSecret(secret).toString('hex');
      const records = await runtimeOf().store.read((reader) => reader.clients(worldId));
      // Hashes of random secrets: how far two of them agree says nothing of the secret.
      const record = records.find(({ secretHash }) => secretHash === hash);
      // Registered with another process: from now on it is known here too.
      if (record === undefined) return undefined;
      const known = present.get(record.id);
      const entry = known ?? add(record);
      if (known === undefined) startGrace(entry, CLIENT_GRACE_MS);
      const { id, label, approvals } = record;
      return { id, label, approvals, tools: [...entry.tools.keys()] };
    },
    async connected(clientId) {
      const entry = present.get(clientId);
      if (entry === undefined)
        throw new CountersignError('not-found', 'this client is not registered here; register it again');
      entry.cancelGrace();
      entry.streams += 1;
      if (entry.streams > 1) return;
      try {
        await commit(runtimeOf(), 'client-connected', entry.record.worldId, (step) =>
          step.tx.setClientLeft(clientId, null),
        );
      } catch (error) {
        entry.streams -= 1;
        startGrace(entry, CLIENT_GRACE_MS);
        throw error;
      }
    },
    async disconnected(clientId) {
      const entry = present.get(clientId);
      if (entry === undefined || entry.streams === 0) return;
      entry.streams -= 1;
      if (entry.streams > 0) return;
      startGrace(entry, CLIENT_GRACE_MS);
      await commit(runtimeOf(), 'client-cut', entry.record.worldId, (step) =>
        step.tx.setClientLeft(clientId, step.tx.now()),
      );
    },
    async pending(clientId) {
      const entry = present.get(clientId);
      return entry === undefined ? [] : await pendingOf(entry);
    },
    async answer(clientId, input) {
      const result = parseInput(clientToolResultSchema, input, 'result');
      const entry = present.get(clientId);
      const call = await runtimeOf().store.read((reader) => reader.invocation(result.tool_call_id));
      if (call === undefined) return refusal(404, 'unknown', 'no call has this id');
      // Only the client a call was forwarded to may answer it (A18).
      if (entry === undefined || call.worldId !== entry.record.worldId || !entry.tools.has(call.toolName)) {
        return refusal(403, 'foreign', 'this call belongs to another client');
      }
      const settlement: Settlement =
        result.error === undefined
          ? { kind: 'succeeded', result: result.content ?? '' }
          : { kind: 'failed', error: result.error };
      const settled = await settle(runtimeOf(), call, settlement);
      if (settled === 'recorded')
        return { kind: 'recorded', status: 200, invocationId: call.id, state: settlement.kind };
      return { ...refusal(409, 'settled', 'this call is not waiting for an answer'), state: settled };
    },
    async load() {
      const runtime = runtimeOf();
      const records = await runtime.store.read(async (reader) => {
        const worlds = await reader.worlds();
        return (await Promise.all(worlds.map((world) => reader.clients(world.id)))).flat();
      });
      // All were cut when the last process ended: each has the usual time to come back.
      for (const record of records) {
        startGrace(add(record), CLIENT_GRACE_MS);
        if (runtime.store.shared !== undefined || record.leftAt !== null) continue;
        await commit(runtime, 'client-cut', record.worldId, (step) => step.tx.setClientLeft(record.id, step.tx.now()));
      }
    },
    close() {
      for (const entry of present.values()) entry.cancelGrace();
    },
  };
}

/** Settles a forwarded call and wakes its turn. Its state, if it was not waiting any more. */
async function settle(runtime: Runtime, call: InvocationRecord, settlement: Settlement): Promise<string> {
  return await commit(runtime, 'client-result', call.worldId, async (step) => {
    const current = await step.tx.invocation(call.id);
    if (current === undefined || current.status !== 'started') return current?.status ?? 'gone';
    const change = {
      invocationId: current.id,
      status: settlement.kind === 'succeeded' ? settlement.kind : 'failed',
    } as const;
    const finish = await resumeTurn(runtime, step, current.turnId, change);
    if (finish === undefined) return current.status;
    await settleInvocation(runtime, step, current, settlement);
    await finish();
    return 'recorded';
  });
}

function refusal(
  status: 403 | 404 | 409,
  code: 'unknown' | 'foreign' | 'settled',
  detail: string,
): Extract<ToolResultOutcome, { kind: 'refused' }> {
  return { kind: 'refused', status, code, detail };
}

function named(handle: string, tool: Omit<ToolDefinition, 'location'>): ToolDefinition {
  const name = `app__${handle}__${tool.name}`;
  parseInput(toolNameSchema, name, `tool "${tool.name}"`);
  const definition = parseInput(toolDefinitionSchema, { ...tool, name, location: 'client' }, `tool "${tool.name}"`);
  checkSchema(definition);
  return definition;
}

function checkSchema(definition: ToolDefinition): void {
  try {
    checkWithJsonSchema(definition.parameters);
  } catch (error) {
    throw new CountersignError('invalid', `tool "${definition.name}": parameters: not a JSON Schema we can check`, {
      field: 'parameters',
      cause: error,
    });
  }
}

/** Short, readable and its own: two clients with one label must not share tool names. */
function handleFor(label: string, clientId: string): string {
  const readable = slug(label)
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, 16);
  return `${readable === '' ? 'client' : readable}-${clientId.slice(-6)}`;
}

/** What comes from a client is not trusted: asked by default, and what it says of itself does not count (A1). */
function clientTool(definition: ToolDefinition): Tool {
  return {
    definition,
    trusted: false,
    validate: checkWithJsonSchema(definition.parameters),
    execute: () => Promise.reject(new Error('a client tool runs in its client')),
  };
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
