import { createRuntime, showWorlds, type Engine, type ListenerFailure } from '@countersign/core';
import type { Clock, McpHostFactory, Store, Tool } from '@countersign/core/ports';
import type { Approval, World } from '@countersign/protocol';
import { createSecretBox, givenSecretsKey } from '@countersign/server/secrets';
import { openPostgres, openSqlite } from '@countersign/storage';
import { createApprover, type Approve, type Approver } from './approver.js';
import { text } from './options/check-input.js';
import { checkStoreOptions, checkWorldOptions, isPostgres } from './options/check-options.js';
import { rememberEngine } from './engines.js';
import { ensureWorld } from './world/ensure-world.js';
import type { CountersignOptions, SharedOptions, WorldOptions } from './options/options.js';
import { placeFinder } from './options/place-finder.js';
import { systemClock } from './system-clock.js';
import type { ApprovalOf } from './typed-approval.js';
import { untilQuiet } from './world/until-settled.js';
import { createWorldHandle, type StoreWorld } from './world/world.js';

/** An open store with any number of worlds. */
export interface Countersign<A extends Approval = Approval> {
  /** Opens the world with this name or id, or creates it. Options are applied each time; without options, an open world stays unchanged. */
  world(name: string, options?: WorldOptions): Promise<StoreWorld<A>>;
  /** Every world in the store, opened or not. */
  worlds(): Promise<World[]>;
  /** Resolves when nothing runs in this process: everything is done or waits for someone. */
  quiet(): Promise<void>;
  /** Parks running work and closes the store. */
  close(): Promise<void>;
}

const APPROVE_TIMEOUT_MS = 600_000;

/** Opens a store with all its worlds and resumes unfinished work. */
export async function openCountersign<T extends Tool = Tool>(
  options: CountersignOptions<T>,
): Promise<Countersign<ApprovalOf<T>>> {
  // Validate before anything is opened: invalid options must leave no file behind.
  return await openChecked<T>(checkStoreOptions<T>(options));
}

export async function openChecked<T extends Tool>(options: CountersignOptions<T>): Promise<Countersign<ApprovalOf<T>>> {
  const clock = options.clock ?? systemClock;
  const report = reporter(options.onError);
  const store = await openStore(options, clock);
  let owner: Pick<Store, 'close'> = store;
  try {
    const hasMcp = usesMcp(options);
    const mcp = hasMcp ? await createMcpHost(store, clock) : undefined;
    const engine = createEngine(store, clock, options, { report, mcp });
    // Closing the engine also stops the MCP servers and closes the store.
    owner = engine;
    const approver = approverOf(engine, options, report);
    const opened = new Map<string, StoreWorld<ApprovalOf<T>>>();
    const defaults = { ...options, isOpen: (worldId: string) => opened.has(worldId) };
    const open = inTurn(async (name: string, wanted: WorldOptions): Promise<StoreWorld<ApprovalOf<T>>> => {
      const { id, name: known } = await ensureWorld(engine, name, wanted, defaults);
      const world = opened.get(id) ?? createWorldHandle<ApprovalOf<T>>(engine, { id, name: known }, approver);
      if (!opened.has(id)) approver?.watch(id);
      opened.set(id, world);
      return world;
    });
    for (const { name, ...wanted } of options.worlds ?? []) await open(name, wanted);
    await engine.start();
    for (const worldId of opened.keys()) await approver?.askPending(worldId);
    const countersign: Countersign<ApprovalOf<T>> = {
      async world(name, wanted = {}) {
        const world = await open(text(name, 'name'), checkWorldOptions(wanted, hasMcp, options.tools));
        await approver?.askPending(world.id);
        return world;
      },
      worlds: () => showWorlds(engine.runtime),
      quiet: () => untilQuiet(engine, approver),
      close: () => engine.close(),
    };
    rememberEngine(countersign, engine);
    return countersign;
  } catch (error) {
    // The caller needs the first error.
    await owner.close().catch((again: unknown) => report(again, 'failed to close the store'));
    throw error;
  }
}

async function openStore(
  { store, synchronous }: Pick<CountersignOptions, 'store' | 'synchronous'>,
  clock: Clock,
): Promise<Store> {
  if (typeof store !== 'string') return store;
  if (isPostgres(store)) return await openPostgres(store);
  return await openSqlite(store, { clock, ...(synchronous === undefined ? {} : { synchronous }) });
}

function usesMcp({ mcp, worlds = [] }: Pick<CountersignOptions, 'mcp' | 'worlds'>): boolean {
  return mcp !== undefined || worlds.some((world) => world.mcp !== undefined);
}

/** Loaded on demand: most programs have no MCP servers. */
async function createMcpHost(store: Store, clock: Clock): Promise<McpHostFactory> {
  const { mcpHost } = await import('./mcp-host.js');
  return await mcpHost(store, clock);
}

function createEngine<T extends Tool>(
  store: Store,
  clock: Clock,
  options: CountersignOptions<T>,
  { report, mcp }: { report: Report; mcp: McpHostFactory | undefined },
): Engine {
  const onListenerFailure: ListenerFailure = (error, event) =>
    report(error, `a listener failed on ${event.event} ${event.id}`);
  const secrets = options.secretsKey === undefined ? undefined : givenSecretsKey(options.secretsKey, 'secretsKey');
  return createRuntime({
    store,
    clock,
    providers: options.providers ?? [],
    tools: options.tools ?? [],
    findPlace: placeFinder(options.sandbox),
    onError: report,
    onListenerFailure,
    // The URL contains a password.
    ownSecrets: [
      ...(typeof options.store === 'string' && isPostgres(options.store) ? [options.store] : []),
      ...(secrets?.texts() ?? []),
    ],
    ...(secrets === undefined ? {} : { secretBox: createSecretBox(secrets) }),
    ...(mcp === undefined ? {} : { mcp }),
    ...(options.adminRules === undefined ? {} : { adminRules: options.adminRules }),
    ...(options.probe === undefined ? {} : { probe: options.probe }),
  });
}

function approverOf<T extends Tool>(
  engine: Engine,
  { approve, approveTimeoutMs: timeoutMs = APPROVE_TIMEOUT_MS }: CountersignOptions<T>,
  report: Report,
): Approver | undefined {
  if (approve === undefined) return undefined;
  // The type only adds the argument types from the tools' schemas, which validated the calls.
  return createApprover(engine, { approve: approve as Approve, timeoutMs, report });
}

/** Runs one call at a time: two calls with the same new name must not create two worlds. */
function inTurn<A extends unknown[], R>(act: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const next = last.then(() => act(...args));
    last = next.catch(() => undefined);
    return next;
  };
}

type Report = (error: unknown, what: string) => void;

/** A failing error handler must not abort the step that reports, and its error must not be swallowed (WORLD10). */
function reporter(tell: SharedOptions['onError']): Report {
  const print = (error: unknown, what: string): void => {
    process.stderr.write(`countersign: ${what}: ${toText(error)}\n`);
  };
  if (tell === undefined) return print;
  const report = async (error: unknown, what: string): Promise<void> => {
    try {
      await tell(error, what);
    } catch (again) {
      print(error, what);
      print(again, 'and could not be reported');
    }
  };
  return (error, what) => void report(error, what);
}

/** The thrown value may not be convertible to text; failing here would fail the step. */
function toText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'the thrown value could not be converted to text';
  }
}
