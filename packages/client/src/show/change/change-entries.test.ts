import type { Effect } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { changeEntries, type ChangeEntry } from './change-entries.js';
import { changeStarts, counterparts, numberLines, sideBySide } from './diff-rows.js';
import { diffLines } from '../call/diff-lines.js';

const effect: Effect = {
  files: [
    { path: 'old.txt', change: 'removed', kind: 'file', bytes: 3 },
    {
      path: 'a\u202Eb',
      change: 'changed',
      kind: 'file',
      bytes: 9,
      lines: { added: 2, removed: 1 },
      diff: '--- a\n+++ b\n@@ -4,2 +4,2 @@\n x\n-y\n+z\n[1 more lines of this change are not shown.]',
    },
    { path: 'picture', change: 'changed', kind: 'file', bytes: 9, noDiff: 'binary' },
    { path: '.husky/pre-commit', change: 'added', kind: 'file', runsLater: true },
    ...[1, 2, 3, 4].map(
      (at) => ({ path: `web/dist/x/${at}.js`, change: at === 1 ? 'changed' : 'added', kind: 'file' }) as const,
    ),
    { path: 'web/dist', change: 'added', kind: 'folder' },
    { path: 'dist', change: 'added', kind: 'file', bytes: 2 },
  ],
  leftOut: [
    { path: 'fifo', why: 'it is a pipe' },
    { path: '.git/hooks/x', why: 'programs run it', runsLater: true },
  ],
  effectHash: 'x',
  exitCode: 0,
  output: '',
  truncated: true,
  run: { program: ['make'], exitCode: 0, notApplied: [{ path: 'node_modules', files: 4812, hint: 'npm ci' }] },
};

const line = (entry: ChangeEntry): string =>
  `${entry.kind === 'file' ? `${entry.sign} ` : ''}${entry.path} | ${entry.about}`;

describe('a change by file', () => {
  it('[PAGE4.2] lists files that run later first, and generated and ignored folders on one line each', () => {
    const entries = changeEntries({ effect }) ?? [];
    expect(entries.map(line)).toEqual([
      '+ .husky/pre-commit | ',
      '! .git/hooks/x | will not be applied: programs run it',
      '− old.txt | 3 bytes',
      '~ a\\u{202e}b | +2 −1 lines, 9 bytes',
      '~ picture | 9 bytes',
      'web/dist/ | 1 changed, 4 added',
      '+ dist | 2 bytes',
      '! fifo | will not be applied: it is a pipe',
      'node_modules | 4,812 ignored files, not applied; npm ci makes them again',
    ]);
  });

  it('[PAGE4.4] says what of a file can’t be shown, and why', () => {
    const [, , removed, cut, picture] = changeEntries({ effect }) ?? [];
    const missing = (entry: ChangeEntry | undefined): string =>
      entry?.kind === 'file' ? entry.read().missing : 'no file';
    expect(missing(removed)).toContain('is removed');
    expect(missing(cut)).toBe('1 changed line is not shown, because the change is too long.');
    expect(missing(picture)).toContain('not text');
    expect(cut?.kind === 'file' ? cut.read().rows : []).toEqual([
      { kind: 'place', text: '@@ -4,2 +4,2 @@' },
      { kind: 'same', text: 'x', old: 4, now: 4 },
      { kind: 'removed', text: 'y', old: 5 },
      { kind: 'added', text: 'z', now: 5 },
      { kind: 'note', text: '[1 more lines of this change are not shown.]' },
    ]);
  });

  it('[PAGE4.4] shows no line for a file that is too long to compare, or empty', () => {
    const [long, empty] = ['(too long to compare: 0 lines are replaced with 40000 lines)', '(a new, empty file)'].map(
      (note, at) => ({
        ...({ path: `${at}`, change: 'added', kind: 'file', diff: `--- /dev/null\n+++ b/${at}\n${note}` } as const),
        lines: { added: 40_000 * (1 - at), removed: 0 },
      }),
    );
    const files = [long, empty].flatMap((file) => file ?? []);
    const read = (changeEntries({ effect: { ...effect, files, leftOut: [] } }) ?? []).map((entry) =>
      entry.kind === 'file' ? entry.read() : undefined,
    );
    expect(read.slice(0, 2)).toEqual([
      { rows: [], missing: '40,000 changed lines are not shown, because the change is too long.' },
      { rows: [], missing: 'It has no text to show.' },
    ]);
  });

  it('shows what a file tool writes as the call has it, to its end', () => {
    const args = { path: 'a.txt', content: 'one\ntwo\n' };
    const one = { path: 'a.txt', change: 'changed', kind: 'file', lines: { added: 2, removed: 9 } } as const;
    const shown = { toolName: 'write_file', arguments: args, effect: { ...effect, run: undefined, files: [one] } };
    const preview = { text: '@@ -1 +1 @@\n-cut', truncated: true };
    const [file] = changeEntries({ ...shown, preview, effect: { ...effect, files: [one], leftOut: [] } }) ?? [];
    expect(file).toMatchObject({ path: 'a.txt', status: 'changed', isCall: true });
    expect(file?.kind === 'file' ? file.read().rows.slice(1) : []).toEqual([
      { kind: 'same', text: 'one', now: 1 },
      { kind: 'same', text: 'two', now: 2 },
    ]);
    // The effect of a program's own file tool is unknown, but the call says what it writes.
    const external = { toolName: 'claude__Write', arguments: { file_path: '/w/b', content: 'x' } };
    expect((changeEntries(external) ?? []).map(line)).toEqual(['~ /w/b | ']);
    expect(changeEntries({ toolName: 'shell_cmd', arguments: { command: 'ls' } })).toBeUndefined();
  });

  it('keeps two paths apart that look alike', () => {
    const files = ['k-‹masked 1›', 'k-‹masked 1›'].map((path) => ({ path, change: 'added', kind: 'file' }) as const);
    const entries = changeEntries({ effect: { ...effect, files, leftOut: [], run: { program: ['x'], exitCode: 0 } } });
    expect(entries?.map(({ path }) => path)).toEqual(['k-‹masked 1›', 'k-‹masked 1› (2)']);
  });
});

describe('the lines of a diff', () => {
  const rows = numberLines(diffLines('@@ -0,0 +1,2 @@\n+a\n+b\n@@ -9,3 +9,2 @@\n c\n-d\n-e\n+f'));

  it('are numbered from each position', () => {
    expect(rows.map(({ old, now }) => [old, now])).toEqual([
      [undefined, 1],
      [undefined, 2],
      [undefined, undefined],
      [9, 9],
      [10, undefined],
      [11, undefined],
      [undefined, 10],
    ]);
    expect(numberLines(diffLines('@@ -5,0 +6,1 @@\n+a'))[1]).toEqual({ kind: 'added', text: 'a', now: 6 });
  });

  it('stand next to those that replace them', () => {
    expect(changeStarts(rows)).toEqual([0, 4]);
    expect(
      sideBySide(rows).map((side) =>
        'whole' in side ? side.whole.text : `${side.left?.text ?? ''}|${side.right?.text ?? ''}`,
      ),
    ).toEqual(['|a', '|b', '@@ -9,3 +9,2 @@', 'c|c', 'd|f', 'e|']);
    expect([...counterparts(rows)].map(([one, other]) => `${one.text}>${other.text}`)).toEqual(['d>f', 'f>d']);
  });
});
