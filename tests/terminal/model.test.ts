import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { z } from 'zod';
import { listenOn } from '../../packages/server/src/serve/listen-on.js';
import { startCommand, type Run } from '../../packages/server/src/testing/start-process.js';
import { createServerAccess } from '../../packages/terminal/src/main.js';
import { runAlone, runWith, type Ran } from './harbour-server.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guide/testing.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'countersign-model-'));
const env = { HOME: folder, COUNTERSIGN_HOME: join(folder, 'home') };
let runs: Run[] = [];
afterEach(async () => {
  for (const { process: child, exited } of runs) {
    child.kill('SIGKILL');
    await exited;
  }
  runs = [];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function block(language: string): string {
  const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1];
  if (found === undefined) throw new Error(`the guide has no ${language}`);
  return found;
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const firstLine = z.object({ url: z.string(), env: z.record(z.string(), z.string()) });

const servers = createServerAccess({ version: 'test' });
const runHere = (...words: string[]): Promise<Ran> => runWith(servers, words, { env });

async function ask(url: string, content: string): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ model: 'claude', max_tokens: 100, messages: [{ role: 'user', content }] });
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', body });
  return { status: response.status, text: await response.text() };
}

// Starts several processes, which is slow on a busy machine.
describe('countersign model', () => {
  it('[TERM7] [MODEL6] serves the script of the guide, logs requests, and stops on a signal', async () => {
    const words = ['model', '--script', file('weather.yaml', block('yaml')), '--json', '--log'];
    const run = startCommand(words, env);
    runs.push(run);
    await expect.poll(() => run.stdout(), { timeout: 60_000 }).toContain('\n');
    const { url, env: given } = firstLine.parse(JSON.parse(run.stdout()));
    expect(given).toMatchObject({ OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url, GEMINI_API_KEY: 'scripted' });
    expect((await ask(url, 'How is the weather?')).text).toContain('"input":{"city":"Bern"}');
    expect((await ask(url, 'hi\u001b[31m')).text).toContain('I only know the weather.');
    expect((await ask(url, 'slow down')).status).toBe(429);
    expect((await fetch(`${url}/v2/nothing`)).status).toBe(404);
    await expect.poll(() => run.stderr().trim().split('\n')).toHaveLength(4);
    expect(run.stderr().trim().split('\n')).toEqual([
      'POST /v1/messages claude turn 1 "How is the weather?" → replies[0] 200',
      expect.stringMatching(/^POST \/v1\/messages claude turn 1 "hi[^\u001b]*" → replies\[4\] 200$/),
      'POST /v1/messages claude turn 1 "slow down" → replies[3] 429',
      'GET /v2/nothing → 404',
    ]);
    run.process.kill('SIGTERM');
    expect(await run.exited).toEqual({ code: 0, signal: null });
  });

  itAtFullSize('[TERM7] prints the variables for programs, and reads JSON', async () => {
    const script = file('tabs.json', '{\n\t"replies": [\n\t\t"Hello."\n\t]\n}\n');
    const run = startCommand(['model', '--script', script], env);
    runs.push(run);
    await expect.poll(() => run.stdout(), { timeout: 60_000 }).toContain('GEMINI_API_KEY=scripted\n');
    const [, url = ''] = /^The scripted model is listening on (\S+)$/m.exec(run.stdout()) ?? [];
    expect(run.stdout()).toContain(`\n  OPENAI_BASE_URL=${url}/v1\n`);
    expect((await ask(url, 'hi')).text).toContain('"text":"Hello."');
    run.process.kill('SIGINT');
    expect(await run.exited).toEqual({ code: 0, signal: null });
  });

  it.each([
    [
      'replies:\n  - when: { usr: x }\n    text: hi\n',
      'replies[0].when.usr: unknown key. Did you mean "user"? (line 2)',
    ],
    ['replies:\n  - hi: there\n', 'replies[0].hi: unknown key. Known keys: when, text, '],
    ['models: [a]\n', 'replies: is missing (line 1)'],
    ['replies:\n  - text: a\n\n  - when: { user: x }\n    text: b\n', 'replies[1]: is never used, because'],
    ['replies: [\n', '(line '],
    ['', 'must be an object'],
  ])('[MODEL6.3] refuses the script %j, and serves nothing', async (text, message) => {
    const script = file('bad.yaml', text);
    const { code, stdout, stderr } = await runHere('model', '--script', script);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`countersign: ${script}: `);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('[TERM7] says which file or flag is missing, and which port is in use', async () => {
    const script = file('hello.yaml', 'replies: [Hello.]\n');
    const taken = createServer();
    const used = await listenOn(taken, 0, '127.0.0.1');
    const nothing = await runHere('model');
    const missing = await runHere('model', '--script', join(folder, 'missing.yaml'));
    const port = await runHere('model', '--script', script, '--port', String(used));
    taken.close();
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('--script') as unknown });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('Could not read the file') as unknown });
    expect(port).toMatchObject({ code: 1, stderr: expect.stringContaining('Choose another port') as unknown });
  });

  itAtFullSize(
    '[TERM7] [MODEL6] an agent of a world uses it as OpenAI, and its call runs once a person approves it',
    async () => {
      const script = [
        'replies:',
        '  - when: { tool: write_file, user: note, turn: 1 }',
        '    calls: [{ name: write_file, arguments: { path: note.md, content: "from the script" } }]',
        '  - when: { tool: write_file, turn: 2 }',
        '    text: The note is written.',
        '  - A note',
      ];
      const model = await servers.startModel({ file: { name: 'note.yaml', text: script.join('\n') } });
      onTestFinished(() => model.close());
      const work = join(folder, 'work');
      mkdirSync(work);
      const { OPENAI_BASE_URL = '', OPENAI_API_KEY = '' } = model.env;
      const withModel = { ...env, OPENAI_BASE_URL, OPENAI_API_KEY };
      const run = (...words: string[]): Promise<Ran> => runAlone(words, withModel);
      expect(await run('worlds', 'add', 'Desk', '--folder', work)).toMatchObject({ code: 0 });
      const flags = ['--provider', 'openai', '--model', 'gpt-5-mini', '--tools', 'write_file'];
      expect(await run('agents', 'add', 'Ada', '-w', 'desk', ...flags)).toMatchObject({ code: 0 });
      // The other commands use this one's server.
      const chat = startCommand(['chat', '-w', 'desk', '--unattended', 'wait', 'Write a note.'], withModel);
      runs.push(chat);
      await expect.poll(() => chat.stdout(), { timeout: 60_000 }).toContain('waiting for you: ');
      const { items } = z
        .object({ items: z.array(z.object({ approvalId: z.string() })) })
        .parse(JSON.parse((await run('approvals', 'list', '--json')).stdout));
      expect(items).toHaveLength(1);
      expect(await run('approvals', 'approve', items[0]?.approvalId ?? '', '--yes')).toMatchObject({ code: 0 });
      expect(await chat.exited).toEqual({ code: 0, signal: null });
      expect(chat.stdout()).toContain('The note is written.');
      expect(readFileSync(join(work, 'note.md'), 'utf8')).toBe('from the script');
    },
  );
});

describe('docs/guide/testing.md', () => {
  it('[MODEL6] has a program that runs as printed', async () => {
    // Inside the project, so that `countersign` resolves as in a program that installed it.
    const inside = mkdtempSync(join(root, 'node_modules', '.guide-'));
    try {
      writeFileSync(join(inside, 'example.mjs'), block('ts'));
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ['example.mjs'], { cwd: inside });
      expect({ stdout, stderr }).toEqual({
        stdout: 'Take an umbrella.\nDo I need an umbrella in Paris?\n',
        stderr: '',
      });
    } finally {
      rmSync(inside, { recursive: true, force: true });
    }
  });
});
