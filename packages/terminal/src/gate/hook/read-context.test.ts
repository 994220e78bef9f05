import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readContext } from './read-context.js';

let userHome = '';
let file = '';
beforeEach(() => {
  userHome = mkdtempSync(join(tmpdir(), 'countersign-context-'));
  mkdirSync(join(userHome, '.claude/projects/-work'), { recursive: true });
  file = join(userHome, '.claude/projects/-work/s1.jsonl');
});
afterEach(() => rmSync(userHome, { recursive: true, force: true }));

const places = () => ({ env: {}, userHome });
const read = (transcript = file, more: { subagent?: string } = {}) =>
  readContext('claude', { transcript, ...more }, places());
const user = (content: unknown, more: object = {}) => ({ type: 'user', message: { role: 'user', content }, ...more });
const agent = (content: unknown, more: object = {}) => ({
  type: 'assistant',
  message: { role: 'assistant', content },
  ...more,
});
const text = (said: string) => ({ type: 'text', text: said });
const write = (...entries: object[]) =>
  writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));

describe('[EXT1.21] what the hook reads in the agent’s transcript', () => {
  it('is the last prompt of the user and the last words of the agent after it', () => {
    write(
      { type: 'summary', summary: 'Earlier' },
      user('First'),
      agent([text('Old words')]),
      user([text('Fix the tests')]),
      user('<command-name>/clear</command-name>'),
      user('Caveat', { isMeta: true }),
      agent([{ type: 'thinking', thinking: 'hm' }, text('I look at them.')]),
      agent([{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }]),
      user([{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }]),
      agent([text('Of the sub-agent')], { isSidechain: true }),
    );
    expect(read()).toEqual({ prompt: 'Fix the tests', said: 'I look at them.' });
    expect(read(file, { subagent: 'Explore' })).toEqual({ prompt: 'Fix the tests', subagent: 'Explore' });
    appendFileSync(file, `${JSON.stringify(user('Now this'))}\n`);
    expect(read()).toEqual({ prompt: 'Now this' });
  });

  it('is the same for Gemini CLI', () => {
    const chats = join(userHome, '.gemini/tmp/x/chats');
    mkdirSync(chats, { recursive: true });
    const entries = [
      { sessionId: 's', kind: 'main' },
      { id: '1', type: 'user', content: [{ text: 'Fix it' }] },
      { id: '2', type: 'gemini', content: 'I will.', toolCalls: [] },
      { id: '3', type: 'info', content: 'Model changed' },
    ];
    writeFileSync(join(chats, 'session.jsonl'), entries.map((entry) => JSON.stringify(entry)).join('\n'));
    const found = readContext('gemini', { transcript: join(chats, 'session.jsonl') }, places());
    expect(found).toEqual({ prompt: 'Fix it', said: 'I will.' });
  });

  it('is nothing if there is no transcript, or another agent or nobody wrote it', () => {
    expect(readContext('claude', {}, places())).toBeUndefined();
    expect(read()).toBeUndefined();
    for (const odd of [
      '',
      '\n\n',
      'null\n[]\n3\n"x"\n{',
      '{"type":"user"}\n{"type":"user","message":{"content":{}}}',
    ]) {
      writeFileSync(file, odd);
      expect(read()).toBeUndefined();
    }
  });

  it('is read only in the agent’s own folder, in a plain file of this user, and through no link', () => {
    write(user('treasure'));
    const outside = join(userHome, 'outside.jsonl');
    execFileSync('cp', [file, outside]);
    symlinkSync(outside, join(userHome, '.claude/link.jsonl'));
    symlinkSync(userHome, join(userHome, '.claude/up'));
    symlinkSync(join(userHome, '.claude/projects'), join(userHome, '.claude/inner'));
    linkSync(outside, join(userHome, '.claude/hard.jsonl'));
    execFileSync('mkfifo', [join(userHome, '.claude/pipe')]);
    const inside = ['link.jsonl', 'up/outside.jsonl', 'inner/-work/s1.jsonl', 'hard.jsonl', 'pipe', 'projects', ''];
    const paths = [
      ...inside.map((name) => join(userHome, '.claude', name)),
      outside,
      '.claude/projects/-work/s1.jsonl',
    ];
    paths.push(`${userHome}/.claude/../outside.jsonl`, '/etc/passwd', '/dev/zero', '/proc/self/environ', `${file}\0`);
    expect(paths.map((path) => read(path))).toEqual(paths.map(() => undefined));
    expect(read()).toEqual({ prompt: 'treasure' });
  });

  it('is found if the agent’s folder is itself a link', () => {
    write(user('Fix it'));
    const other = mkdtempSync(join(tmpdir(), 'countersign-context-'));
    symlinkSync(join(userHome, '.claude'), join(other, '.claude'));
    const transcript = join(other, '.claude/projects/-work/s1.jsonl');
    expect(readContext('claude', { transcript }, { env: {}, userHome: other })).toEqual({ prompt: 'Fix it' });
    rmSync(other, { recursive: true });
  });

  it('takes at most the last 256 KiB and sends at most 16 KiB, also of hostile text', () => {
    write(user('Too early'), agent([text('x'.repeat(300_000))]));
    expect(read()).toBeUndefined();
    appendFileSync(
      file,
      `${JSON.stringify(user('\u0001'.repeat(9_000)))}\n${JSON.stringify(agent('\u001b[2J'.repeat(3_000)))}\n`,
    );
    const found = read();
    expect(Buffer.byteLength(JSON.stringify(found))).toBeLessThanOrEqual(16 * 1024);
    expect([found?.prompt?.length, found?.said?.length]).toEqual([1_200, 1_200]);
    writeFileSync(
      file,
      Buffer.concat([
        Buffer.from('{"type":"user","message":{"content":"a'),
        Buffer.from([0xff, 0xc3]),
        Buffer.from('b"}}\n'),
      ]),
    );
    expect(read()).toEqual({ prompt: 'a\uFFFD\uFFFDb' });
    // A file of 50 MB that ends in zeros.
    truncateSync(file, 50_000_000);
    const began = performance.now();
    expect(read()).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(500);
  });
});
