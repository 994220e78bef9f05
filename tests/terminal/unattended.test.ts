import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());

const lineSchema = z.looseObject({ type: z.string() });
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)));

describe('countersign chat without a terminal', () => {
  it('[TERM2] answers a message from the command line or from a pipe', async () => {
    const [said, piped, both] = await Promise.all([
      t.runHere(['chat', '-w', 'docks', 'hello']),
      t.run(['chat', '-w', 'docks'], { input: 'hello' }),
      t.runHere(['chat', '-w', 'docks', '[', '-'], { input: `${JSON.stringify(stamp('from both'))}]` }),
    ]);
    expect(said).toEqual({ code: 0, stdout: 'Ada\n  │ ok\n', stderr: '' });
    expect(piped).toEqual({ code: 0, stdout: 'Ada\n  │ ok\n', stderr: '' });
    // Only both parts together make the model call the tool.
    expect(both.code).toBe(3);
    expect(both.stdout).toContain('waiting for you: letter: from both');
  });

  it('[CALL13] [CALL15] denies calls that nobody approves, and the exit code says so', async () => {
    const before = t.runs.length;
    const message = t.asking(stamp('unsigned'), stamp('unsigned too'));
    const ended = await t.runHere(['chat', '-w', 'docks', message], { input: 'o\no\no\n' });
    expect(ended.code).toBe(3);
    expect(ended.stdout).toContain('denied: nobody is here to approve it');
    expect(t.runs.slice(before)).toEqual([]);
    expect((await t.client.approvals('docks')).items).toEqual([]);
  });

  it('[CALL13] waits for a decision elsewhere on request, up to the timeout', async () => {
    const words = ['chat', '-w', 'docks', '--unattended', 'wait', '--json'];
    const late = await t.runHere([...words, '--timeout', '1s', t.asking(stamp('late'))]);
    expect(late.code).toBe(4);
    expect(linesOf(late.stdout).at(-1)).toMatchObject({ type: 'end', outcome: 'timed out' });
    await expect.poll(async () => (await t.client.approvals('docks')).items.length).toBe(1);
    const [left] = (await t.client.approvals('docks')).items;
    if (left === undefined) throw new Error('it must still wait');
    await t.client.decide('docks', left, { decision: 'deny' });
    await expect.poll(async () => (await t.client.approvals('docks')).items).toEqual([]);

    const waiting = t.runHere([...words, t.asking(stamp('in time'))]);
    await expect.poll(async () => (await t.client.approvals('docks')).items.length).toBe(1);
    const [approval] = (await t.client.approvals('docks')).items;
    if (approval === undefined) throw new Error('nothing waits');
    await t.client.decide('docks', approval, { decision: 'approve', scope: 'once' });
    const ended = await waiting;
    expect(ended.code).toBe(0);
    const lines = linesOf(ended.stdout);
    expect(lines.at(-1)).toMatchObject({ type: 'end', outcome: 'answered' });
    expect(lines.filter(({ type }) => type === 'call').at(-1)).toMatchObject({ status: { kind: 'succeeded' } });
    expect(t.runs).toContain('in time');
  });

  it('reports errors with its exit code and one sentence', async () => {
    const [noWorld, noChat, noFlag, empty, nobody] = await Promise.all([
      t.runHere(['chat', '-w', 'dokcs', 'hello']),
      t.runHere(['chat', '-w', 'docks', '-c', 'chat_none', 'hello']),
      t.runHere(['chat', '--wordl', 'docks']),
      t.runHere(['chat', '-w', 'docks'], { input: ' \n' }),
      t.runHere(['chat', '-w', 'docks', 'hello'], { env: { COUNTERSIGN_URL: 'http://127.0.0.1:9' } }),
    ]);
    expect(noWorld).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'countersign: There is no world "dokcs". Did you mean "docks"?\n',
    });
    expect(noChat).toMatchObject({ code: 2, stdout: '' });
    expect(noFlag.stderr).toBe("countersign: Unknown option '--wordl'. Did you mean --world? See --help.\n");
    expect(empty).toMatchObject({ code: 2, stdout: '' });
    expect(nobody.code).toBe(1);
    for (const { stderr } of [noWorld, noChat, noFlag, empty, nobody]) {
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).not.toMatch(/^ +at /m);
    }
  });
});
