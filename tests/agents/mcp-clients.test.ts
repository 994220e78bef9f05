import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@countersign/client';
import { startScriptedModel } from '@countersign/providers';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startServer } from '../../packages/server/src/testing/start-process.js';
import { DRILLED } from '../../packages/terminal/src/gate/drill/drilled-agents.js';
import { runAgent } from '../../packages/terminal/src/gate/drill/run-agent.js';
import { binOf, isInstalled } from './gated-agent.js';

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));
const LIMIT_MS = 400_000;
/** How long a person takes. */
const HELD_MS = 100_000;
const PROMPT = 'Stamp the letter.';
const TOOL = 'shell_cmd';

const added = z.object({
  config: z.object({
    mcpServers: z.object({ countersign: z.object({ command: z.string(), args: z.array(z.string()) }) }),
  }),
});
type Gateway = Readonly<{ command: string; args: readonly string[] }>;
type ClientName = 'claude' | 'codex' | 'gemini';
const CLIENTS: readonly ClientName[] = ['claude', 'codex', 'gemini'];

/** The client's configuration, by path, and how to start it without a person. Its own timeouts are longer than the wait. */
const configurations: Record<
  ClientName,
  (home: string, model: string, gateway: Gateway) => { files: Record<string, string>; words: string[]; tool: string }
> = {
  claude: (home, _, gateway) => ({
    files: { [join(home, 'mcp.json')]: JSON.stringify({ mcpServers: { countersign: gateway } }) },
    words: ['-p', PROMPT, '--mcp-config', join(home, 'mcp.json'), '--allowedTools', `mcp__countersign__${TOOL}`],
    tool: `mcp__countersign__${TOOL}`,
  }),
  codex: (home, model, { command: program, args }) => ({
    files: {
      [join(home, '.codex', 'config.toml')]:
        `model = "scripted"\nmodel_provider = "scripted"\napproval_policy = "never"\n` +
        `[model_providers.scripted]\nname = "scripted"\nbase_url = "${model}/v1"\nwire_api = "responses"\n` +
        `env_key = "OPENAI_API_KEY"\n[mcp_servers.countersign]\ncommand = ${JSON.stringify(program)}\n` +
        `args = ${JSON.stringify(args)}\ntool_timeout_sec = 600\nstartup_timeout_sec = 60\nrequired = true\n` +
        `default_tools_approval_mode = "approve"\n`,
    },
    words: ['exec', '--skip-git-repo-check', PROMPT],
    tool: TOOL,
  }),
  gemini: (home, _, gateway) => ({
    files: {
      [join(home, '.gemini', 'settings.json')]: JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        mcpServers: { countersign: { ...gateway, trust: true, timeout: 600_000 } },
      }),
    },
    words: ['--model', 'gemini-2.5-pro', '-p', PROMPT],
    tool: `mcp_countersign_${TOOL}`,
  }),
};

const installed = CLIENTS.filter(isInstalled);

it.runIf(installed.length > 0)(
  '[EXT2] real MCP clients wait 100 seconds for an approval and get the right answer once',
  { timeout: LIMIT_MS },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-clients-'));
    const home = join(folder, 'countersign');
    const server = await startServer(home);
    const client = createClient({ url: server.url, token: server.token });
    const work = join(folder, 'work');
    mkdirSync(work);
    const { id: world } = await client.createWorld({ name: 'Clients', workingDirectory: work });
    onTestFinished(async () => {
      await server.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    const runs = await Promise.all(
      installed.map(async (name) => {
        const clientHome = join(folder, name);
        mkdirSync(clientHome);
        const adding = ['mcp-gateway', 'add', name, '-w', world, '--tools', TOOL, '--json', '--home', home];
        const printed = execFileSync(process.execPath, [command, ...adding], { encoding: 'utf8' });
        const gateway = added.parse(JSON.parse(printed)).config.mcpServers.countersign;
        const results: string[] = [];
        const call = { command: `echo ran >> ${name}.txt && echo answer for ${name}` };
        let tool = '';
        const model = await startScriptedModel({
          script: ({ turn, tools, toolResults, user }) => {
            results.push(...toolResults);
            const isFirst = turn === 1 && user.includes(PROMPT) && tools.length > 0;
            return isFirst ? { calls: [{ name: tool, arguments: call }] } : 'Done.';
          },
        });
        const { files, words, ...known } = configurations[name](clientHome, model.url, gateway);
        ({ tool } = known);
        for (const [path, text] of Object.entries(files)) {
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, text);
        }
        const scene = { home: clientHome, model: model.url };
        const env = {
          PATH: process.env['PATH'] ?? '',
          HOME: clientHome,
          TERM: 'dumb',
          MCP_TOOL_TIMEOUT: '600000',
          ENABLE_TOOL_SEARCH: 'false',
          ...DRILLED[name].env(scene),
        };
        const running = runAgent(binOf(name), words, { cwd: clientHome, env, limitMs: LIMIT_MS });
        onTestFinished(async () => {
          running.kill();
          await model.close();
        });
        return { name, running, results };
      }),
    );

    const waiting = async () => (await client.approvals(world)).items;
    await expect.poll(async () => (await waiting()).length, { timeout: 120_000, interval: 500 }).toBe(installed.length);
    // A client that gives up must do so here. This is the time that a person takes, in real clients without a clock of ours.
    await new Promise((resolve) => setTimeout(resolve, HELD_MS));
    for (const approval of await waiting())
      await client.decide(world, approval, { decision: 'approve', scope: 'once' });
    await Promise.all(runs.map(({ running }) => running.ended));

    for (const { name, results } of runs) {
      expect(results.filter((text) => text.includes(`answer for ${name}`))).toHaveLength(1);
      expect(readFileSync(join(work, `${name}.txt`), 'utf8')).toBe('ran\n');
    }
    expect(await waiting()).toEqual([]);
  },
);
