import type { Provider, Tool, ToolContext } from '@countersign/core/ports';
import { scripted, type Script, type ScriptedOptions, type ScriptedProvider } from '@countersign/core/testing';
import type { Agent, Approval, NewAgent, ToolDefinition, ToolEvent, WorldEvent } from '@countersign/protocol';
import { openWorld } from '../open-world.js';
import type { OpenWorldOptions } from '../options/options.js';
import type { OpenedChat, OpenedWorld } from '../world/world.js';

export interface TestWorldOptions extends Omit<OpenWorldOptions, 'agents'> {
  /** The script for every agent's model. By default, it answers `ok`. */
  script?: Script;
  model?: ScriptedOptions;
  /** Names or definitions. Default: one agent `Ada` that may use every tool. */
  agents?: readonly (string | (Partial<NewAgent> & { name: string }))[];
  /** Default: in memory. */
  file?: string;
}

/** A world with agents and a chat, and all its events. */
export interface TestWorld {
  world: OpenedWorld;
  chat: OpenedChat;
  provider: ScriptedProvider;
  agents: readonly Agent[];
  /** Every event since the world was opened, oldest first. */
  events: readonly WorldEvent[];
  /** Errors that were reported instead of being shown in a chat. */
  errors: readonly { error: unknown; what: string }[];
  /** Resolves with the first matching event, past or future. */
  heard: (fits: (event: WorldEvent) => boolean) => Promise<WorldEvent>;
  /** The tool events so far, optionally only those of one call. */
  toolEvents: (invocationId?: string) => ToolEvent[];
  /** The only pending approval. */
  onlyApproval: () => Promise<Approval>;
  /** Edits the only pending call, and returns its new approval (CALL7.4). */
  edit: (args: Record<string, unknown>) => Promise<Approval>;
}

const opened = new Set<OpenedWorld>();

export async function openTestWorld(options: TestWorldOptions = {}): Promise<TestWorld> {
  const { script = () => 'ok', model, agents = ['Ada'], file = ':memory:', providers = [], ...rest } = options;
  const provider = scripted(script, model);
  const errors: { error: unknown; what: string }[] = [];
  const world = await openWorld(file, {
    onError: (error, what) => errors.push({ error, what }),
    ...rest,
    providers: [provider, ...providers] satisfies readonly Provider[],
  });
  opened.add(world);
  const listening = listenTo(world);
  const known = await world.agents();
  for (const agent of known.length > 0 ? [] : agents) {
    const more = typeof agent === 'string' ? { name: agent } : agent;
    await world.addAgent({ provider: provider.name, model: 'any', tools: ['*'], ...more });
  }
  const onlyApproval = async (): Promise<Approval> => {
    const pending = await world.approvals();
    const [approval] = pending;
    if (approval === undefined || pending.length > 1) throw new Error(`not one approval but ${pending.length}`);
    return approval;
  };
  return {
    world,
    chat: await world.chat(),
    provider,
    agents: await world.agents(),
    errors,
    ...listening,
    onlyApproval,
    async edit(args) {
      const outcome = await world.decide(await onlyApproval(), { decision: 'approve', arguments: args });
      if (outcome.kind !== 'refused' || outcome.code !== 'changed') throw new Error(JSON.stringify(outcome));
      return await onlyApproval();
    },
  };
}

function listenTo(world: OpenedWorld): Pick<TestWorld, 'events' | 'heard' | 'toolEvents'> {
  const events: WorldEvent[] = [];
  const waiting = new Set<(event: WorldEvent) => void>();
  world.subscribe((event) => {
    events.push(event);
    for (const look of [...waiting]) look(event);
  });
  return {
    events,
    heard: (fits) =>
      new Promise((resolve) => {
        const past = events.find(fits);
        if (past !== undefined) {
          resolve(past);
          return;
        }
        const look = (event: WorldEvent): void => {
          if (!fits(event)) return;
          waiting.delete(look);
          resolve(event);
        };
        waiting.add(look);
      }),
    toolEvents: (invocationId) =>
      events.flatMap((event) =>
        event.event === 'tool' && (invocationId === undefined || event.data.invocation_id === invocationId)
          ? [event.data]
          : [],
      ),
  };
}

/** For `afterEach`: closes all worlds that a test opened, even if it failed. Closing twice does nothing. */
export async function closeTestWorlds(): Promise<void> {
  const worlds = [...opened];
  opened.clear();
  await Promise.all(worlds.map((world) => world.close()));
}

/** Closes one world during a test, so that its file can be opened again. */
export async function closeTestWorld({ world }: Pick<TestWorld, 'world'>): Promise<void> {
  opened.delete(world);
  await world.close();
}

type Execute = (args: Record<string, unknown>, context: ToolContext) => unknown;

/** A tool that accepts any object. `execute` is used unchanged, so that it can misbehave. */
export function tool(name: string, execute: Execute, more: Partial<ToolDefinition> = {}): Tool {
  return {
    definition: {
      name,
      description: `the tool ${name}`,
      parameters: { type: 'object' },
      location: 'server',
      ...more,
    },
    trusted: true,
    validate: (args) => ({ ok: true, value: args }),
    execute: execute as Tool['execute'],
  };
}

/** A tool that a person must approve. */
export function gated(name: string, execute: Execute, more: Partial<ToolDefinition> = {}): Tool {
  return tool(name, execute, { approval: { required: true }, ...more });
}

/** A promise that a test resolves manually. */
export interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  // A rejection before the promise is awaited must not end the process.
  promise.catch(() => undefined);
  return { promise, resolve: (value) => resolve(value), reject: (error) => reject(error) };
}
