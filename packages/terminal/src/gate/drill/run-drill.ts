import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { drill as texts } from '../../words/gate.js';
import { quote } from '../../text/quote.js';
import { execCommand, hookCommand } from '../hook-command.js';
import { toJson } from '../json-text.js';
import { managedHome, SYSTEM } from '../managed/managed-place.js';
import { manifestPath } from '../manifest.js';
import { DEFERRED_ROWS } from './deferred-rows.js';
import { DRILLED, type DrilledAgent, type HookedAgent } from './drilled-agents.js';
import { giveTo } from './managed-scene.js';
import { asManaged, MANAGED_ROWS } from './managed-rows.js';
import { startImpostor, startRelay, type InBetween } from './in-between.js';
import { countLines, describe, writeIn } from './outcome.js';
import { ROWS, SECRET, WRITE, type HookKind, type Outcome, type Row, type Stage } from './rows.js';
import { runAgent, type RunningAgent } from './run-agent.js';
import { runRows, type DrillOptions, type DrillPlace, type RowResult } from './run-rows.js';
import { createStage, DRILL_WORLD } from './stage.js';

/** Far longer than a run takes, even on a busy machine. */
const LIMIT_MS = 180_000;
const PATIENT_S = 600;
const IMPATIENT_S = 10;
const PASS = 'drill';

/** Everything that the rows of a drill share. */
interface Drill extends DrillPlace {
  readonly options: DrillOptions<HookedAgent>;
  readonly world: string;
  /** The token of the hook. */
  readonly token: string;
  /** Writes what the hook uses, with this URL of the server. */
  readonly pointHookAt: (url: string) => Promise<void>;
}

/** Runs the agent once per row, with its own home folder and server, and reports whether each row held. */
export async function runDrill(options: DrillOptions<HookedAgent>): Promise<RowResult[]> {
  const { isManaged = false, agent: id } = options;
  const all = [...ROWS, ...DEFERRED_ROWS];
  const wanted = isManaged ? [...all.map((row) => asManaged(id, row)), ...MANAGED_ROWS] : all;
  const rows = wanted.filter((row) => applies(row, attacksOf(id, isManaged), DRILLED[id]));
  return await runRows(options, rows, async (place) => {
    const { server, client, home } = place;
    const { id: world } = await client.createWorld({ name: DRILL_WORLD });
    const { agent, token } = await client.external.createAgent(world, { name: DRILL_WORLD, program: options.agent });
    const pointHookAt = async (url: string): Promise<void> =>
      await writeIn(
        join(home, 'gate', `${options.agent}.json`),
        JSON.stringify({ url, token, world, agent, pass: PASS }),
      );
    await pointHookAt(server.url);
    return async (row, folder) => await runRow({ ...place, options, world, token, pointHookAt }, row, folder);
  });
}

type Attacks = NonNullable<DrilledAgent['attacks']>;

function attacksOf(agent: HookedAgent, isManaged: boolean): Attacks {
  const { attacks, managedAttacks } = DRILLED[agent];
  return { ...attacks, ...(isManaged ? managedAttacks : {}) };
}

/** Whether the agent has the flag, the way to resume, or the settings that the row is about. */
function applies({ bypass, defers, project, asks }: Row, attacks: Attacks, agent: DrilledAgent): boolean {
  const isKnown =
    (asks === undefined || agent.asking?.[asks] !== undefined) &&
    (project === undefined || attacks[project] !== undefined) &&
    (defers !== true || agent.deferring !== undefined);
  return isKnown && (bypass !== true || agent.bypass.length > 0);
}

async function startBetween({ reaches }: Row, drill: Drill): Promise<InBetween | undefined> {
  if (reaches === undefined) return undefined;
  const { url } = drill.server;
  if (reaches === 'impostor') return await startImpostor(Number(new URL(url).port));
  const relay = await startRelay(url, { from: 'one.txt', to: 'two.txt' });
  await drill.pointHookAt(relay.url);
  return relay;
}

async function runRow(drill: Drill, row: Row, cwd: string): Promise<RowResult> {
  const { agent: id, bin, startModel, isManaged = false } = drill.options;
  const agent = DRILLED[id];
  const names = [...new Set([...row.commands, 'two', 'edited'])];
  const commandFor = (name: string): string => (row.reads === true ? 'cat secret.txt' : `${WRITE} >> ${name}.txt`);
  const call = (name: string) => ({ name: agent.tool.name, arguments: { [agent.tool.argument]: commandFor(name) } });
  const answers = row.parallel === true ? [row.commands] : row.commands.map((name) => [name]);
  // A resumed agent tells the model to continue, which must not start the script again.
  const prompted = row.defers === true ? { user: texts.prompt } : {};
  const replies = answers.map((turn, at) => ({
    when: { turn: at + 1, tool: agent.tool.name, ...prompted },
    calls: turn.map(call),
  }));
  const asking = row.asks === undefined ? undefined : agent.asking;
  const asked = row.asks === undefined ? undefined : asking?.[row.asks];
  const script = asked === undefined ? replies : [{ when: { turn: 1, tool: agent.tool.name }, calls: [asked] }];
  const toolResults: string[] = [];
  let wasResumed = false;
  let requests = 0;
  const model = await startModel({
    file: { name: 'drill', text: JSON.stringify({ replies: [...script, 'Done.'] }) },
    onRequest({ request }) {
      requests += 1;
      toolResults.push(...(request?.toolResults ?? []));
      // It sends the result of a deferred call before its own message, which says to continue.
      wasResumed ||= request !== undefined && !request.user.includes(texts.prompt);
    },
  });
  const attack = row.project && attacksOf(id, isManaged)[row.project];
  const pidFile = join(cwd, '.hook-pid');
  const scene = { home: drill.env.HOME, model: model.url, ...(isManaged ? { system: SYSTEM } : {}) };
  const hookHome = isManaged ? undefined : drill.home;
  const deferring = row.defers === true ? agent.deferring : undefined;
  const configure = async (kind: HookKind): Promise<void> => {
    const command = `/bin/sh -c ${quote(commandOf(kind, hookCommand(id, hookHome), pidFile))}`;
    const values = {
      command,
      page: drill.server.url,
      waitSeconds: row.impatient === true ? IMPATIENT_S : PATIENT_S,
      pass: PASS,
      exec: execCommand(hookHome),
    };
    const files = { ...agent.files(scene, values, row.careless === true) };
    if (isManaged && id !== 'codex') files[manifestPath(managedHome(), id)] = toJson({ ...values, files: [] });
    for (const [path, text] of Object.entries(files)) {
      const isSystem = path.startsWith(`${SYSTEM}/`);
      await writeIn(path, isSystem && attack?.breaks === true ? text.slice(0, -9) : text, isSystem);
    }
    for (const [path, text] of Object.entries(attack?.home ?? {})) await writeIn(join(drill.env.HOME, path), text);
    if (drill.runAs !== undefined) for (const folder of [drill.env.HOME, cwd]) giveTo(drill.runAs, folder);
  };
  const runs: RunningAgent[] = [];
  const start = (words: readonly string[]): RunningAgent => {
    const all = [...(row.bypass === true ? agent.bypass : []), ...(attack?.flags ?? []), ...words];
    const env = { ...drill.env, ...agent.env(scene), ...deferring?.env, ...inFolder(cwd, attack?.env ?? {}) };
    const running = runAgent(bin, all, {
      ...{ cwd, env, limitMs: LIMIT_MS, runAs: drill.runAs, input: asking?.input },
    });
    runs.push(running);
    return running;
  };
  const session = randomUUID();
  const resume: Stage['resume'] = async ({ hook = 'real', times = 1 } = {}) => {
    await Promise.all(runs.map(({ ended }) => ended));
    await configure(hook);
    const resumed = Array.from({ length: times }, () => start(deferring?.resume(session) ?? []));
    await Promise.all(resumed.map(({ ended }) => ended));
  };
  await writeIn(join(cwd, 'secret.txt'), SECRET);
  for (const [path, text] of Object.entries(attack?.files ?? {})) await writeIn(join(cwd, path), text);
  await configure(row.hook ?? 'real');
  if (attack?.before !== undefined) spawnSync('sh', ['-c', attack.before], { cwd, env: drill.env, ...drill.runAs });
  if (row.server === 'down') await drill.server.kill();
  const between = await startBetween(row, drill);
  const known = row.server === 'down' ? [] : (await drill.client.approvals(drill.world)).items;
  const edited = commandFor('edited');
  const defers = row.defers === true;
  const words = (asking ?? agent).arguments.map((word) => (word === texts.prompt ? (attack?.prompt ?? word) : word));
  const running = start(deferring?.start(session) ?? words);
  const output = (): string => runs.map((run) => run.output().trim().slice(-500)).join(' | ');
  let detail: string | undefined;
  try {
    await row.play?.(
      createStage(drill, { running, resume, tamper: () => between?.tamper(), known, pidFile, edited, defers }),
    );
    await running.ended;
  } catch (error) {
    for (const each of runs) each.kill();
    detail = `${error instanceof Error ? error.message : String(error)} ${output()}`;
  } finally {
    await model.close();
    between?.close();
    if (between !== undefined) await drill.pointHookAt(drill.server.url);
    if (row.server !== undefined) await drill.server.restart();
  }
  const counts = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await countLines(join(cwd, `${name}.txt`))] as const)),
  );
  const seen = between?.seen() ?? '';
  const wasRead = [drill.token, ...row.commands.map(commandFor)].some((secret) => seen.includes(secret));
  const outcome: Outcome = { runs: counts, toolResults, wasRead };
  // A model that was never asked proves nothing.
  const refusedToStart = row.mayNotStart === true && requests === 0 && runs.every((run) => run.failed());
  const wasTried = refusedToStart || (row.defers === true ? wasResumed : toolResults.length > 0);
  if (detail === undefined && !wasTried) detail = texts.noCall(output());
  if (detail === undefined && !runs.every((run) => run.endedByItself())) detail = texts.didNotEnd;
  if (detail !== undefined) return { name: row.name, held: false, detail };
  if (row.held(outcome)) return { name: row.name, held: true };
  return { name: row.name, held: false, detail: describe(outcome) };
}

/** Relative paths of an attack are in the project's folder, wherever the agent reads them. */
function inFolder(cwd: string, env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const placed = ([name, value]: [string, string]): [string, string] => [
    name,
    value.startsWith('other') ? join(cwd, value) : value,
  ];
  return Object.fromEntries(Object.entries(env).map(placed));
}

/** The shell command of the hook. Ours leaves its process id behind, so that a row can kill it. */
function commandOf(kind: HookKind, real: string, pidFile: string): string {
  switch (kind) {
    case 'real':
      return `echo $$ > ${quote(pidFile)}; exec env ${real}`;
    case 'exit':
      return 'exit 1';
    case 'garbage':
      return "echo 'garbage{'";
    case 'half':
      return `printf '%s' '{"decision":"allow","hookSpecificOutput":{"permissionDecision":"al'`;
  }
}
