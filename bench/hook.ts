import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { summarize, type Figures } from './measure.js';
import { withFolder } from './ours.js';

/** The hook of an external agent for a call that a rule allows, next to starting Node alone. Each run is its own process. */
export interface HookResult {
  node: Figures;
  hook: Figures;
  /** 95th percentile of a hook's time minus the mean of the Nodes started just before and after it, in microseconds. */
  beyondNodeP95: number;
}

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));

export async function hookSuite(rounds: number): Promise<HookResult> {
  return await withFolder(async (folder) => {
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    // The rule holds only in the world's folder.
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(home, 'admin.rules'), 'limit external to 100000 calls a minute\n');
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      CLAUDE_PID: String(process.pid),
      AI_AGENT: 'claude-code_2-1-326_harness',
    };
    const words = [command, 'serve', '--json', '--port', '0', '--log-level', 'silent', '--home', home];
    const server = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'], env });
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      const { url, token } = JSON.parse(String(line)) as { url: string; token: string };
      await configure({ url, token, home, project });
      const run = async (args: readonly string[], input: string): Promise<number> => {
        const start = process.hrtime.bigint();
        const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'], env });
        child.stdin.end(input);
        const [code] = (await once(child, 'exit')) as [number];
        if (code !== 0) throw new Error(`the process exited with ${code}`);
        return Number(process.hrtime.bigint() - start) / 1000;
      };
      const [node, hook]: [number[], number[]] = [[], []];
      let before = await run(['-e', '0'], '');
      const beyond: number[] = [];
      for (let round = 0; round < rounds + 3; round += 1) {
        const gated = await run(
          [command, 'gate', 'hook', '--agent', 'claude', '--home', home],
          callNumber(round, project),
        );
        const after = await run(['-e', '0'], '');
        // The first rounds fill the caches of the disk.
        if (round >= 3) {
          node.push(after);
          hook.push(gated);
          beyond.push(gated - (before + after) / 2);
        }
        before = after;
      }
      beyond.sort((a, b) => a - b);
      const beyondNodeP95 = beyond[Math.floor(beyond.length * 0.95)] ?? Number.NaN;
      return { node: summarize(node), hook: summarize(hook), beyondNodeP95 };
    } finally {
      server.kill('SIGTERM');
      await once(server, 'close');
    }
  });
}

/** A world with a rule, an external agent, and the file that `gate install` writes for the hook. */
async function configure({ url, token, home, project }: Record<'url' | 'token' | 'home' | 'project', string>) {
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const policy = ['allow claude__Bash(git status)'];
  const world = String((await post('/worlds', { name: 'Bench', workingDirectory: project, policy }))['id']);
  const agent = await post(`/worlds/${world}/external/agents`, { name: 'Claude Code', program: 'claude' });
  mkdirSync(join(home, 'gate'), { recursive: true, mode: 0o700 });
  const config = { url, world, agent: agent['agent'], token: agent['token'], pass: 'unused' };
  writeFileSync(join(home, 'gate', 'claude.json'), JSON.stringify(config), { mode: 0o600 });
}

function callNumber(round: number, cwd: string): string {
  return JSON.stringify({
    session_id: 'bench',
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'git status' },
    tool_use_id: `toolu_${round}`,
  });
}
