import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkToolApproval, createRuntime, keysOfCall, type Gate, type Runtime } from '@countersign/core';
import type { Tool } from '@countersign/core/ports';
import { openSqlite } from '@countersign/storage';
import { systemClock, type ToolEvent } from 'countersign';
import { createGateWorld, type GateWorld } from './gate-world.js';
import { measure, summarize, type Figures, type Plan, type Subject } from './measure.js';
import { benchProvider, benchTools, openBenchWorld, withFolder } from './ours.js';
import { BOOK, ONE_GATED_QUESTION, QUESTIONS } from './script.js';

export interface GateResult {
  /** One gate decision, including its reads. */
  nothingMatches: Figures;
  lastRuleMatches: Figures;
  piledGrants: Figures;
  /** From the model's response until a listener gets the event. */
  askHeard: Figures;
  startHeard: Figures;
}

/** How long the gate takes with ten thousand grants and a thousand rules (LIMIT3). */
export async function gateSuite(plan: Plan): Promise<GateResult> {
  return await withFolder(async (folder) => {
    const spread = await createGateWorld(join(folder, 'spread.sqlite'), 'spread');
    const piled = await createGateWorld(join(folder, 'piled.sqlite'), 'piled');
    const decisions = await measureDecisions(spread, piled, plan);
    return { ...decisions, ...(await measureAsking(spread, plan)) };
  });
}

async function measureDecisions(
  spread: GateWorld,
  piled: GateWorld,
  plan: Plan,
): Promise<Pick<GateResult, 'nothingMatches' | 'lastRuleMatches' | 'piledGrants'>> {
  const engines = await Promise.all([openEngine(spread), openEngine(piled)]);
  const [one, other] = engines;
  await one.runtime.store.read((reader) => one.runtime.caches.snapshots.read(reader, spread.worldId));
  await other.runtime.store.read((reader) => other.runtime.caches.snapshots.read(reader, piled.worldId));
  try {
    const few = await measure(
      [
        decision('nothing', one.runtime, spread, 'Oslo', 'ask'),
        decision('last rule', one.runtime, spread, 'Lisbon', 'run'),
      ],
      { ...plan, perRound: plan.perRound * 10 },
    );
    const many = await measure([decision('piled', other.runtime, piled, 'Oslo', 'ask')], {
      warmUp: 2,
      rounds: plan.rounds,
      perRound: 1,
    });
    return {
      nothingMatches: few.get('nothing') ?? summarize([]),
      lastRuleMatches: few.get('last rule') ?? summarize([]),
      piledGrants: many.get('piled') ?? summarize([]),
    };
  } finally {
    for (const engine of engines) await engine.close();
  }
}

async function openEngine({ file }: GateWorld) {
  const ignore = (): void => undefined;
  return createRuntime({
    store: await openSqlite(file, { synchronous: 'NORMAL' }),
    clock: systemClock,
    providers: [benchProvider()],
    tools: benchTools,
    findPlace: () => place,
    onListenerFailure: ignore,
    onError: ignore,
  });
}

const place = { workingDirectory: process.cwd(), home: homedir() };
const HALF_A_DAY = 12 * 60 * 60 * 1000;

function decision(name: string, runtime: Runtime, world: GateWorld, city: string, expected: Gate['kind']): Subject {
  const tool = benchTools.find(({ definition }) => definition.name === BOOK);
  if (tool === undefined) throw new Error('there is no gated tool');
  return {
    name,
    async run() {
      const { kind } = await decide(runtime, world, tool, { city, nights: 2 });
      if (kind !== expected) throw new Error(`the gate said ${kind} instead of ${expected}`);
    },
  };
}

/** Like `core/src/call/gate.ts`, with the same reads: the world's `rev`, the grants, unknown outcomes. */
async function decide(
  runtime: Runtime,
  { worldId, agentId, chatId }: GateWorld,
  tool: Tool,
  args: { city: string; nights: number },
): Promise<Gate> {
  const words = [`city=${args.city}`, `nights=${args.nights}`];
  const subjects = [{ kind: 'words' as const, words }];
  const call = { chatId, agentId, toolName: BOOK, argumentsText: JSON.stringify(args), keys: keysOfCall(subjects) };
  const needs = { chats: [chatId], calls: [call] };
  const { value } = await runtime.store.step(worldId, needs, (reads) => {
    const snapshot = runtime.caches.snapshots.at(worldId, reads.worldRev ?? 0, reads.now);
    const agent = snapshot?.agent(agentId);
    if (snapshot === undefined || agent === undefined) throw new Error('there is no such world or agent');
    const grants = reads.grants(call).filter(({ lastUsedAt }) => lastUsedAt > reads.now - HALF_A_DAY);
    const gate = checkToolApproval({
      call: { tool: BOOK, arguments: { ok: true, value: args }, subjects, place, folder: place.workingDirectory },
      tool,
      agent: { tools: agent.definition.tools, policy: snapshot.agentPolicy(agentId) },
      world: { mode: snapshot.world.settings.mode, policy: snapshot.policy },
      grants: grants.map((grant) => ({
        id: grant.id,
        ...(grant.folder === null ? {} : { folder: grant.folder }),
        ...(grant.pattern === null ? {} : { pattern: grant.pattern }),
        ...(grant.answeredRule === null ? {} : { answeredRule: grant.answeredRule }),
      })),
      decision: undefined,
      contained: false,
      outcomeUnknown: reads.outcomeUnknown(call),
    });
    return { value: gate, writes: { changes: [], emissions: [], records: [], wakes: [] } };
  });
  return value;
}

/** How long a listener waits for the approval request after the model's response, compared with the start of an ungated call. */
async function measureAsking({ file }: GateWorld, plan: Plan): Promise<Pick<GateResult, 'askHeard' | 'startHeard'>> {
  let answeredAt = 0n;
  const times: Partial<Record<ToolEvent['type'], number[]>> = {};
  let counting = false;
  const provider = benchProvider(() => {
    answeredAt = process.hrtime.bigint();
  });
  const world = await openBenchWorld(file, { providers: [provider] });
  // The last rule allows Lisbon; without it, the gated call needs approval.
  await world.setPolicy((await world.policy()).slice(0, -1));
  world.on('tool', ({ type }) => {
    if (counting) (times[type] ??= []).push(Number(process.hrtime.bigint() - answeredAt) / 1000);
  });
  const chat = await world.chat();
  for (let i = -plan.warmUp; i < plan.rounds * plan.perRound; i += 1) {
    counting = i >= 0;
    await chat.send(i % 2 === 0 ? ONE_GATED_QUESTION : QUESTIONS['one tool']);
    await chat.settled();
    for (const approval of await world.approvals()) await world.decide(approval, { decision: 'deny' });
    await chat.settled();
    await world.quiet();
  }
  await world.close();
  return {
    askHeard: summarize(times.TOOL_APPROVAL_REQUESTED ?? []),
    startHeard: summarize(times.TOOL_EXECUTION_STARTED ?? []),
  };
}
