import { describe, expect, it } from 'vitest';
import { maskedCount, patternOf, readArguments, sandboxWords } from './card-words.js';

describe('what a card says and takes', () => {
  it('finds the pattern of a rule', () => {
    expect(patternOf('allow shell_cmd(rm scratch-*.tmp)')).toBe('rm scratch-*.tmp');
    expect(patternOf('allow shell_cmd(echo "(x)")')).toBe('echo "(x)"');
    expect(patternOf('allow read_file')).toBeUndefined();
    // Two rules are no one pattern: a session would be refused it.
    expect(patternOf('allow shell_cmd(ls)\nallow shell_cmd(cat a)')).toBeUndefined();
  });

  it.each(['', '[]', '"a"', 'null', '{'])('takes %j for no arguments, and says so', (text) => {
    expect(readArguments(text)).toHaveProperty('error');
  });

  it('takes a JSON object', () => {
    expect(readArguments('{"command":"ls"}')).toEqual({ arguments: { command: 'ls' } });
  });

  it('[A15] counts different masks once', () => {
    expect(maskedCount('‹masked 1› ‹masked 2› ‹masked 1›')).toBe(2);
  });

  it('[A21] says when there is no sandbox', () => {
    expect(sandboxWords('none').safe).toBe(false);
    expect(sandboxWords('bubblewrap, no network')).toEqual({ words: 'sandboxed, no network', safe: true });
  });
});
