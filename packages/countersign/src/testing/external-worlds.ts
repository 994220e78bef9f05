import {
  addAgent,
  claimExternal,
  createWorld,
  proposeExternal,
  reportExternal,
  type ClaimRequest,
  type Engine,
  type ExternalCaller,
  type ExternalProposal,
  type RuntimeOptions,
} from '@countersign/core';
import { createFakeClock } from '@countersign/core/testing';
import type { ExternalResult, NewWorld, ToolDecision, ToolEvent } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { externalTool } from '@countersign/tools';
import { deciding } from './deciding.js';
import { tool } from './fixture.js';
import { freshEngines } from './fresh-engines.js';
import { createTestEngine, person } from './test-engine.js';

/** The world of these tests. */
export const W = 'harbour';

/** The program of these tests. */
export const caller: ExternalCaller = { by: person, credential: 'token 1', claim: 'claim 1' };

/** The world's folder, in which the program works too unless told otherwise. */
const FOLDER = '/home/ada/project';
const findPlace = () => ({ workingDirectory: FOLDER, home: '/root' });

/** A question about a call, by its program unless told otherwise. */
export function asked(id: string, about: Partial<ClaimRequest> = {}): ClaimRequest {
  return { worldId: W, id, agentId: 'claude', caller, ...about };
}

/** A call that Claude Code proposes. */
export function proposal(more: Partial<ExternalProposal> = {}): ExternalProposal {
  return {
    agentId: 'claude',
    session: 's1',
    key: 'k1',
    program: 'claude',
    toolName: 'claude__Bash',
    arguments: { command: 'ls' },
    title: 'Claude Code in ~/project',
    runs: { where: 'program', reports: true },
    signal: new AbortController().signal,
    ...more,
  };
}

/** Opens engines with a world and two external agents. Closes them after each test. */
export function externalWorlds() {
  const engines = freshEngines();

  async function open(
    world: Partial<NewWorld> = {},
    file = ':memory:',
    clock = createFakeClock(),
    { tools = [], ...more }: Partial<RuntimeOptions> = {},
  ) {
    const ran: unknown[] = [];
    const store = await openSqlite(file, { clock });
    const own = tool('look', async (args) => ran.push(args));
    const engine = await createTestEngine({ store, clock, externalTool, tools: [own, ...tools], findPlace, ...more });
    engines.add(engine);
    const { runtime } = engine;
    const isNew = (await store.read((reader) => reader.world(W))) === undefined;
    if (isNew) {
      await createWorld(runtime, { name: 'Harbour', ...world }, person);
      for (const name of ['Claude', 'Other'])
        await addAgent(
          runtime,
          W,
          { name, provider: 'external', model: 'claude', tools: ['claude__*', 'codex__*', 'look'] },
          person,
        );
    }
    await engine.start();
    const events: ToolEvent[] = [];
    runtime.bus.subscribe(W, (event) => void (event.event === 'tool' && events.push(event.data)));
    const propose = (
      more: Partial<ExternalProposal> & { command?: string; worldId?: string; from?: ExternalCaller } = {},
    ) => {
      const { command = 'rm -rf build', worldId = W, from = caller, ...rest } = more;
      return proposeExternal(
        runtime,
        worldId,
        proposal({ arguments: { command }, runs: { where: 'program', cwd: FOLDER, reports: true }, ...rest }),
        from,
      );
    };
    const { pending, decide } = deciding({ runtime }, W);
    const claim = (id: string, about: Partial<ClaimRequest> = {}) => claimExternal(runtime, asked(id, about));
    const report = async (id: string, result: ExternalResult, about: Partial<ClaimRequest> = {}) =>
      await reportExternal(runtime, asked(id, about), result);
    const approve = async (decision?: Partial<ToolDecision>) => await decide((await pending())[0], decision);
    const call = async (id: string) => await runtime.store.read((reader) => reader.invocation(id));
    return { engine, runtime, clock, ran, events, propose, pending, decide, approve, claim, report, call };
  }

  /** Ends the process of an engine, as far as its store knows. */
  async function close({ engine }: { engine: Engine }): Promise<void> {
    engines.delete(engine);
    await engine.close();
  }

  return { open, close };
}
