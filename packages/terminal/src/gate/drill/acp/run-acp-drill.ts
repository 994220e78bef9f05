import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError, type Client } from '@countersign/client';
import { ACP_PROVIDER, type AcpSettings } from '@countersign/protocol';
import { drill as texts } from '../../../words/gate.js';
import { quote } from '../../../text/quote.js';
import { countLines, describe, writeIn } from '../outcome.js';
import { SECRET, WRITE, type Outcome } from '../rows.js';
import { runRows, type DrillOptions, type DrillPlace, type RowResult } from '../run-rows.js';
import { DRILL_WORLD } from '../stage.js';
import { ACP_AGENTS, type AcpAgent } from './acp-agents.js';
import { ACP_ROWS, type AcpRow, type AcpStage } from './acp-rows.js';

/** Far longer than a row takes, even on a busy machine. */
const LIMIT_MS = 240_000;
const POLL_MS = 100;
/** Longer than a hook of the agent takes to answer. */
const HESITATION_MS = 5_000;
const AUTOMATIC_MODE = 'bypassPermissions';

interface Drill extends DrillPlace {
  readonly options: DrillOptions;
}

/** Starts the agent over ACP once per row, in a world of its own on a throwaway server, and reports whether each row held. */
export async function runAcpDrill(options: DrillOptions): Promise<RowResult[]> {
  const agent = ACP_AGENTS[options.agent];
  const applies = ({ bypass, reads, project }: AcpRow): boolean =>
    (project !== true || agent.project !== undefined) &&
    (bypass !== true || agent.bypass.length > 0) &&
    (reads !== 'tool' || agent.readCall !== undefined);
  return await runRows(options, ACP_ROWS.filter(applies), (place) =>
    Promise.resolve((row, folder) => runRow({ ...place, options }, row, folder)),
  );
}

async function runRow(drill: Drill, row: AcpRow, folder: string): Promise<RowResult> {
  const { options, client } = drill;
  const agent = ACP_AGENTS[options.agent];
  const cwd = join(folder, 'work');
  const call = callOf(agent, row, cwd);
  const replies = [{ when: { turn: 1, tool: call.name, user: texts.prompt }, calls: [call] }, 'Done.'];
  const toolResults: string[] = [];
  const model = await options.startModel({
    file: { name: 'drill', text: JSON.stringify({ replies }) },
    onRequest: ({ request }) => void toolResults.push(...(request?.toolResults ?? [])),
  });
  const scene = { home: drill.env.HOME, model: model.url };
  for (const [path, text] of Object.entries(agent.files(scene, row.careless === true))) await writeIn(path, text);
  await writeIn(join(cwd, 'secret.txt'), SECRET);
  for (const [path, text] of Object.entries((row.project && agent.project) ?? {})) await writeIn(join(cwd, path), text);
  const pidFile = join(folder, 'pid');
  const words = [options.bin, ...agent.arguments, ...(row.bypass === true ? agent.bypass : [])];
  const script = join(folder, 'agent.sh');
  const variables = Object.entries(agent.env(scene)).map(([name, value]) => `export ${name}=${quote(value)}`);
  // Leaves the process id behind, so that a row can kill the agent.
  const lines = [...variables, `echo $$ > ${quote(pidFile)}`, `exec ${words.map(quote).join(' ')} "$@"`];
  await writeIn(script, `${lines.join('\n')}\n`);
  const acp: AcpSettings = { command: ['/bin/sh', script], program: options.agent };
  const { id: world } = await client.createWorld({ name: DRILL_WORLD, workingDirectory: cwd });
  let detail: string | undefined;
  try {
    await client.createAgent(world, newAgent(acp));
    const { id: chat } = await client.createChat(world);
    await client.send(world, chat, { content: texts.prompt });
    const deadline = AbortSignal.timeout(LIMIT_MS);
    await row.play(createAcpStage(drill, { world, chat, acp, script, pidFile, deadline }));
    await untilIdle(client, { world, chat, deadline });
  } catch (error) {
    detail = error instanceof Error ? error.message : String(error);
  } finally {
    // It ends the agent's program, so nothing can run after the count.
    await client.deleteWorld(world).catch(() => undefined);
    await model.close();
  }
  const outcome: Outcome = { runs: { one: await countLines(join(cwd, 'one.txt')) }, toolResults };
  if (detail === undefined && row.held(outcome)) return { name: row.name, held: true };
  return { name: row.name, held: false, detail: [detail, describe(outcome)].filter(Boolean).join(' ') };
}

/** The call that the scripted model makes. */
function callOf(agent: AcpAgent, { reads }: AcpRow, cwd: string): { name: string; arguments: object } {
  if (reads === 'tool' && agent.readCall !== undefined) return agent.readCall(join(cwd, 'secret.txt'));
  const command = reads === undefined ? `${WRITE} >> one.txt` : 'cat secret.txt';
  return { name: agent.tool, arguments: agent.call(command, reads === undefined) };
}

const newAgent = (acp: AcpSettings) => ({ name: DRILL_WORLD, provider: ACP_PROVIDER, model: DRILL_WORLD, acp });

interface Scene {
  readonly world: string;
  readonly chat: string;
  readonly deadline: AbortSignal;
}

function createAcpStage(
  { client, server }: Drill,
  { world, chat, deadline, acp, script, pidFile }: Scene & { acp: AcpSettings; script: string; pidFile: string },
): AcpStage {
  const approve: AcpStage['approve'] = async (approval) => {
    await client.decide(world, approval, { decision: 'approve', scope: 'once' });
  };
  return {
    async pending() {
      for (;;) {
        const { status } = await client.chat(world, chat);
        const [approval] = (await client.approvals(world)).items;
        if (approval !== undefined) return approval;
        if (status === 'idle') throw new Error(texts.notAsked);
        await pause(deadline);
      }
    },
    approve,
    approveLate: async (approval) => await approve(approval).catch(ignoreRefusal),
    async deny(approval) {
      await client.decide(world, approval, { decision: 'deny', reason: texts.denied });
    },
    hesitate: async () => await new Promise((resolve) => setTimeout(resolve, HESITATION_MS)),
    stop: async () => await client.stop(world, chat),
    async killAgent() {
      process.kill(-((await groupOf(script)) ?? Number(await readFile(pidFile, 'utf8'))), 'SIGKILL');
    },
    restartServer: async () => await server.restart(),
    async refuseMode() {
      const changed = { ...newAgent({ ...acp, mode: AUTOMATIC_MODE }), name: AUTOMATIC_MODE };
      const isRefused = await client.createAgent(world, changed).then(() => false, ignoreRefusal);
      if (isRefused === false) throw new Error(texts.modeAccepted(AUTOMATIC_MODE));
    },
  };
}

/** The process group of the bubblewrap that started the script, if there is one (EXT3.14). In its view, the agent has another process id. */
async function groupOf(script: string): Promise<number | undefined> {
  const read = async (id: string, file: string): Promise<string> =>
    await readFile(join('/proc', id, file), 'utf8').catch(() => '');
  for (const id of await readdir('/proc').catch(() => [])) {
    if (!(await read(id, 'cmdline')).includes(script)) continue;
    const group = /\) \S+ \d+ (\d+) /.exec(await read(id, 'stat'))?.[1];
    if (group !== undefined) return Number(group);
  }
  return undefined;
}

/** A request that the server refused, and not one that failed. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ClientError) || error.status < 400 || error.status >= 500) throw error;
}

/** An agent that was restarted may ask again. The answer is no. */
async function untilIdle(client: Client, { world, chat, deadline }: Scene): Promise<void> {
  for (;;) {
    if ((await client.chat(world, chat)).status === 'idle') return;
    for (const approval of (await client.approvals(world)).items)
      await client.decide(world, approval, { decision: 'deny', reason: texts.denied }).catch(ignoreRefusal);
    await pause(deadline);
  }
}

async function pause(deadline: AbortSignal): Promise<void> {
  if (deadline.aborted) throw new Error(texts.didNotEnd);
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
