import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '@countersign/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { itAtFullSize } from '../support/scaled.js';
import { closeTerminals, ENTER, openTerminal } from '../support/pseudo-terminal.js';
import { canRun, openRunGround, type RunGround, type Running } from './run-ground.js';

/** On a busy machine, starting the command takes seconds. */
const LATER = { timeout: 30_000 };

describe.skipIf(!canRun)('countersign run', () => {
  let ground: RunGround;
  let project = '';

  beforeAll(async () => {
    ground = await openRunGround();
  });
  let count = 0;
  beforeEach(async () => {
    count += 1;
    project = join(ground.path, `project-${count}`);
    mkdirSync(project);
    writeFileSync(join(project, 'a.txt'), 'before\n');
    await ground.client().createWorld({ name: `Project ${count}`, workingDirectory: project, mode: 'ask' });
  });
  afterEach(async () => {
    ground.killCommands();
    await closeTerminals();
  });
  afterAll(() => ground.close());

  const start = (...words: readonly string[]): Running => ground.start(project, ...words);
  const world = (): string => `project-${count}`;
  const runs = async (): Promise<readonly Run[]> => (await ground.client().runs.list(world())).items;
  const files = (): string[] => readdirSync(project).toSorted();

  async function decide(decision: 'approve' | 'deny'): Promise<void> {
    await expect.poll(async () => (await ground.client().approvals(world())).items.length, LATER).toBe(1);
    const [approval] = (await ground.client().approvals(world())).items;
    if (approval === undefined) throw new Error('nothing waits');
    await ground
      .client()
      .decide(world(), approval, decision === 'approve' ? { decision, scope: 'once' } : { decision: 'deny' });
  }

  it('[RUN6] [RUN15] applies what the program did after an approval, and exits with its code', async () => {
    const script = 'cat > given; echo changed > a.txt; echo said; echo oops >&2; exit 3';
    const { process: child, ended } = start('run', '--', 'sh', '-c', script);
    child.stdin.end('from outside\n');
    await expect.poll(async () => (await ground.client().approvals(world())).items.length, LATER).toBe(1);
    expect(files()).toEqual(['a.txt']);
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('before\n');
    await decide('approve');
    const { code, stdout, stderr } = await ended;
    expect(stdout).toBe('said\n');
    expect(stderr).toMatch(/^oops\n.*Sign its changes at http:.*\nThe changes were applied\.\n$/s);
    expect(code).toBe(3);
    expect(files()).toEqual(['a.txt', 'given']);
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('changed\n');
    expect(readFileSync(join(project, 'given'), 'utf8')).toBe('from outside\n');
  });

  it('[RUN6] [RUN6.1] exits with 125 if the changes are denied, and prints both codes', async () => {
    const { ended } = start('run', '--json', '--', 'sh', '-c', 'echo new > b.txt; echo said');
    await decide('deny');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(125);
    expect(JSON.parse(stdout)).toMatchObject({ world: world(), state: 'denied', exitCode: 0, code: 125 });
    expect(stderr).toContain('said\n');
    expect(files()).toEqual(['a.txt']);
    expect(await runs()).toMatchObject([{ state: 'denied' }]);
  });

  itAtFullSize(
    '[RUN16.3] [RUN1.1] needs no approval for a program that changes nothing, or that doesn’t exist',
    async () => {
      expect(await start('run', '--', 'sh', '-c', 'exit 4').ended).toMatchObject({ code: 4 });
      const { code, stderr } = await start('run', '--', 'no-such-program').ended;
      expect(code).toBe(127);
      expect(stderr).toContain('There is no program "no-such-program"');
      expect((await ground.client().approvals(world())).items).toEqual([]);
      expect((await runs()).map(({ state }) => state)).toEqual(['discarded', 'unchanged']);
    },
  );

  it('[RUN4] without a world or a server, names the command that helps', async () => {
    project = join(ground.path, `it's new`);
    mkdirSync(project);
    const { code, stderr } = await ground.here(project, 'run', '--', 'true');
    expect(code).toBe(2);
    expect(stderr).toContain(`  countersign worlds add 'it s new' --folder '${ground.path}/it'\\''s new' --mode ask`);
    // No world may have these folders, so none is suggested.
    for (const place of [ground.path, '/']) {
      const refused = await ground.here(place, 'run', '--', 'true');
      expect([refused.code, refused.stderr.includes('worlds add')]).toEqual([2, false]);
      expect(refused.stderr).toContain(`${place} contains your home folder`);
    }
    const alone = await ground.here(project, '--home', join(ground.path, 'other'), 'run', '--', 'true');
    expect(alone.stderr).toContain('  countersign serve');
    expect(existsSync(join(ground.path, 'other'))).toBe(false);
  });

  it('[RUN6.2] runs in the background, and keeps what the program says', async () => {
    const { code, stdout } = await start('run', '--detach', '--json', '--', 'sh', '-c', 'echo said; echo new > b.txt')
      .ended;
    expect(code).toBe(0);
    const { id, output } = z.object({ id: z.string(), output: z.string() }).parse(JSON.parse(stdout));
    await decide('approve');
    await expect.poll(() => runs()).toMatchObject([{ id, state: 'applied' }]);
    expect(files()).toEqual(['a.txt', 'b.txt']);
    expect(output).toContain(id);
  });

  it('[RUN6.2] says that nothing runs in the background if there is no such program', async () => {
    const { code, stdout, stderr } = await start('run', '--detach', '--', 'no-such-program').ended;
    expect([code, stdout]).toEqual([127, '']);
    expect(stderr).toContain('There is no program "no-such-program" that a run can see.');
  });

  it('[RUN4.1] [RUN3.3] survives that the server is killed, and applies nothing if the supervisor is', async () => {
    const script = 'echo new > b.txt; echo up; read -r x; echo "$x" > c.txt; exit 5';
    const left = start('run', '--', 'sh', '-c', script);
    const killed = start('run', '--', 'sh', '-c', script);
    for (const { said } of [left, killed]) await expect.poll(() => said().stdout, LATER).toBe('up\n');
    await ground.killServer();
    killed.process.kill('SIGKILL');
    await killed.ended;
    left.process.stdin.end('later\n');
    await expect.poll(() => left.said().stderr, LATER).toContain('The server is not running');
    await ground.startServer();
    await expect.poll(async () => (await ground.client().approvals(world())).items.length, LATER).toBe(2);
    expect(files()).toEqual(['a.txt']);
    const { items } = await ground.client().approvals(world());
    const mine = items.find(({ effect }) => effect?.run?.exitCode === 5);
    const other = items.find(({ effect }) => effect?.run?.exitCode === -1);
    if (mine === undefined || other === undefined) throw new Error('both must wait');
    await ground.client().decide(world(), other, { decision: 'deny' });
    await ground.client().decide(world(), mine, { decision: 'approve', scope: 'once' });
    expect((await left.ended).code).toBe(5);
    expect(files()).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect(readFileSync(join(project, 'c.txt'), 'utf8')).toBe('later\n');
  });

  it('[RUN4] [RUN5] gives the program a terminal of its own, in a world that it offers to create', async () => {
    project = join(ground.path, 'fresh');
    mkdirSync(project);
    const terminal = openTerminal(['run', '--', 'bash', '--norc'], {
      env: ground.env,
      cwd: project,
      columns: 90,
      rows: 30,
    });
    await terminal.waitFor('Type "yes"');
    terminal.type(`yes${ENTER}`);
    await terminal.waitFor('$ ');
    terminal.type(`stty size; test -t 0 && test -t 1 && echo is-a-terminal${ENTER}`);
    await terminal.waitFor(/30 90\s+is-a-terminal/);
    terminal.resize(100, 40);
    // One process says it and sleeps: a shell that is about to start a program can miss Ctrl-C.
    terminal.type(`until [ "$(stty size)" = "40 100" ]; do :; done; sh -c "echo res''ized; exec sleep 1000"${ENTER}`);
    await terminal.waitFor('resized');
    terminal.type('\u0003');
    await terminal.waitFor('$ ');
    terminal.type(`exit 6${ENTER}`);
    await terminal.waitFor('The program changed nothing.');
    expect(await terminal.exitCode).toBe(6);
    expect(await ground.client().world('fresh')).toMatchObject({ value: { mode: 'ask' } });
  });
});
