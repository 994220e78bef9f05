import { expect, it } from 'vitest';
import { CHAT_NOTES } from '../words/help-chat.js';
import { slashHelp } from './slash-help.js';

it('wraps the commands into two columns', () => {
  const lines = slashHelp('chat', CHAT_NOTES, 60).split('\n');
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
  const at = lines.findIndex((line) => line.startsWith('  /chat ID'));
  expect(lines.slice(at, at + 2)).toEqual([
    '  /chat ID     continue another chat; the start of its id',
    '               is enough',
  ]);
  expect(slashHelp('chat', CHAT_NOTES, 200)).toContain('continue another chat; the start of its id is enough');
});
