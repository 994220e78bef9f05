import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '@countersign/client';
import type { Approval } from '@countersign/protocol';
import { startScriptedModel } from '@countersign/providers';
import { expect } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import { startCommand, startServer, type ServerProcess } from '../../packages/server/src/testing/start-process.js';
import { DRILLED, type DrillAgent } from '../../packages/terminal/src/gate/drill/drilled-agents.js';
import { execCommand } from '../../packages/terminal/src/gate/hook-command.js';
import { runAgent } from '../../packages/terminal/src/gate/drill/run-agent.js';

const cache = fileURLToPath(new URL('../../node_modules/.cache/countersign-agents', import.meta.url));
const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));
const LIMIT_MS = 300_000;
const WAIT_S = 600;

export const binOf = (agent: DrillAgent): string => join(cache, agent, 'node_modules', '.bin', agent);

/** `npm run verify` installs the agents first. */
export function isInstalled(agent: DrillAgent): boolean {
  const isThere = existsSync(binOf(agent));
  if (!isThere) process.stderr.write(`LEFT OUT: ${agent} is not installed, so its tests did not run.\n`);
  return isThere;
}

interface AgentRun {
  readonly ended: Promise<void>;
  /** What the model got for its calls. */
  readonly toolResults: readonly string[];
  /** Everything that the model was sent. */
  readonly requests: readonly string[];
  /** How often the command with this name ran. */
  ran(name: string): number;
  /** The shell command with this name. */
  commandOf(name: string): string;
}

/** A server, and the real agent behind the hook that `gate install` configures. */
export interface Gate {
  readonly folder: string;
  readonly home: string;
  readonly world: string;
  readonly client: Client;
  signInLink(): Promise<string>;
  /** Starts the agent with a model that wants to run these commands, one after the other. */
  run(...names: string[]): Promise<AgentRun>;
  /** The same in the world's own folder. */
  runInWorld(...names: string[]): Promise<AgentRun>;
  /** Starts the agent in a folder of its own with a model that says something and makes these calls, one after the other. */
  runCalls(calls: readonly ToolCall[], files: Readonly<Record<string, string>>): Promise<AgentRun & { cwd: string }>;
  /** The call that waits. */
  pending(): Promise<Approval>;
  /** Kills the server with SIGKILL and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** `FOLDER` in an argument stands for the folder of the run. */
interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export async function openGate(id: 'claude' | 'gemini'): Promise<Gate> {
  const folder = mkdtempSync(join(tmpdir(), `countersign-${id}-`));
  const home = join(folder, 'countersign');
  const work = join(folder, 'work');
  mkdirSync(work);
  const agent = DRILLED[id];
  const port = String(await freePort());
  const start = async (): Promise<ServerProcess> => await startServer(home, { words: ['--port', port] });
  let server = await start();
  const { url, token } = server;
  const client = createClient({ url, token });
  const { id: world } = await client.createWorld({ name: 'Gated', workingDirectory: work });
  const created = await client.external.createAgent(world, { name: agent.name, program: id });
  const pass = 'pass-of-this-test';
  write(join(home, 'gate', `${id}.json`), JSON.stringify({ url, world, ...created, pass }));
  const closing: (() => Promise<void>)[] = [];
  let runs = 0;
  // Each run creates another file. A rule can allow it, unlike a redirection.
  const commandOf = (name: string): string => `mktemp ${name}.XXXXXX`;
  const runIn = async (cwd: string, names: readonly string[]): Promise<AgentRun> =>
    await runCalls(
      cwd,
      names.map((name) => ({ name: agent.tool.name, arguments: { [agent.tool.argument]: commandOf(name) } })),
    );
  const runCalls = async (cwd: string, calls: readonly ToolCall[]): Promise<AgentRun> => {
    const toolResults: string[] = [];
    const requests: string[] = [];
    const model = await startScriptedModel({
      script: {
        replies: [
          ...calls.map((call, at) => ({
            when: { turn: at + 1, tool: agent.tool.name },
            text: `Step ${at + 1}.`,
            calls: [{ ...call }],
          })),
          'Done.',
        ],
      },
      onRequest({ request }) {
        requests.push(JSON.stringify(request));
        toolResults.push(...(request?.toolResults ?? []));
      },
    });
    const scene = { home: folder, model: model.url };
    const hook = `'${process.execPath}' '${command}' gate hook --agent ${id} --home '${home}'`;
    const exec = execCommand(home, command);
    const files = agent.files(scene, { command: hook, waitSeconds: WAIT_S, pass, exec }, false);
    for (const [path, text] of Object.entries(files)) write(path, text);
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TERM: 'dumb', NO_COLOR: '1', ...agent.env(scene) };
    const running = runAgent(binOf(id), agent.arguments, { cwd, env, limitMs: LIMIT_MS });
    closing.push(async () => {
      running.kill();
      await model.close();
    });
    return {
      ended: running.ended.then(() => {
        if (!running.endedByItself()) throw new Error(`the agent did not end: ${running.output()}`);
      }),
      toolResults,
      requests,
      ran: (name) => readdirSync(cwd).filter((file) => file.startsWith(`${name}.`)).length,
      commandOf,
    };
  };
  return {
    folder,
    home,
    world,
    client,
    async signInLink() {
      const opening = startCommand(['open', '--no-open', '--json', '--home', home], { HOME: folder });
      await opening.exited;
      return z.object({ open: z.string() }).parse(JSON.parse(opening.stdout())).open;
    },
    async run(...names) {
      runs += 1;
      const cwd = join(work, `run-${runs}`);
      mkdirSync(cwd);
      return await runIn(cwd, names);
    },
    runInWorld: (...names) => runIn(work, names),
    async runCalls(calls, files) {
      runs += 1;
      const cwd = join(work, `run-${runs}`);
      for (const [name, text] of Object.entries(files)) write(join(cwd, name), text);
      const text = JSON.stringify(calls).replaceAll('FOLDER', cwd);
      return { cwd, ...(await runCalls(cwd, JSON.parse(text) as ToolCall[])) };
    },
    async pending() {
      const waiting = async (): Promise<readonly Approval[]> => (await client.approvals(world)).items;
      await expect.poll(async () => (await waiting()).length, { timeout: LIMIT_MS, interval: 200 }).toBe(1);
      const [approval] = await waiting();
      if (approval === undefined) throw new Error('nothing waits');
      return approval;
    },
    async restart() {
      await server.end('SIGKILL');
      server = await start();
    },
    async close() {
      for (const close of closing) await close();
      await server.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
}
