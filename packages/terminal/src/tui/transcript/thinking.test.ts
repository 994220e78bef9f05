import { expect, it } from 'vitest';
import { chatOf, drawn, messageOf, sceneOf } from '../../testing/screen-fixture.js';
import { paintFor } from '../../text/paint.js';
import { createPrinter } from '../../chat/printer.js';
import { initialUi } from '../ui-state.js';

const scout = { role: 'assistant', sender: 'scout', agentId: 'scout' } as const;
const chat = chatOf([messageOf(1), messageOf(2, { ...scout, content: 'Tidy.', thinking: 'Weigh\u001b[2J it all.' })]);

it('[MODEL11] shows thinking as one line above the answer, and expands it with x', () => {
  const size = { columns: 80, rows: 24 };
  const folded = drawn(sceneOf({ chat, size }));
  const at = folded.findIndex((line) => line.includes('▸ Thinking, 3 words'));
  expect(folded[at + 1]).toContain('Tidy.');
  expect(folded.join('\n')).not.toContain('Weigh');
  const open = drawn(sceneOf({ chat, size, ui: { ...initialUi('chat_1'), isWide: true } })).join('\n');
  expect(open).toContain('▾ Thinking, 3 words');
  expect(open).toContain('it all.');
  expect(open).not.toContain('\u001b[2J');
});

it('[MODEL11] line mode prints only the size of the thinking', () => {
  let text = '';
  const write = (more: string): void => void (text += more);
  createPrinter({ write, paint: paintFor({}, { env: {} }), columns: () => 80, me: undefined }).show(chat);
  expect(text).toContain('Tidy.\n  · Thinking, 3 words\n');
  expect(text).not.toContain('Weigh');
});
