import { expect, it } from 'vitest';
import { thenRun } from '../words/then-run.js';
import { wrapNote } from './wrap-note.js';

it('[TERM4] a note breaks between words, and never inside a command', () => {
  const command = 'countersign agents edit AGENT -w harbour --tools "OTHER_TOOLS,mcp__files__*"';
  const note = thenRun('To give these tools to an agent, run this command.', command);
  expect(wrapNote(note, 30).split('\n')).toEqual([
    'To give these tools to an',
    'agent, run this command.',
    `  ${command}`,
  ]);
  expect(wrapNote('aaaa bbbb cccc', 4)).toBe('aaaa\nbbbb\ncccc');
  expect(wrapNote('a /path/to/a/file b\n\nc', 8)).toBe('a\n/path/to/a/file\nb\n\nc');
});
