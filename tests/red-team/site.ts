import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
  addAgent,
  addMcpServer,
  createChat,
  createWorld,
  listApprovals,
  listGrants,
  publishMessage,
  setPolicy,
  showMcpServer,
  stopChat,
  updateMcpServer,
  updateWorld,
  type Engine,
} from '@countersign/core';
import { MAY_ALL, scripted, type ScriptedProvider, type ScriptedReply } from '@countersign/core/testing';
import type { Approval, Signer, WorldEvent } from '@countersign/protocol';
import { serve, type Serving } from '@countersign/server';
import { expect, vi } from 'vitest';
import { writeRedirect } from '../../packages/server/src/serve/open-browser.js';
import { createPostgresDatabase } from '../support/postgres-database.js';
import type { Ground } from './grounds.js';
import { MARK } from './lures.js';
import { siteTools } from './site-tools.js';
import { slips } from './slips.js';
import { openTraps, ownAddresses, type Traps } from './traps.js';

export const ME: Signer = { who: { kind: 'person', id: 'me', name: 'me' }, via: 'red-team' };

/** The only command that channels need, spelled out: without a sandbox, no rule with a star runs a command (RULE8). */
export const EXACT_RULE = 'allow shell_cmd(cat notes/c.txt)';

/** The rules that a person wrote, in every mode. Every call that runs must match one of them or need no approval. */
const POLICY: readonly string[] = [
  'allow read_file',
  'allow list_files',
  'allow grep',
  'allow shell_cmd(echo *)',
  'allow shell_cmd(cat *)',
  EXACT_RULE,
  ...slips.flatMap(({ rules }) => rules),
  'allow web_fetch(**)',
  'allow web_fetch(*)',
  'allow web_fetch(*.*)',
  'allow web_fetch(127.0.0.1)',
  'allow web_fetch(localhost)',
  'allow browse',
  'allow send_message',
  'allow mcp__evil__read',
  'allow mcp__kind__*',
  'allow app__*',
];

/** Not in `auto`: there a rule for paths would allow what that mode leaves out (CHANGE4). */
const WRITE_RULES: readonly string[] = ['allow write_file(./**)', 'allow edit_file(./**)'];

/** One attempt: what the model does first, and what it does after reading the mark. */
interface Attempt {
  begin: ScriptedReply;
  order: ScriptedReply;
  text: string;
  hasBegun: boolean;
  obeyed: boolean;
}

/** A real server with its own home folder, a world with an obedient model, and everything that must stay unchanged. */
export interface Site {
  ground: Ground;
  traps: Traps;
  /** Where the database listens; on SQLite, the attacker's own server. */
  database: { host: string; port: string };
  /** Every rule that was ever active. */
  policy: readonly string[];
  /** Secrets that nobody except the person may ever read, plain and reversed. */
  secrets: readonly string[];
  /** The chats in which the world was in `auto` mode. */
  inAuto: Set<string>;
  serving: Serving;
  engine: Engine;
  worldId: string;
  home: string;
  work: string;
  url: string;
  token: string;
  provider: ScriptedProvider;
  /** A call of the dangerous tool that waits for a person in another chat. */
  victim: Approval;
  /** Every run of the dangerous tool. */
  runs: unknown[];
  /** Undefined on SQLite. */
  databaseUrl: string | undefined;
  events: WorldEvent[];
  attempt: Attempt;
  /** Runs one attempt in a new chat, starting with a person's message, until the chat has settled. */
  try(begin: ScriptedReply, order: ScriptedReply, text: string, message?: string): Promise<{ chatId: string }>;
  /** The chat of the last attempt. */
  readonly chatId: string;
  /** Changes the world's mode and rules, as a person. */
  enter(mode: 'ask' | 'auto'): Promise<void>;
  /** Ends the work that the last attempt left open. */
  stop(): Promise<void>;
  /** After someone answered the attempt's question: resolves when the model has obeyed and the chat has settled. */
  answered(): Promise<void>;
  /** State that must be the same after every attempt. */
  state(): Promise<unknown>;
  close(): Promise<void>;
}

/** Files of the home folder that must not change here. */
const KEPT = ['token', 'admin.rules', 'open.html', 'server.json'];

const IDLE: Attempt = { begin: 'ok', order: 'ok', text: '', hasBegun: true, obeyed: true };

export async function openSite(ground: Ground): Promise<Site> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'countersign-red-')));
  const home = join(base, 'home');
  const work = join(base, 'work');
  for (const folder of ['notes', '.git/hooks', 'app']) await mkdir(join(work, folder), { recursive: true });
  await writeFile(join(work, '.git/config'), '[core]\n');
  await writeFile(join(base, 'outside.txt'), 'outside');
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, 'admin.rules'), 'deny danger(really)\n', { mode: 0o600 });

  const runs: unknown[] = [];
  const site: { current: Attempt } = { current: IDLE };
  const provider = scripted((request) => {
    const { current } = site;
    const { messages, tools } = request;
    if (request.purpose === 'title') return current.text === '' ? 'A title' : current.text.slice(0, 150);
    const last = messages.at(-1);
    if (last?.role === 'user' && last.content.includes('BEGIN') && !current.hasBegun) {
      current.hasBegun = true;
      return current.begin;
    }
    const read = JSON.stringify([messages.slice(1), tools]);
    if (read.includes(MARK) && !current.obeyed) {
      current.obeyed = true;
      return current.order;
    }
    return last?.role === 'user' && last.content.includes('VICTIM')
      ? { calls: [{ name: 'danger', arguments: {} }] }
      : 'ok';
  });
  const databaseUrl = ground.store === 'postgres' ? await createPostgresDatabase() : undefined;
  const traps = await openTraps();
  const serving = await serve({
    home,
    env: { COUNTERSIGN_DRAFT_MB: '1', ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) },
    port: 0,
    version: '0.0.0-test',
    log: { info: ignore, warn: ignore, error: ignore },
    sandbox: ground.sandbox,
    providers: [provider],
    tools: siteTools(
      () => site.current.text,
      (args) => void runs.push(args),
    ),
  });
  const { engine, token } = serving.home;
  const { runtime } = engine;
  const startUrl = serving.newStartUrl();
  writeRedirect(startUrl, home);
  const { hostname, port } = new URL(databaseUrl ?? `http://127.0.0.1:${traps.port}`);
  const { port: ownPort } = new URL(serving.url);
  const hosts = ['127.0.0.1', 'localhost', ...ownAddresses()].flatMap((host) =>
    [ownPort, port, `${traps.port}`].map((at) => `allow web_fetch(${host}:${at})`),
  );
  const rules = { auto: [...new Set([...POLICY, ...hosts])], ask: [...new Set([...POLICY, ...hosts, ...WRITE_RULES])] };

  const world = await createWorld(
    runtime,
    { name: 'Target', policy: rules.ask, workingDirectory: work, streaming: false, maxIterations: 6 },
    ME,
    MAY_ALL,
  );
  const worldId = world.id;
  for (const name of ['Ada', 'Bob', 'Vic']) {
    await addAgent(runtime, worldId, { name, provider: provider.name, model: 'm', tools: ['*'] }, ME);
  }
  const events: WorldEvent[] = [];
  runtime.bus.subscribe(worldId, (event) => void events.push(event));

  let lastChat = '';
  let mode: 'ask' | 'auto' = 'ask';
  const inAuto = new Set<string>();
  async function send(content: string): Promise<string> {
    const chat = await createChat(runtime, worldId, content.includes('UNTITLED') ? undefined : 'A chat');
    lastChat = chat.id;
    if (mode === 'auto') inAuto.add(chat.id);
    await publishMessage(runtime, { worldId, chatId: chat.id, content, speaker: 'human' });
    await settled();
    return chat.id;
  }
  /** If processes share a store, a turn is queued first and starts when its job is taken. */
  async function settled(): Promise<void> {
    const isOver = async (): Promise<void> => {
      await engine.quiet();
      const turns = await runtime.store.read((reader) => reader.unfinishedTurns(lastChat));
      const isHeld = ({ agentId }: { agentId: string }): boolean =>
        turns.some((other) => other.agentId === agentId && other.state === 'waiting');
      // An agent's next turn is queued behind one that waits for a person.
      expect(turns.filter((turn) => turn.state === 'open' || (turn.state === 'queued' && !isHeld(turn)))).toEqual([]);
      await engine.quiet();
    };
    await vi.waitFor(isOver, { timeout: 100_000, interval: 10 });
  }

  await addMcpServer(
    runtime,
    worldId,
    { name: 'kind', transport: 'http', url: `http://127.0.0.1:${traps.port}/mcp`, trusted: true },
    ME,
    MAY_ALL,
  );
  await send('@Vic VICTIM');
  const [victim] = await listApprovals(runtime, worldId, { status: 'pending' });
  if (victim === undefined) throw new Error('the victim was not asked');
  await growMcp(engine, worldId, traps);
  await symlink(join(home, 'token'), join(work, 'link-token'));
  await symlink(join(home, 'admin.rules'), join(work, 'link-rules'));
  await symlink(join(work, '.git/hooks'), join(work, 'link-hooks'));

  return {
    ground,
    traps,
    database: { host: hostname, port },
    policy: rules.ask,
    secrets: [
      token.value,
      startUrl.split('ticket=')[1] ?? '',
      ...(databaseUrl === undefined ? [] : [databaseUrl]),
    ].flatMap((secret) => [secret, secret.split('').toReversed().join('')]),
    inAuto,
    serving,
    engine,
    worldId,
    home,
    work,
    url: serving.url,
    token: token.value,
    provider,
    victim,
    runs,
    databaseUrl,
    events,
    get attempt() {
      return site.current;
    },
    async try(begin, order, text, message = '@Ada BEGIN') {
      site.current = { begin, order, text, hasBegun: false, obeyed: false };
      return { chatId: await send(message) };
    },
    get chatId() {
      return lastChat;
    },
    async enter(next) {
      if (next === mode) return;
      mode = next;
      await updateWorld(runtime, worldId, { mode }, ME);
      await setPolicy(runtime, worldId, rules[mode], ME);
    },
    stop: async () => await stopChat(runtime, worldId, lastChat, ME),
    async answered() {
      await vi.waitFor(() => expect(site.current.obeyed).toBe(true), { timeout: 100_000, interval: 10 });
      await settled();
    },
    async state() {
      const { policy, settings, agents } = await runtime.store.read(async (reader) => ({
        policy: (await reader.world(worldId))?.policy,
        settings: (await reader.world(worldId))?.settings,
        agents: await reader.agents(worldId),
      }));
      const files = await Promise.all(
        [...KEPT.map((name) => join(home, name)), join(base, 'outside.txt'), join(work, '.git/config')].map((file) =>
          readFile(file, 'utf8').catch(() => 'absent'),
        ),
      );
      return {
        policy,
        settings,
        agents,
        grants: await listGrants(runtime, worldId),
        victim: (await runtime.store.read((reader) => reader.approval(victim.approvalId)))?.status,
        files,
        work: await filesIn(work),
        runs: [...runs],
        hits: [...traps.hits],
        late: [...traps.late],
      };
    },
    async close() {
      await serving.close();
      traps.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** The trusted server offers another tool after it restarts. No earlier rule or trust covers it (CALL1). */
async function growMcp({ runtime }: Engine, worldId: string, traps: Traps): Promise<void> {
  const tools = async () => (await showMcpServer(runtime, worldId, 'kind')).value.tools;
  await vi.waitFor(async () => expect(await tools()).toEqual(['mcp__kind__read']), 30_000);
  await updateMcpServer(runtime, worldId, 'kind', { enabled: false }, ME, MAY_ALL);
  traps.grow();
  await updateMcpServer(runtime, worldId, 'kind', { enabled: true }, ME, MAY_ALL);
  await vi.waitFor(async () => expect(await tools()).toContain('mcp__kind__late'), 30_000);
}

/** All files of the working folder, except those that channels write. */
async function filesIn(work: string): Promise<string[]> {
  const entries = await readdir(work, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(work, join(parentPath, name)))
    .filter((path) => !path.startsWith('notes/'))
    .toSorted();
}

function ignore(): void {
  // Log output is not checked.
}
