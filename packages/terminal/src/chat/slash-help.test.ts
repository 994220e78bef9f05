import { expect, it } from 'vitest';
import { slashHelp } from './slash-help.js';

it('wraps the commands into two columns', () => {
  const lines = slashHelp(60).split('\n');
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
  const at = lines.findIndex((line) => line.startsWith('  /stop'));
  expect(lines.slice(at, at + 2)).toEqual([
    '  /stop        stop this chat and deny its waiting calls',
    '               (also Ctrl-C while agents work)',
  ]);
  expect(slashHelp(200)).toContain('stop this chat and deny its waiting calls (also Ctrl-C while agents work)');
});
