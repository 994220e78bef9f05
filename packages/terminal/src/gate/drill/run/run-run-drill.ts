import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient, type Client } from '@countersign/client';
import type { Approval } from '@countersign/protocol';
import { channelFetch } from '@countersign/server/channel';
import type { ServerAccess } from '../../../connection/server-access.js';
import { runDrill as texts, runRows as names } from '../../../words/run-drill.js';
import type { DrillAgent } from '../drilled-agents.js';
import { runAgent, type RunningAgent } from '../run-agent.js';
import { startTemporaryServer } from '../temporary-server.js';
import { openCanaries } from './canaries.js';
import { findWritten, findMarked, plantSecrets, plantSockets, readTree, secretOf } from './plant.js';
import {
  ATTACKS,
  FORK,
  NEXT,
  scriptsOf,
  wasTried,
  type AttackScene,
  type RunAttack,
  type RunOutcome,
} from './run-attacks.js';
import { COVERED, installAgent } from './scene.js';

const run = promisify(execFile);
const LIMIT_MS = 600_000;
/** An agent that can't start another process may wait for one forever. */
const FORK_MS = 120_000;

export interface RunDrillOptions {
  readonly agent: DrillAgent;
  /** Its program, and the name under which a run starts it. */
  readonly bin: string;
  readonly program: string;
  /** An empty folder. */
  readonly folder: string;
  /** Whether system folders are the drill's own. */
  readonly isScene: boolean;
  readonly startModel: ServerAccess['startModel'];
  readonly isWanted: (row: string) => boolean;
  readonly onRow: (row: RunRow) => void;
}

export interface RunRow {
  readonly name: string;
  readonly outcome: 'held' | 'open' | 'not tried';
  /** For people: what went wrong. */
  readonly detail?: string;
}

/** How to start each agent with a prompt, and the call of its shell tool. */
export const STARTS: Readonly<
  Record<
    DrillAgent,
    {
      words: readonly string[];
      tool: string;
      call: (command: string) => Readonly<Record<string, string>>;
      env: (model: string) => Readonly<Record<string, string>>;
    }
  >
> = {
  claude: {
    words: ['-p', texts.prompt],
    tool: 'Bash',
    call: (command) => ({ command, description: texts.callDescription }),
    env: (model) => ({ ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'scripted' }),
  },
  codex: {
    words: ['exec', '-m', 'scripted', texts.prompt],
    tool: 'exec_command',
    call: (cmd) => ({ cmd }),
    env: (model) => ({ OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: 'scripted' }),
  },
  gemini: {
    words: ['--model', 'gemini-2.5-pro', '-p', texts.prompt],
    tool: 'run_shell_command',
    call: (command) => ({ command, description: texts.callDescription }),
    env: (model) => ({ GOOGLE_GEMINI_BASE_URL: model, GEMINI_API_KEY: 'scripted' }),
  },
  opencode: {
    words: ['run', texts.prompt],
    tool: 'bash',
    call: (command) => ({ command, description: texts.callDescription }),
    env: (model) => ({ ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'scripted' }),
  },
};

/**
 * Lets the real agent work in a run, four times: work that is applied, attacks that are denied, a look at what they left, and too many processes.
 * Reports each row.
 */
export async function runRunDrill(options: RunDrillOptions): Promise<RunRow[]> {
  const { folder: top, isScene, onRow, isWanted } = options;
  const seed = crypto.randomUUID();
  const home = join(top, 'home');
  const folder = join(top, 'project');
  await mkdir(home, { recursive: true });
  const programs = await installAgent(home, options.program, options.bin);
  await makeProject(folder);
  const canaries = await openCanaries();
  const secrets = await plantSecrets({ home, folder }, { seed, isScene });
  const sockets = await plantSockets({ home, folder }, { canaries, isScene });
  const mark = String(86_400 + (Date.now() % 1_000_000));
  const scene: AttackScene = { home, folder, secrets, addresses: canaries.addresses, sockets, mark, pid: process.pid };
  const env = {
    ...{ PATH: `${programs}:/usr/local/bin:/usr/bin:/bin`, HOME: home, NO_COLOR: '1', TERM: 'dumb' },
    ...{ DRILL_SECRET: secretOf('environment', seed), AWS_SECRET_ACCESS_KEY: secretOf('environment', seed) },
    ...{ SSH_AUTH_SOCK: sockets.sshAgent ?? '', DBUS_SESSION_BUS_ADDRESS: `unix:path=${sockets.sessionBus ?? ''}` },
  };
  const data = join(top, 'countersign');
  const server = await startTemporaryServer(data, env);
  const rows: RunRow[] = [];
  const report = (row: RunRow): void => {
    if (!isWanted(row.name)) return;
    rows.push(row);
    onRow(row);
  };
  try {
    const client = createClient({ url: server.url, token: server.token, fetch: channelFetch(server.token) });
    const { id: world } = await client.createWorld({ name: 'Drill', workingDirectory: folder });
    const { etag: ifMatch = '' } = await client.policy(world);
    await client.setPolicy(world, { rules: ['deny read_file(./denied.txt)'] }, { ifMatch });
    const place: Place = { options, client, world, folder, data, env };

    const applied = await session(place, ['echo applied > applied.txt; echo more >> a.txt'], async ({ approval }) => {
      await client.decide(world, approval, { decision: 'approve', scope: 'once' });
    });
    report(await readApplied(applied, folder));

    const before = readTree(folder);
    let hosts: RunOutcome['hosts'] = [];
    const attacked = await session(
      place,
      scriptsOf(ATTACKS, scene),
      async ({ approval }) => {
        hosts = approval.effect?.run?.hosts ?? [];
        await client.decide(world, approval, { decision: 'deny', reason: texts.callDescription });
      },
      async () => {
        for (const path of [sockets.late, sockets.lateHome]) if (path !== undefined) await canaries.listenAt(path);
      },
    );
    const look = (said: string): RunOutcome => ({
      said,
      secretOf: (of) => secretOf(of, seed),
      reached: canaries.reached(),
      isWritten: findWritten([home, '/var/tmp', '/usr/local/bin', ...(isScene ? COVERED : [])]),
      isAlive: findMarked(mark).length > 0,
      isUnchanged: readTree(folder) === before,
      hosts,
    });
    const outcome = look(attacked.said);
    for (const attack of ATTACKS) report(judge(attack, outcome, { scene, session: attacked }));

    const next = await session(place, scriptsOf([NEXT], scene));
    report(judge(NEXT, look(next.said), { scene, session: next }));

    const forked = await session({ ...place, limitMs: FORK_MS }, scriptsOf([FORK], scene));
    const afterwards = look(forked.said);
    // Where the limit is the user's own, the script can't start more processes, and often can't say so either.
    const wasStopped =
      forked.output.includes('4,096') || forked.said.includes(`[[${FORK.id}]]`) || forked.said.includes('fork:');
    if (wasStopped) report({ name: FORK.name, outcome: FORK.held(afterwards, scene) ? 'held' : 'open' });
    else report({ name: FORK.name, outcome: 'not tried', detail: forked.output.trim().slice(-300) });
    return rows;
  } finally {
    await server.kill();
    canaries.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Place {
  readonly options: RunDrillOptions;
  readonly client: Client;
  readonly world: string;
  readonly folder: string;
  /** The home folder of the server. */
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs?: number;
}

interface Session {
  /** What the model was told. */
  readonly said: string;
  /** What the command said. */
  readonly output: string;
  readonly isAsked: boolean;
}

/** One run of the agent, in which it runs these scripts. `decide` is called when a signature is asked for, `started` when the agent works. */
async function session(
  { options: { agent, startModel }, client, world, folder, data, env, limitMs = LIMIT_MS }: Place,
  scripts: readonly string[],
  decide?: (asked: { approval: Approval }) => Promise<void>,
  started?: () => Promise<void>,
): Promise<Session> {
  const { words, tool, call, env: variables } = STARTS[agent];
  // Codex tells the model what changed as if its user said so. Gemini CLI says other things together with the prompt.
  const first = agent === 'gemini' ? { turn: 1 } : { turn: 1, user: texts.prompt };
  const replies = scripts.map((script, at) => ({
    when: { tool, ...(at === 0 ? first : { toolResult: endOf(at - 1) }) },
    calls: [{ name: tool, arguments: call(commandOf(`${script}\necho '${endOf(at)}'`)) }],
    usage: USAGE,
  }));
  let isStarted = false;
  let said = '';
  const model = await startModel({
    file: { name: 'drill', text: JSON.stringify({ replies: [...replies, { text: 'Done.', usage: USAGE }] }) },
    onRequest({ request }) {
      // The whole conversation: what the model was told before counts, too.
      const told = JSON.stringify(request?.body ?? '');
      if (told.length > said.length) said = told;
      if (!isStarted) void started?.();
      isStarted = true;
    },
  });
  const all = [process.argv[1] ?? '', 'run', '-w', world, '--home', data, agent, ...words];
  const running = runAgent(process.execPath, all, {
    cwd: folder,
    env: { ...env, ...variables(model.url) },
    limitMs,
  });
  try {
    const approval = await pending(client, world, running);
    if (approval !== undefined) await decide?.({ approval });
    if (approval !== undefined && decide === undefined)
      await client.decide(world, approval, { decision: 'deny', reason: texts.callDescription });
    await running.ended;
    return { said, output: running.output(), isAsked: approval !== undefined };
  } finally {
    running.kill();
    await model.close();
  }
}

const endOf = (script: number): string => `[[end ${script}]]`;

/** Not a file in the folder, which would be a change of it. Gemini CLI refuses command substitution. */
function commandOf(script: string): string {
  return `echo ${Buffer.from(script).toString('base64')} | base64 -d | bash`;
}

/** An agent that counts its tokens would summarize the conversation. */
export const USAGE = { input: 100, output: 10 };

const POLL_MS = 200;

/** The approval of the run; undefined if it ended without one. */
async function pending(client: Client, world: string, running: RunningAgent): Promise<Approval | undefined> {
  let hasEnded = false;
  void running.ended.then(() => (hasEnded = true));
  for (;;) {
    const wasRunning = !hasEnded;
    const [approval] = (await client.approvals(world)).items;
    if (approval !== undefined || !wasRunning) return approval;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function judge(
  attack: RunAttack,
  outcome: RunOutcome,
  { scene, session: { output } }: { scene: AttackScene; session: Session },
): RunRow {
  const { id, name } = attack;
  if (attack.script(scene) === undefined) return { name, outcome: 'not tried' };
  if (!wasTried(outcome.said, id)) return { name, outcome: 'not tried', detail: output.trim().slice(-200) };
  if (attack.held(outcome, scene)) return { name, outcome: 'held' };
  const at = outcome.said.indexOf(`[[${id}]]`);
  return { name, outcome: 'open', detail: outcome.said.slice(at, at + 700) };
}

async function readApplied({ isAsked, output }: Session, folder: string): Promise<RunRow> {
  const { stdout } = await run('git', ['status', '--porcelain'], { cwd: folder });
  if (!isAsked)
    return { name: names.applied, outcome: 'not tried', detail: `${texts.notAsked} ${output.trim().slice(-500)}` };
  const isExact = stdout.trim().split(/\s+/).join() === 'M,a.txt,??,applied.txt';
  return isExact ? { name: names.applied, outcome: 'held' } : { name: names.applied, outcome: 'open', detail: stdout };
}

async function makeProject(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of ['a.txt', 'b.txt']) await writeFile(join(folder, name), `${name}\n`);
  await writeFile(join(folder, '.gitignore'), 'denied.txt\n');
  const git = async (...words: string[]): Promise<unknown> =>
    await run('git', ['-c', 'user.name=drill', '-c', 'user.email=drill@drill.example', ...words], { cwd: folder });
  await git('init', '-q', '-b', 'main');
  await git('add', '-A');
  await git('commit', '-qm', 'start');
}
