import { readFileSync, statSync } from 'node:fs';
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

/** Each call with the file that it writes. Claude Code must have read a file that it edits. */
const CALLS = {
  claude: [
    ...Object.keys(FILES).map((name) => [undefined, 'Read', { file_path: at(name) }] as const),
    ['a.txt', 'Edit', { file_path: at('a.txt'), old_string: 'two', new_string: 'TWO\n$&' }],
    ['a.txt', 'Edit', { file_path: at('a.txt'), old_string: 'three', new_string: '' }],
    ['a.txt', 'Edit', { file_path: at('a.txt'), old_string: 'o', new_string: '0', replace_all: true }],
    ['crlf.txt', 'Edit', { file_path: at('crlf.txt'), old_string: 'one\ntwo', new_string: 'ONE\nTWO\nthree' }],
    ['new/b.txt', 'Write', { file_path: at('new/b.txt'), content: 'b\r\nc' }],
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
    ['new/b.txt', 'write_file', { file_path: at('new/b.txt'), content: 'b\nc' }],
  ],
} as const;

describe.each(['claude', 'gemini'] as const)('an edit by the real %s', (agent) => {
  describe.runIf(isInstalled(agent))('behind the gate', () => {
    let gate: Gate;
    beforeAll(async () => {
      gate = await openGate(agent);
    });
    afterAll(async () => await gate.close());

    it('[CHANGE9.6] [EXT1.21] writes what its card showed, beside the prompt and the last words', LIMIT, async () => {
      const calls = CALLS[agent];
      const run = await gate.runCalls(
        calls.map(([, name, args]) => ({ name, arguments: args })),
        FILES,
      );
      const shown: unknown[] = [];
      const found: unknown[] = [];
      let last: { name: string; bytes: number | undefined } | undefined;
      const settle = (): void => {
        if (last !== undefined) found.push([last.name, statSync(join(run.cwd, last.name)).size]);
        if (last !== undefined) shown.push([last.name, last.bytes]);
      };
      for (const [name, tool] of calls) {
        const approval = await gate.pending();
        // The agent asks for the next call when the last one has run.
        settle();
        expect(approval.toolName).toBe(`${agent}__${tool}`);
        expect(approval.claimedContext?.prompt).toBe('Run the command.');
        // Claude Code writes its transcript a moment later, so the last words may be those of the step before.
        expect(approval.claimedContext?.said ?? 'Step').toMatch(/^Step/);
        const file = approval.prediction?.files.find(({ kind }) => kind === 'file');
        last = name === undefined ? undefined : { name, bytes: file?.bytes };
        expect(approval.noEffect).toBeUndefined();
        await gate.client.decide(gate.world, approval, { decision: 'approve', scope: 'once' });
      }
      await run.ended;
      settle();
      expect(shown).toEqual(found);
      expect(readFileSync(join(run.cwd, 'a.txt'), 'utf8')).toContain('TW');
    });
  });
});
