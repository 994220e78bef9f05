import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WORLDS, type Credential, type World } from './cast.js';
import { checkLog, checkRefusals, lastRecords, type LogPlace } from './check-log.js';
import type { Home } from './home.js';
import { ROOT } from './process.js';
import type { History, Step } from './history.js';
import { Ledger, numberIn } from './ledger.js';
import { createRandom } from './random.js';
import { must, renew, rolesBody } from './set-up.js';
import { chooseStep } from './choose-step.js';

/** What is the same for all histories of a home. */
export interface Stage {
  readonly home: Home;
  readonly credentials: Credential[];
  /** Chats that no history has written to. */
  readonly chats: Readonly<Record<World, string[]>>;
  numbers: number;
}

/** Plays the history of a seed. Returns the violations, with what happened before. */
export async function play(stage: Stage, seed: number): Promise<string[]> {
  const { home } = stage;
  const random = createRandom(seed);
  const history: History = {
    home,
    ledger: new Ledger(),
    random,
    credentials: [...stage.credentials],
    chats: { harbour: await freshChats(stage, 'harbour', 2), dock: await freshChats(stage, 'dock', 1) },
    sessions: [`s${stage.numbers}`, `t${stage.numbers}`],
    nextNumber: () => (stage.numbers += 1),
    files: { harbour: new Map(), dock: new Map() },
    replaced: new Map(),
    unsure: new Set(),
    trace: [],
  };
  const { ledger, trace } = history;
  home.tools.onRun = (run) => {
    const n = numberIn(JSON.stringify(run.args));
    if (n !== undefined) ledger.start(n, run.worldId, run);
  };
  const log = await lastRecords(home);
  // Most violations need few steps, so most histories are short.
  const count = random.chance(0.9) ? 2 + random.below(4) : 6 + random.below(18);
  for (let left = count; left > 0 && ledger.violations.length === 0; left -= 1) {
    const first = await chooseStep(history);
    if (first === undefined) continue;
    const isAlone = first.step.isAlone === true || random.chance(0.6);
    const second = isAlone ? undefined : await chooseStep(history, random.chance(0.5) ? first.kind : undefined);
    const steps = second === undefined || second.step.isAlone === true ? [first] : [first, second];
    await perform(
      history,
      steps.map(({ step }) => step),
      log,
    );
  }
  if (home.isMovable) await checkRefusals(history);
  const { violations } = ledger;
  // Requests that still wait are answered there.
  if (violations.length === 0) await clean(history, stage);
  return violations.length === 0 ? [] : [...violations, '', ...trace];
}

async function perform(history: History, steps: readonly Step[], log: LogPlace): Promise<void> {
  const { home, ledger, trace } = history;
  const ran = ledger.ran.length;
  trace.push(steps.map(({ text }) => text).join('  |  '));
  await Promise.all(steps.map((step) => step.act()));
  await home.settle();
  if (await home.revive()) await home.settle();
  ledger.checkRuns(ran);
  checkFiles(history, ran);
  await checkLog(history, log);
  for (const error of home.errors.splice(0)) ledger.violate(error);
}

/** Chats without messages. */
async function freshChats({ home, chats }: Stage, world: World, count: number): Promise<readonly string[]> {
  while (chats[world].length < count)
    chats[world].push((await must(home, ROOT, 'POST', `/worlds/${world}/chats`)).body.id);
  return [...chats[world]];
}

/** The folders hold exactly what the calls wrote that were allowed to run. */
function checkFiles({ home, ledger, files, replaced, unsure }: History, from: number): void {
  for (const { n, run } of ledger.ran.slice(from)) {
    const proposal = ledger.proposals.get(n);
    if (run?.tool !== 'write_file' || run.outcome !== 'succeeded' || proposal?.path === undefined) continue;
    const before = files[proposal.world].get(proposal.path);
    if (before !== undefined) replaced.set(n, before);
    files[proposal.world].set(proposal.path, `${proposal.world}-${n}`);
  }
  for (const world of WORLDS) {
    const found = new Map(list(home.folders[world], ''));
    const expected = files[world];
    for (const path of new Set([...found.keys(), ...expected.keys()])) {
      if (found.get(path) === expected.get(path)) continue;
      if (unsure.delete(`${world}/${path}`)) expected.set(path, found.get(path) ?? '');
      else ledger.violate(`${world}/${path} is ${found.get(path)} instead of ${expected.get(path)}`);
    }
  }
  unsure.clear();
}

function list(folder: string, prefix: string): [string, string][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return list(path, `${prefix}${entry.name}/`);
    return entry.isFile() ? [[`${prefix}${entry.name}`, readFileSync(path, 'utf8')]] : [];
  });
}

/** Leaves the home as it was: nothing waits, and everybody may do what they could. */
async function clean({ home, ledger, chats }: History, { credentials, chats: fresh }: Stage): Promise<void> {
  await home.spare();
  const busy = new Map<string, string>();
  for (const world of WORLDS) {
    const found = await home.store.read((reader) => Promise.all(chats[world].map((chat) => reader.chat(chat))));
    for (const chat of found) if (chat !== undefined && chat.lastSeq > 0) busy.set(chat.id, world);
    fresh[world].splice(0, Infinity, ...chats[world].filter((chat) => !busy.has(chat)));
  }
  // A call over MCP may be proposed a moment later.
  do {
    for (const [chat, world] of busy) await must(home, ROOT, 'POST', `/worlds/${world}/chats/${chat}/stop`);
    busy.clear();
    await home.settle();
    const waiting = await home.store.read((reader) =>
      Promise.all(WORLDS.map((world) => reader.approvals(world, { status: 'pending' }))),
    );
    for (const { chatId, worldId } of waiting.flat()) busy.set(chatId, worldId);
  } while (busy.size > 0);
  // An MCP client without a session keeps its chat, and with it what was granted there.
  const grants = await home.store.read((reader) => Promise.all(WORLDS.map((world) => reader.grantsOfWorld(world))));
  for (const { worldId, id } of grants.flat()) await must(home, ROOT, 'DELETE', `/worlds/${worldId}/grants/${id}`);
  for (const world of ledger.policies.keys()) {
    const path = `/worlds/${world}/policy`;
    const etag = (await must(home, ROOT, 'GET', path)).headers.get('etag') ?? '';
    await must(home, { ...ROOT, 'If-Match': etag }, 'PUT', path, { rules: [] });
    await must(home, ROOT, 'PATCH', `/worlds/${world}`, { mode: 'ask' });
  }
  for (const [person, roles] of ledger.changedRoles())
    await must(home, ROOT, 'PATCH', `/people/${person}`, rolesBody(roles));
  for (const person of ledger.disabled) await must(home, ROOT, 'PATCH', `/people/${person}`, { status: 'active' });
  for (const world of WORLDS)
    for (const name of readdirSync(home.folders[world])) {
      const path = join(home.folders[world], name);
      if (name !== 'link' && existsSync(path) && statSync(path)) rmSync(path, { recursive: true });
    }
  const isLost = (each: Credential): boolean => ledger.revoked.has(each);
  // Sessions first: people create their tokens with them.
  for (const [at, each] of credentials.entries())
    if (isLost(each)) credentials[at] = await renew(home, each, credentials);
  // The log of refused requests counts per minute.
  home.clock.advance(61_000);
  await home.settle();
}
