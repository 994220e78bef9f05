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
  /** Which world of the file. Default: the file's name. It is made if it is not there. */
  name?: string;
  /** Rules of a new world. Those of an existing one are changed by `setPolicy`, so that opening it never drops a rule somebody added. */
  policy?: NewWorld['policy'];
  /** Rules of whoever runs the program: they win over those of the world, and nothing in it can change them (A19). */
  adminRules?: readonly string[];
  /** Agents that are to be there: added, or changed to this if there is one of the name. Others stay. */
  agents?: readonly NewAgent[];
  providers?: readonly Provider[];
  /** Given here, they are there when unfinished turns go on; `addTool` comes later. */
  tools?: readonly Tool[];
  /** What tools run in that don't say so themselves, in your words: signed with each call, shown on its card, and never called safe. */
  sandbox?: string;
  /** `FULL` (default) survives a power cut; `NORMAL` survives `kill -9` and is faster. */
  synchronous?: 'FULL' | 'NORMAL';
  clock?: Clock;
  /** Told when a listener of yours fails, and of failures that no chat can tell. Default: standard error. */
  onError?: (error: unknown, what: string) => unknown;
  /** Called before and after each step and side effect; for tests that crash there. */
  probe?: Probe;
}

/**
 * Opens a world on a SQLite file, in one call, and takes up whatever was unfinished in it. `:memory:` keeps nothing.
 * One process owns a file: a second one is told so.
 */
export async function openWorld(file: string, given: OpenWorldOptions = {}): Promise<OpenedWorld> {
  // Before anything is opened: what does not fit must leave no file behind.
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

/** A report that fails must not end the step that reports, and is itself not swallowed (M10). */
function reporter(tell: OpenWorldOptions['onError']): (error: unknown, what: string) => void {
  const print = (error: unknown, what: string): void => {
    process.stderr.write(`countersign: ${what}: ${inWords(error)}\n`);
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

/** What was thrown may be something that has no text: a report that failed over it would take the step with it. */
function inWords(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something was thrown that can not be put in words';
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
    // Only once its agents are there.
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

/** So that a program can say who is there and be run again. */
async function ensureAgent(engine: Engine, worldId: string, agent: NewAgent): Promise<void> {
  const agents = await engine.runtime.store.read((reader) => reader.agents(worldId));
  const known = agents.find(({ definition }) => definition.name === agent.name);
  if (known === undefined) await addAgent(engine.runtime, worldId, agent, LIBRARY);
  else await updateAgent(engine.runtime, worldId, known.id, agent, LIBRARY);
}

/** `world.db` is a name people give, and `world` is nobody's: then it is `world 1`. */
function nameOf(file: string): string {
  const name = basename(file)
    .replace(/\.[^.]*$/, '')
    .replace(/[^\p{L}\p{N} _-]+/gu, ' ')
    .replace(/^[ _-]+/, '')
    .slice(0, 64)
    // Half a character that the cut left, and what no name ends with.
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/[ _-]+$/, '');
  if (name === '') return 'world 1';
  return isReservedName(name) ? `${name} 1` : name;
}
