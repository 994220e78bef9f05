import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import type { Console } from '../console.js';
import { openKeyboard, type Keyboard } from './keyboard.js';

/** A keyboard on streams that look like a terminal. */
function openTestKeyboard(): { keyboard: Keyboard; type: (text: string) => void; shown: () => string } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let shown = '';
  stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const console = { stdin, stdout, stderr: stdout, env: {} } as unknown as Console;
  return { keyboard: openKeyboard(console), type: (text) => void stdin.write(text), shown: () => shown };
}

const BIDI = '\u202E';
/** Starts a terminal sequence, like Escape and [. */
const CSI = '\u009B';

it('[CALL15.4] shows characters that could repaint a card by their number while they are typed or pasted', async () => {
  const { keyboard, type, shown } = openTestKeyboard();
  const asked = keyboard.ask({ prompt: '\u001B[33m? \u001B[0m' });
  type(`\u001B[200~ab${BIDI}${CSI}2Jc\u0007\u001B[201~`);
  await vi.waitFor(() => expect(shown()).toContain('2Jc'));
  keyboard.print('a note\n');
  type('\r');
  // The text itself stays as it is.
  expect(await asked).toEqual({ kind: 'line', text: `ab${BIDI}${CSI}2Jc` });
  keyboard.close();
  expect(shown()).toContain('\u001B[33m? \u001B[0m');
  expect(shown()).toContain('ab‹U+202E›‹U+009B›2Jc');
  expect(shown()).not.toContain(BIDI);
  expect(shown()).not.toContain(CSI);
  // The cursor is behind the line: 2 columns of prompt, and 21 of the line.
  expect(shown()).toMatch(/a note\n.*ab‹U\+202E›‹U\+009B›2Jc\u001B\[24G/s);
});

it('[CALL15.4] shows terminal sequences in the command of a call that is edited', async () => {
  const { keyboard, type, shown } = openTestKeyboard();
  const asked = keyboard.ask({ prompt: '', prefill: 'echo \u001B[2Jhello' });
  type('\r');
  expect(await asked).toEqual({ kind: 'line', text: 'echo \u001B[2Jhello' });
  keyboard.close();
  expect(shown()).toContain('echo ‹U+001B›[2Jhello');
  expect(shown()).not.toContain('\u001B[2J');
});

it('shows letters that joiners connect as one', async () => {
  const { keyboard, type, shown } = openTestKeyboard();
  const family = '👩\u200D👧';
  const asked = keyboard.ask({ prompt: '' });
  type(`\u001B[200~${family} und سلام\u001B[201~\r`);
  expect(await asked).toEqual({ kind: 'line', text: `${family} und سلام` });
  keyboard.close();
  expect(shown()).toContain('سلام');
});
