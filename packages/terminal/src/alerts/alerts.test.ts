import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { noticeFor, openAlerts } from './alerts.js';

function openTest(env: NodeJS.ProcessEnv = { TERM: 'xterm-256color' }, isTTY = true) {
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  let written = '';
  stdout.on('data', (text: string) => (written += text));
  return { alerts: openAlerts({ stdout: stdout as unknown as NodeJS.WriteStream, env }), written: () => written };
}

const call = (id: string, text = `Mason waits for you: ${id}`) => ({ id, text });

it('[TERM8] rings once for each new call, counts them in the title, and gives the old title back', async () => {
  const { alerts, written } = openTest();
  alerts.show([]);
  expect(written()).toBe('');
  alerts.show([call('a')]);
  await vi.waitFor(() => expect(written()).toContain('\u0007\u001B]9;Countersign: Mason waits for you: a\u001B\\'));
  expect(written()).toContain('\u001B[22;0t\u001B]2;(1) Countersign\u001B\\');
  alerts.show([call('a'), call('b'), call('c')]);
  await vi.waitFor(() => expect(written()).toContain('\u0007\u001B]9;Countersign: 2 calls wait for you\u001B\\'));
  alerts.show([call('c')]);
  alerts.show([]);
  alerts.close();
  expect(written().split('\u0007')).toHaveLength(3);
  expect(written().split('\u001B[22;0t')).toHaveLength(2);
  expect(written()).toMatch(/\(3\) Countersign.*\(1\) Countersign.*\]2;Countersign\u001B\\\u001B\[23;0t$/s);
});

it('[TERM8.1] shows what an agent named or wrote without its control characters, on one line', async () => {
  const { alerts, written } = openTest();
  alerts.show([call('a', `4;x\u0007\u001B]2;ha\u001B\\\u009Cz\n${'y'.repeat(500)}`)]);
  await vi.waitFor(() => expect(written()).toContain('‹U+0007›‹U+001B›]2;ha‹U+001B›\\‹U+009C›z yyy'));
  const notice = written().slice(written().indexOf('\u0007') + 1);
  expect(notice).toMatch(/^\u001B\]9;Countersign: 4;x[^\u0000-\u001F\u007F-\u009F]{100,125}\u001B\\$/);
});

it('[TERM8] writes nothing where no terminal would show it', () => {
  for (const { alerts, written } of [openTest({ TERM: 'dumb' }), openTest({}, false)]) {
    alerts.show([call('a')]);
    alerts.close();
    expect(written()).toBe('');
  }
});

it('[TERM8] uses the notice that the terminal knows, also through tmux', () => {
  expect(noticeFor('x', { TERM: 'foot' })).toBe('\u001B]777;notify;Countersign;x\u001B\\');
  expect(noticeFor('x', { TERM_PROGRAM: 'ghostty' })).toContain(']777;');
  expect(noticeFor('x', { TERM_PROGRAM: 'iTerm.app' })).toBe('\u001B]9;Countersign: x\u001B\\');
  expect(noticeFor('x', { TMUX: '/tmp/tmux-0/default,1,0', TERM: 'tmux-256color' })).toBe(
    '\u001BPtmux;\u001B\u001B]9;Countersign: x\u001B\u001B\\\u001B\\',
  );
});
