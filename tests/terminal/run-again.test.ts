import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, openRunGround, type RunGround } from './run-ground.js';

/** On a busy machine, starting the command takes seconds. */
const LATER = { timeout: 30_000 };

/** An agent that says how it was started, and keeps a session in its home. */
const AGENT = `#!/bin/sh
count=$(ls | grep -c '^started')
printf '%s\\n' "$@" > "started-$count"
mkdir -p ~/.claude/projects/p
cat ~/.claude/projects/p/*.jsonl > "sessions-$count" 2> /dev/null
echo "{}" >> ~/.claude/projects/p/one.jsonl
`;

describe.skipIf(!canRun)('[RUN32] a run that was sent back', () => {
  let ground: RunGround;
  beforeAll(async () => {
    ground = await openRunGround();
    const bin = join(ground.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), AGENT, { mode: 0o755 });
    ground.env['PATH'] = `${bin}:${process.env['PATH'] ?? ''}`;
  });
  afterAll(() => ground.close());

  async function openProject(name: string) {
    const project = join(ground.path, name);
    mkdirSync(project);
    await ground.client().createWorld({ name, workingDirectory: project, mode: 'ask' });
    const waiting = async (): Promise<Run> => {
      const find = async (): Promise<Run | undefined> => (await ground.client().runs.list(name)).items[0];
      await expect.poll(async () => (await find())?.approvalId, LATER).toEqual(expect.any(String));
      const found = await find();
      if (found === undefined) throw new Error('there is no run');
      return found;
    };
    const approve = async (): Promise<void> => {
      await waiting();
      const [approval] = (await ground.client().approvals(name)).items;
      if (approval === undefined) throw new Error('nothing waits');
      await ground.client().decide(name, approval, { decision: 'approve', scope: 'once' });
    };
    return { project, waiting, approve };
  }

  it('[RUN31] [RUN32] [RUN32.2] another program continues where the person says so, in the same draft', async () => {
    const { project, waiting, approve } = await openProject('other');
    const first = ground.start(project, 'run', '--', 'sh', '-c', 'echo one > b.txt; echo two > c.txt');
    const { id } = await waiting();
    const asked = await ground.here(project, 'runs', 'ask', id, 'Move b to d.');
    expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining('somebody asked for changes')]);
    const { code, stderr } = await first.ended;
    expect([code, stderr]).toEqual([125, expect.stringContaining(`countersign run --again ${id} -- PROGRAM`)]);
    expect((await ground.here(project, 'run', '--again', id)).code).toBe(2);
    const script = 'mv b.txt d.txt; printf %s "$COUNTERSIGN_REQUEST" > asked.txt';
    const again = ground.start(project, 'run', '--again', id, '--', 'sh', '-c', script);
    const { effect } = await waiting();
    expect(effect?.run?.sinceLook).toEqual({
      added: ['asked.txt', 'd.txt'],
      changed: [],
      removed: ['b.txt'],
      unlisted: 0,
    });
    await approve();
    expect((await again.ended).code).toBe(0);
    expect(readdirSync(project).toSorted()).toEqual(['asked.txt', 'c.txt', 'd.txt']);
    expect(readFileSync(join(project, 'asked.txt'), 'utf8')).toMatch(/asks for these changes:\n\nMove b to d\.$/);
  });

  it('[RUN32.1] an agent continues its own session while the person who started it and asks for changes waits', async () => {
    const { project, waiting, approve } = await openProject('agent');
    const running = ground.start(project, 'run', 'claude', '-p', 'hi');
    running.process.stdin.end();
    const { id } = await waiting();
    expect(await ground.here(project, 'runs', 'ask', id, '--', '--version')).toMatchObject({ code: 0 });
    await expect.poll(async () => (await waiting()).effect?.run?.later?.length, LATER).toBe(1);
    await approve();
    expect((await running.ended).code).toBe(0);
    const [first, second] = ['started-0', 'started-1'].map((name) => readFileSync(join(project, name), 'utf8'));
    expect(first).toBe('--dangerously-skip-permissions\n-p\nhi\n');
    expect(second).toMatch(
      /^--dangerously-skip-permissions\n-p\n--continue\n[^-].* asks for these changes:\n\n--version\n$/,
    );
    expect(readFileSync(join(project, 'sessions-1'), 'utf8')).toBe('{}\n');
  });
});
