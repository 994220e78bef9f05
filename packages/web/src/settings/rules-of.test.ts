import { describe, expect, it } from 'vitest';
import { rulesOf } from './rules-of.js';

describe('rules in an editor', () => {
  it('are one a line', () => {
    expect(rulesOf('allow read_file\n\n deny x\r\n')).toHaveLength(1);
    expect(rulesOf('allow read_file\n\ndeny shell_cmd(rm *)\n')).toEqual(['allow read_file', 'deny shell_cmd(rm *)']);
    expect(rulesOf('')).toEqual([]);
  });
});
