import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInstalled, openGate, type Gate } from './gated-agent.js';

const LIMIT = { timeout: 600_000 };
const notebook = {
  cells: [{ cell_type: 'code', id: 'p', metadata: {}, source: '1', outputs: [], execution_count: 3 }],
};
const FILES = {
  'a.txt': 'one\ntwo\nthree\nfour\n',
  'crlf.txt': 'one\r\ntwo\r\n',
  'n.ipynb': JSON.stringify({ ...notebook, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1),
};
const at = (name: string): string => `FOLDER/${name}`;
/** Calls that write no file of ours, up to 20 together with the others. */
const others = <T extends string>(count: number, tool: T): (readonly [undefined, T, { command: string }])[] =>
  Array.from({ length: count }, (_, index) => [undefined, tool, { command: `echo ${index}` }] as const);

/** Each call with the file that it writes. Claude Code must have read a file that it edits. */
const CALLS = {
  claude: [
    ...Object.keys(FILES).map((name) => [undefined, 'Read', { file_path: at(name) }] as const),
    ['a.txt', 'Edit', { file_path: at('a.txt'), old_string: 'two', new_string: 'TWO\n$&' }],
    ['a.txt', 'Edit', { file_path: at('a.txt'), old_string: 'three', new_string: '' }],
    ['a.txt', 'Edit', { file_path: at('a.txt'), old_string: 'o', new_string: '0', replace_all: true }],
    ['crlf.txt', 'Edit', { file_path: at('crlf.txt'), old_string: 'one\ntwo', new_string: 'ONE\nTWO\nthree' }],
    ['new/b.txt', 'Write', { file_path: at('new/b.txt'), content: 'b\r\nc' }],
    ...others(11, 'Bash'),
    ['n.ipynb', 'NotebookEdit', { notebook_path: at('n.ipynb'), cell_id: 'p', new_source: 'x = 1\ny = 2' }],
  ],
  gemini: [
    [
      'a.txt',
      'replace',
      { file_path: at('a.txt'), instruction: 'Change it.', old_string: 'two', new_string: 'TWO\n$&' },
    ],
    [
      'a.txt',
      'replace',
      { file_path: at('a.txt'), instruction: 'Change it.', old_string: 'four\n', new_string: 'FOUR' },
    ],
    ['crlf.txt', 'write_file', { file_path: at('crlf.txt'), content: 'ONE\ntwo\n' }],
    ...others(13, 'run_shell_command'),
    [undefined, 'read_file', { file_path: at('a.txt') }],
    [undefined, 'list_directory', { dir_path: 'FOLDER' }],
    [undefined, 'glob', { pattern: '*.txt' }],
    ['new/b.txt', 'write_file', { file_path: at('new/b.txt'), content: 'b\nc' }],
  ],
} as const;

/** The lines of a file with the changes of a diff, in any order. */
function linesOf(text: string, diff = ''): string {
  const changes = diff.split('\n').filter((line) => /^[+-](?!--|\+\+)/.test(line));
  const lines = text.split(/\r?\n/);
  for (const change of changes) {
    const line = change.slice(1).replace(/\r$|‹U\+000D›$/, '');
    if (change.startsWith('+')) lines.push(line);
    else lines.splice(lines.indexOf(line) >>> 0, 1);
  }
  return lines
    .filter((line) => line !== '')
    .toSorted()
    .join('\n');
}

describe.each(['claude', 'gemini'] as const)('an edit by the real %s', (agent) => {
  describe.runIf(isInstalled(agent))('behind the gate', () => {
    let gate: Gate;
    beforeAll(async () => {
      gate = await openGate(agent);
    });
    afterAll(async () => await gate.close());

    it(
      '[CHANGE9.6] [EXT1.21] writes what its card showed, beside the prompt and the last words, in a session of 20 calls',
      LIMIT,
      async () => {
        const calls = CALLS[agent];
        const run = await gate.runCalls(
          calls.map(([, name, args]) => ({ name, arguments: args })),
          FILES,
        );
        expect(calls).toHaveLength(20);
        const problems: string[] = [];
        let last: { name: string; diff: string; before: string } | undefined;
        const read = (name: string): string =>
          existsSync(join(run.cwd, name)) ? readFileSync(join(run.cwd, name), 'utf8') : '';
        const settle = (): void => {
          if (last === undefined) return;
          const { name, diff, before } = last;
          const made = linesOf(before, diff);
          if (made !== linesOf(read(name))) problems.push(`${name}: ${diff} is not what it wrote: ${read(name)}`);
        };
        for (const [index, [name, tool]] of calls.entries()) {
          const approval = await gate.pending();
          // The agent asks for the next call when the last one has run.
          settle();
          expect(approval.toolName).toBe(`${agent}__${tool}`);
          expect(approval.claimedContext?.prompt).toBe('Run the command.');
          // Claude Code writes its transcript a moment later, so the last words may be those of the step before.
          const { said = index === 0 ? 'Step 1.' : 'nothing' } = approval.claimedContext ?? {};
          expect(said).toMatch(/^Step \d+\.$/);
          last =
            name === undefined ? undefined : { name, diff: approval.preview?.text ?? 'no diff', before: read(name) };
          expect(approval.noEffect === undefined || name === undefined).toBe(true);
          await gate.client.decide(gate.world, approval, { decision: 'approve', scope: 'once' });
        }
        await run.ended;
        settle();
        expect(problems).toEqual([]);
        expect(readFileSync(join(run.cwd, 'a.txt'), 'utf8')).toContain('TW');
      },
    );
  });
});
