import { basename } from 'node:path';
import {
  addAgent,
  createRuntime,
  createWorld,
  updateAgent,
  updateWorld,
  type Engine,
  type ListenerFailure,
  type Probe,
} from '@countersign/core';
import type { Clock, Provider, Store, Tool, WorldRecord } from '@countersign/core/ports';
import { isReservedName, type NewAgent, type NewWorld, type WorldSettings } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { checkOptions } from './check-options.js';
import { placeFinder } from './place-finder.js';
import { systemClock } from './system-clock.js';
import { createWorldHandle, LIBRARY, type OpenedWorld } from './world.js';

export interface OpenWorldOptions extends Partial<WorldSettings> {
  /** Name of the world in the file. Default: the file's name. Created if it doesn't exist. */
  name?: string;
  /**
   * Rules of a new world. To change those of an existing one, use `setPolicy`, so that opening it never drops a rule.
   */
  policy?: NewWorld['policy'];
  /** Rules of the administrator: they override those of the world, and nothing in it can change them (A19). */
  adminRules?: readonly string[];
  /** Agents to add, or to update if one with this name exists. Others stay. */
  agents?: readonly NewAgent[];
  providers?: readonly Provider[];
  /** Tools given here are available when unfinished turns resume; `addTool` comes later. */
  tools?: readonly Tool[];
  /**
   * A description of the sandbox for tools that don't report their own. Part of the call hash, shown on the card, and
   * never treated as safe.
   */
  sandbox?: string;
  /** `FULL` (default) survives a power cut; `NORMAL` survives `kill -9` and is faster. */
  synchronous?: 'FULL' | 'NORMAL';
  clock?: Clock;
  /** Called if one of your listeners fails, and for errors that can't be shown in a chat. Default: standard error. */
  onError?: (error: unknown, what: string) => unknown;
  /** Called before and after each step and side effect; for tests that crash there. */
  probe?: Probe;
}

/**
 * Opens a world on a SQLite file and resumes unfinished work. `:memory:` stores nothing. A file has one owner: a second
 * process gets an error.
 */
export async function openWorld(file: string, given: OpenWorldOptions = {}): Promise<OpenedWorld> {
  // Before anything is opened: invalid options must leave no file behind.
  const options = checkOptions(file, given);
  const clock = options.clock ?? systemClock;
  const store = await openSqlite(file, {
    clock,
    ...(options.synchronous === undefined ? {} : { synchronous: options.synchronous }),
  });
  try {
    const engine = createEngine(store, clock, options);
    const record = await findOrCreate(engine, file, options);
    for (const agent of options.agents ?? []) await ensureAgent(engine, record.id, agent);
    const { mainAgent } = options;
    if (mainAgent !== undefined) await updateWorld(engine.runtime, record.id, { mainAgent }, LIBRARY);
    await engine.start();
    return createWorldHandle(engine, record.id, record.name);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function createEngine(store: Store, clock: Clock, options: OpenWorldOptions): Engine {
  const onError = reporter(options.onError);
  const onListenerFailure: ListenerFailure = (error, event) =>
    onError(error, `a listener failed on ${event.event} ${event.id}`);
  return createRuntime({
    store,
    clock,
    providers: options.providers ?? [],
    tools: options.tools ?? [],
    findPlace: placeFinder(options.sandbox),
    onError,
    onListenerFailure,
    ...(options.adminRules === undefined ? {} : { adminRules: options.adminRules }),
    ...(options.probe === undefined ? {} : { probe: options.probe }),
  });
}

/** A failing error handler must not end the step that reports, and its error is not swallowed (M10). */
function reporter(tell: OpenWorldOptions['onError']): (error: unknown, what: string) => void {
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

async function findOrCreate(engine: Engine, file: string, options: OpenWorldOptions): Promise<WorldRecord> {
  const {
    name: wanted,
    policy,
    agents: _a,
    providers: _p,
    tools: _t,
    synchronous: _s,
    clock: _c,
    onError: _e,
    probe: _b,
    sandbox: _x,
    adminRules: _r,
    // Set after its agents exist.
    mainAgent: _m,
    ...settings
  } = options;
  const name = wanted ?? nameOf(file);
  const worlds = await engine.runtime.store.read((reader) => reader.worlds());
  const known = worlds.find((world) => world.name === name || world.id === name);
  if (known === undefined)
    return await createWorld(
      engine.runtime,
      { name, ...settings, ...(policy === undefined ? {} : { policy }) },
      LIBRARY,
    );
  if (Object.keys(settings).length > 0) await updateWorld(engine.runtime, known.id, settings, LIBRARY);
  return known;
}

/** So that a program can declare its agents and be run again. */
async function ensureAgent(engine: Engine, worldId: string, agent: NewAgent): Promise<void> {
  const agents = await engine.runtime.store.read((reader) => reader.agents(worldId));
  const known = agents.find(({ definition }) => definition.name === agent.name);
  if (known === undefined) await addAgent(engine.runtime, worldId, agent, LIBRARY);
  else await updateAgent(engine.runtime, worldId, known.id, agent, LIBRARY);
}

/** `world.db` is a common file name, but `world` is reserved, so it becomes `world 1`. */
function nameOf(file: string): string {
  const name = basename(file)
    .replace(/\.[^.]*$/, '')
    .replace(/[^\p{L}\p{N} _-]+/gu, ' ')
    .replace(/^[ _-]+/, '')
    .slice(0, 64)
    // Remove half of a surrogate pair left by the truncation, and characters that no name ends with.
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/[ _-]+$/, '');
  if (name === '') return 'world 1';
  return isReservedName(name) ? `${name} 1` : name;
}
