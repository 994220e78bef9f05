import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../../tests/support/make-folder.js';
import { prepareAgent } from '../agents/prepare-agent.js';
import { hashOfLogin, openAgentHome } from './open-agent-home.js';
import type { AgentHome } from './types.js';
import { writeBackLogin } from './write-back-login.js';

const OLD = { tokens: { access_token: 'old', refresh_token: 'old-refresh', account_id: 'ada' }, last_refresh: '1' };
const NEW = { tokens: { access_token: 'new', refresh_token: 'new-refresh', account_id: 'ada' }, last_refresh: '2' };

describe('the home of an agent in a run', () => {
  let folder: TestFolder;
  let runs = 0;
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => folder.remove());

  const at = (...path: string[]): string => join(folder.path, ...path);
  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const signedHash = ({ renewed }: { renewed: string }): string => hashOfLogin(readFileSync(renewed, 'utf8'));
  const list = (path: string): string[] =>
    execFileSync('find', ['.', '-mindepth', '1', '-type', 'f'], { cwd: path, encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '')
      .sort();

  /** One run of an agent; `own` is its home outside. */
  async function open(id: 'claude' | 'codex' = 'codex'): Promise<{ agentHome: AgentHome; own: string }> {
    runs += 1;
    const home = at('person');
    const prepared = await prepareAgent(id, { variables: {}, home, folder: at('project') });
    const root = at(`run-${runs}`);
    const agentHome = await openAgentHome({ root, kept: at('kept'), home, prepared });
    return { agentHome, own: join(root, 'home') };
  }

  it('[RUN14] has the login, the transcripts and settings of its agent, and nothing else from the home of the person', async () => {
    await write(at('person/.codex/auth.json'), JSON.stringify({ ...OLD, OPENAI_API_KEY: null, other: 'secret' }));
    await write(at('person/.codex/config.toml'), 'secret');
    await write(at('person/.ssh/id_rsa'), 'secret');
    await write(at('kept/transcripts/.codex/sessions/1.jsonl'), '{}');
    const { agentHome, own } = await open();
    expect(list(own)).toEqual(['./.codex/auth.json', './.codex/config.toml', './.codex/sessions/1.jsonl']);
    expect(JSON.parse(await readFile(join(own, '.codex/auth.json'), 'utf8'))).toEqual(OLD);
    expect(agentHome).toMatchObject({ place: ['--bind', own, at('person')], environment: { HOME: at('person') } });
    expect((await stat(own)).mode & 0o777).toBe(0o700);
  });

  it('[RUN14.2] a program can prevent neither the end of its run nor the transcripts of the next one', async () => {
    const first = await open('claude');
    await write(join(first.own, '.claude/projects/-p/1.jsonl'), 'said');
    await write(join(first.own, '.claude/projects/-q/2.jsonl'), 'said');
    await first.agentHome.keep();
    const second = await open('claude');
    await rm(join(second.own, '.claude/projects/-p/1.jsonl'));
    await write(join(second.own, '.claude/projects/-p/1.jsonl/3.jsonl'), 'said');
    await rm(join(second.own, '.claude/projects/-q'), { recursive: true });
    await write(join(second.own, '.claude/projects/-q'), 'said');
    await write(join(second.own, '.claude/projects/-r/4.jsonl'), 'said');
    await mkdir(join(second.own, '.claude/projects/closed'), { mode: 0o000 });
    await second.agentHome.keep();
    const third = await open('claude');
    expect(list(join(third.own, '.claude/projects'))).toContain('./-r/4.jsonl');
    await third.agentHome.keep();
  });

  it('[RUN14] keeps transcripts and nothing else for the next run: no hook, memory, server or cache of the first', async () => {
    const { agentHome, own } = await open('claude');
    await write(join(own, '.claude/projects/-p/1.jsonl'), 'said');
    for (const path of [
      ...['.claude/settings.json', '.claude/settings.local.json', '.claude/CLAUDE.md', '.claude.json', '.mcp.json'],
      ...['.claude/projects/-p/memory/MEMORY.md', '.claude/commands/x.md', '.claude/plugins/p/plugin.json', '.bashrc'],
      ...['.npmrc', '.cache/x', '.local/bin/claude', '.gitconfig', '.claude/hooks.json'],
    ])
      await write(join(own, path), 'planted');
    expect(await agentHome.keep()).toBeUndefined();
    expect(await readdir(dirname(own))).toEqual(['sessions']);
    expect(list(join(dirname(own), 'sessions'))).toEqual(['./.claude/projects/-p/1.jsonl']);
    const next = await open('claude');
    expect(list(next.own)).toEqual(['./.claude.json', './.claude/projects/-p/1.jsonl', './.claude/settings.json']);
    for (const file of ['.claude.json', '.claude/settings.json'])
      expect(await readFile(join(next.own, file), 'utf8')).not.toContain('planted');
  });

  it('[RUN32] a run that continues finds its own sessions, not those of a run in between', async () => {
    const first = await open('claude');
    await write(join(first.own, '.claude/projects/-p/1.jsonl'), 'said');
    await first.agentHome.keep();
    const between = await open('claude');
    await write(join(between.own, '.claude/projects/-p/2.jsonl'), 'said later');
    await between.agentHome.keep();
    runs -= 2;
    const again = await open('claude');
    expect(again.own).toBe(first.own);
    expect(list(join(again.own, '.claude/projects'))).toEqual(['./-p/1.jsonl']);
  });

  it.each(['.codex/sessions', '.codex', '.codex/sessions/a.jsonl'])(
    '[RUN14] follows no link that the agent left at %s',
    async (path) => {
      await write(at('person/.codex/auth.json'), JSON.stringify(OLD));
      await write(at('person/.ssh/a.jsonl'), 'secret');
      await write(at('person/.ssh/sessions/a.jsonl'), 'secret');
      await write(at('person/.ssh/auth.json'), JSON.stringify({ tokens: { access_token: 'secret' } }));
      const { agentHome, own } = await open();
      execFileSync('rm', ['-rf', join(own, path)]);
      await mkdir(dirname(join(own, path)), { recursive: true });
      await symlink(at(path.endsWith('.jsonl') ? 'person/.ssh/a.jsonl' : 'person/.ssh'), join(own, path));
      expect(await agentHome.keep()).toBeUndefined();
      expect(list(at('person'))).toHaveLength(4);
      expect(list(folder.path).filter((file) => file.startsWith('./kept'))).toEqual([]);
    },
  );

  it('[RUN14.1] a renewed login reaches the home of the person only when it is written back, next to what else the file has', async () => {
    const file = at('person/.codex/auth.json');
    await write(file, JSON.stringify({ ...OLD, other: 'mine' }));
    const { agentHome, own } = await open();
    await write(join(own, '.codex/auth.json'), JSON.stringify({ ...NEW, planted: 'x' }));
    const renewed = await agentHome.keep();
    expect(renewed).toMatchObject({ agent: 'codex', account: 'same', file });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ ...OLD, other: 'mine' });
    // Until then, the next run uses the renewed one: renewing ended the other.
    const next = await open();
    expect(JSON.parse(await readFile(join(next.own, '.codex/auth.json'), 'utf8'))).toEqual(NEW);
    expect(await next.agentHome.keep()).toMatchObject({ account: 'same' });
    if (renewed === undefined) throw new Error('no login');
    expect(await writeBackLogin(renewed, signedHash(renewed))).toBe(true);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ ...NEW, other: 'mine' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    // Applying twice changes nothing.
    expect(await writeBackLogin(renewed, signedHash(renewed))).toBe(true);
    expect(await (await open()).agentHome.keep()).toBeUndefined();
  });

  it('[RUN14.1] is not written back over a login that the person renewed in the meantime, which the next run uses', async () => {
    const file = at('person/.codex/auth.json');
    await write(file, JSON.stringify(OLD));
    const { agentHome, own } = await open();
    await write(join(own, '.codex/auth.json'), JSON.stringify(NEW));
    const renewed = await agentHome.keep();
    const mine = { tokens: { ...OLD.tokens, access_token: 'mine' } };
    await write(file, JSON.stringify(mine));
    if (renewed === undefined) throw new Error('no login');
    expect(await writeBackLogin(renewed, signedHash(renewed))).toBe(false);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(mine);
    expect(JSON.parse(await readFile(join((await open()).own, '.codex/auth.json'), 'utf8'))).toEqual(mine);
  });

  it.each([
    ['codex', '.codex/auth.json', OLD, { tokens: { ...NEW.tokens, account_id: 'eve' } }, 'other'],
    ['codex', '.codex/auth.json', OLD, { tokens: { access_token: 'new' } }, 'unknown'],
    ['codex', '.codex/auth.json', undefined, NEW, 'unknown'],
    ['claude', '.claude/.credentials.json', { claudeAiOauth: { a: 1 } }, { claudeAiOauth: { a: 2 } }, 'unknown'],
  ] as const)(
    '[RUN14.1] %s: says whether the account is the same (%s, %j, %j)',
    async (id, path, old, renewed, account) => {
      if (old !== undefined) await write(at('person', path), JSON.stringify(old));
      const { agentHome, own } = await open(id);
      await write(join(own, path), JSON.stringify(renewed));
      expect(await agentHome.keep()).toMatchObject({ account });
    },
  );
});
