import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { listenInChannels } from '../../testing/channel-server.js';
import { hashOf, leaveNote } from './call-notes.js';
import { runHook } from './run-hook.js';

/** A home whose server answers like this. */
async function serving(
  answer: (path: string, body: unknown, response: ServerResponse) => void,
): Promise<{ home: string; seen: string[] }> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-hook-'));
  const seen: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await json(request);
    seen.push(request.url ?? '');
    answer(request.url ?? '', body, response);
  };
  const { server, url } = await listenInChannels('t', (request, response) => void handle(request, response));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(home, { recursive: true, force: true });
  });
  await mkdir(join(home, 'gate'));
  const config = JSON.stringify({ url, token: 't', world: 'w', agent: 'a', pass: 'p' });
  for (const agent of ['claude', 'gemini', 'codex']) await writeFile(join(home, 'gate', `${agent}.json`), config);
  return { home, seen };
}

const told = { sentence: { from: 'Ada', text: 'Use rg' } };
const WORDS = 'Ada, who decides about your calls in Countersign, tells you: Use rg';
const ended = { session_id: 's1', hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } };

it('[GATE1.14] passes a sentence on after a call and when the agent would stop, in its own format', async () => {
  const { home, seen } = await serving((_, body, response) => {
    expect(body).toEqual({ delivery: expect.any(String) as string, claim: 'p' });
    response.end(JSON.stringify(told));
  });
  const run = async (agent: 'claude' | 'gemini' | 'codex', input: object) => {
    const { code, stdout, stderr } = await runHook(agent, home, JSON.stringify(input));
    expect([code, stderr]).toEqual([0, '']);
    return stdout === '' ? '' : (JSON.parse(stdout) as unknown);
  };
  const beside = (hookEventName: string) => ({ hookSpecificOutput: { hookEventName, additionalContext: WORDS } });
  expect(await run('claude', ended)).toEqual(beside('PostToolUse'));
  expect(await run('gemini', { ...ended, hook_event_name: 'AfterTool' })).toEqual(beside('AfterTool'));
  const stop = { session_id: 's1', hook_event_name: 'Stop' };
  expect(await run('claude', stop)).toEqual({ decision: 'block', reason: WORDS });
  expect(await run('gemini', { ...stop, hook_event_name: 'AfterAgent' })).toEqual({ decision: 'deny', reason: WORDS });
  expect(new Set(seen)).toEqual(new Set(['/api/worlds/w/external/sessions/s1/context']));
  // Not for an agent that it has started, and not for one that can't be gated.
  const asked = seen.length;
  expect(await run('claude', { ...ended, agent_id: 'a1', agent_type: 'deployer' })).toBe('');
  expect(seen).toHaveLength(asked);
  expect(await run('codex', stop)).toBe('');
});

it('[GATE1.14] asks again for the same delivery if the server dies before its answer, and prints it despite a failed report', async () => {
  const deliveries: unknown[] = [];
  const { home } = await serving((path, body, response) => {
    if (path.endsWith('/result')) return void response.writeHead(409).end('{"detail":"over"}');
    deliveries.push((body as { delivery: unknown }).delivery);
    if (deliveries.length === 1) return void response.destroy();
    response.end(JSON.stringify(told));
  });
  leaveNote(home, 's1', { id: 'call-1', key: 'k', tool: 'Bash', input: hashOf(ended.tool_input) });
  const { code, stdout, stderr } = await runHook('claude', home, JSON.stringify(ended));
  expect([code, deliveries.length, new Set(deliveries).size]).toEqual([0, 2, 1]);
  expect(stdout).toContain(WORDS);
  expect(stderr).toContain('could not report the result');
});

it('[GATE1.14] lets the agent go on if nobody has told it anything, or the server is down or answers nonsense', async () => {
  const { home } = await serving((_, __, response) => response.end('{"sentence":{"text":7}}'));
  const input = JSON.stringify({ session_id: 's1', hook_event_name: 'Stop' });
  expect(await runHook('claude', home, input)).toMatchObject({ code: 0, stdout: '' });
  const config = { url: 'http://127.0.0.1:9', token: 't', world: 'w', agent: 'a', pass: 'p' };
  await writeFile(join(home, 'gate', 'claude.json'), JSON.stringify(config));
  expect(await runHook('claude', home, input)).toMatchObject({ code: 0, stdout: '' });
});

it('[EXT1.29] passes the answer to a question on as the reason not to run it, and echoes a plan that was approved', async () => {
  let answer: object = { id: 'call-1', state: 'answered', reason: 'A person has answered: Blue' };
  const { home } = await serving((_, __, response) => response.end(JSON.stringify(answer)));
  const places = { env: { CLAUDE_PID: String(process.pid), AI_AGENT: 'claude-code_2-1-326_harness' }, userHome: home };
  const run = async (tool: string, agent: 'claude' | 'gemini' = 'claude') => {
    const event = agent === 'claude' ? 'PreToolUse' : 'BeforeTool';
    const input = {
      session_id: 's1',
      hook_event_name: event,
      tool_name: tool,
      tool_input: { plan: 'x' },
      tool_use_id: 'u',
    };
    return await runHook(agent, home, JSON.stringify(input), { places });
  };
  const { code, stdout } = await run('AskUserQuestion');
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'A person has answered: Blue',
      },
    },
  ]);
  expect(await run('ask_user', 'gemini')).toMatchObject({ code: 2, stderr: 'A person has answered: Blue' });
  answer = { id: 'call-2', state: 'allowed', edited: false, arguments: { plan: 'x' } };
  expect((await run('ExitPlanMode')).stdout).toContain('"permissionDecision":"allow","updatedInput":{"plan":"x"}');
});

it('[GATE1.15] reports prompts, last words and sub-agents, cut, and gives a sub-agent no sentence', async () => {
  const bodies: unknown[] = [];
  const { home } = await serving((_, body, response) => {
    bodies.push(body);
    response.end(JSON.stringify(told));
  });
  const run = async (event: string, more: object, agent: 'claude' | 'gemini' = 'claude') => {
    const input = { session_id: 's1', hook_event_name: event, ...more };
    const { code, stdout } = await runHook(agent, home, JSON.stringify(input));
    expect(code).toBe(0);
    return stdout;
  };
  expect(await run('UserPromptSubmit', { prompt: 'x'.repeat(5_000) })).toContain(WORDS);
  expect(await run('Stop', { last_assistant_message: 'Done.' })).toContain(WORDS);
  expect(await run('AfterAgent', { prompt: 'Fix', prompt_response: 'Fixed.' }, 'gemini')).toContain(WORDS);
  const helper = { agent_id: 'a1', agent_type: 'helper' };
  expect(await run('SubagentStart', helper)).toBe('');
  expect(await run('SubagentStop', { ...helper, last_assistant_message: 'Found it.' })).toBe('');
  const delivery = expect.any(String) as string;
  expect(bodies).toEqual([
    { claim: 'p', delivery, context: { prompt: 'x'.repeat(4_000) } },
    { claim: 'p', delivery, context: { said: 'Done.' } },
    { claim: 'p', delivery, context: { said: 'Fixed.' } },
    { claim: 'p', context: { subagent: 'helper' } },
    { claim: 'p', context: { said: 'Found it.', subagent: 'helper' } },
  ]);
});
