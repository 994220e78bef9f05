import { stripVTControlCharacters } from 'node:util';
import type { Run } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { TOKEN } from '../../packages/server/src/testing/app-fixture.js';
import { canMountRuns, closeRuns, openRuns } from '../../packages/server/src/testing/run-fixture.js';
import { runHere } from './harbour-server.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

describe.runIf(canMount)('[RUN20] countersign runs', () => {
  it('[RUN21] an applied run can be undone by its id, and says so afterwards', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const cli = (...words: string[]) => runHere([...words, '--url', t.t.url], { env: { COUNTERSIGN_TOKEN: TOKEN } });
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    const waiting = await t.end(run);
    expect((await cli('undo', run.id, '--yes')).stderr).toContain('There is nothing to undo: its changes wait');
    await t.decide(waiting, 'approve');
    await t.reach(run, 'applied');
    expect((await cli('undo', run.id.slice(0, 12), '--yes')).code).toBe(0);
    expect(t.read('a.txt')).toBe('old\n');
    expect((await t.show(run)).state).toBe('undone');
    expect((await cli('runs')).stdout).toContain('undone');
    expect((await cli('runs', 'show', run.id)).stdout).toContain('applied, and later undone');
    expect((await cli('undo', run.id, '--yes')).stderr).toContain('already undone');
  });

  it('[RUN20.1] runs diff shows the change file by file, and plain text in a pipe', async () => {
    const t = await openRuns({ 'a.txt': 'old\nsame\n' });
    const cli = (columns: number | undefined, ...words: string[]) =>
      runHere(['runs', 'diff', ...words, '--url', t.t.url], {
        env: { COUNTERSIGN_TOKEN: TOKEN },
        ...(columns === undefined ? {} : { columns }),
      });
    const run = await t.start();
    expect((await cli(80, run.id)).stderr).toContain('the program is running');
    const long = 'long '.repeat(40);
    const many = Array.from({ length: 9_000 }, (_, at) => `${at}`).join('\n');
    t.write(run, { 'a.txt': 'new\u202E\nsame\n', 'src/b.txt': `${long}\n`, 'many.txt': many });
    await t.end(run);
    const list = await cli(undefined, run.id);
    expect(list.stdout.split('\n').map((line) => line.replace(/[\d,]+ bytes/, '…'))).toEqual([
      'changed      a.txt (+1 −1 lines, …)',
      'added        many.txt (…)',
      'added        src (folder)',
      'added        src/b.txt (…)',
      '',
    ]);
    const piped = (await cli(undefined, run.id, 'a.txt')).stdout;
    expect(piped).toContain('  1     │ - old\n      1 │ + new‹U+202E›\n  2   2 │   same\n');
    expect((await cli(undefined, run.id, 'src')).stdout).toContain(`  1 │ + ${long}\n`);
    const narrow = stripVTControlCharacters((await cli(60, run.id, 'src/b.txt')).stdout);
    expect(narrow).toMatch(/ {6}1 │ \+ long [^\n]*\n {8}│ \+ /);
    // The whole effect: the approval has only the start of such a change.
    expect((await cli(undefined, run.id, 'many.txt')).stdout).toContain(' 9000 │ + 8999\n');
    expect((await cli(undefined, run.id, '--all')).stdout).toMatch(/a\.txt[^]*\+ 8999\n[^]*src\/b\.txt/i);
    const json = JSON.parse((await cli(undefined, run.id, 'a.txt', '--json')).stdout) as object;
    expect(json).toMatchObject({
      items: [{ path: 'a.txt', status: 'changed', rows: [{}, { kind: 'removed', old: 1 }, {}, {}] }],
    });
    const none = await cli(80, run.id, 'none.txt');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('The change has no file "none.txt"')]);
  });

  it('[RUN33] runs select asks about some files and blocks of lines', async () => {
    const lines = (last: string): string => `old\n${'same\n'.repeat(10)}${last}\n`;
    const t = await openRuns({ 'a.txt': lines('last') });
    const cli = (...words: string[]) => runHere([...words, '--url', t.t.url], { env: { COUNTERSIGN_TOKEN: TOKEN } });
    const run = await t.start();
    t.write(run, { 'a.txt': lines('new').replace('old', 'first'), 'src/b.txt': 'b\n', 'c.txt': 'c\n' });
    await t.end(run);
    expect((await cli('runs', 'select', run.id, '--block', 'a.txt')).stderr).toContain('names no block of lines');
    expect((await cli('runs', 'select', run.id, 'd.txt')).stderr).toContain('d.txt is not part of the change');
    const { stdout } = await cli('runs', 'select', run.id, 'src/', '--block', 'a.txt:2', '--json');
    const part = JSON.parse(stdout) as Run;
    expect((await cli('runs', 'show', part.id)).stdout).toContain('This combination was never run.');
    await cli('approvals', 'approve', part.approvalId ?? '', '--scope', 'once', '--yes');
    expect([t.read('a.txt'), t.read('src/b.txt'), t.read('c.txt')]).toEqual([lines('new'), 'b\n', undefined]);
  });

  it('lists, shows, applies and discards runs', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const cli = (...words: string[]) =>
      runHere([...words, '--url', t.t.url], { env: { COUNTERSIGN_TOKEN: TOKEN }, columns: 100 });
    expect((await cli('runs')).stderr).toContain('No runs.');
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' }, { exitCode: 3, variables: ['PATH'] });
    const waiting = await t.end(run);
    const listed = JSON.parse((await cli('runs', '--json')).stdout) as { items: Run[] };
    expect(listed.items).toMatchObject([
      {
        id: run.id,
        world: 'alpha',
        program: ['make', 'all'],
        state: 'waiting',
        startedAt: expect.any(String) as string,
        effect: { files: [{ path: 'a.txt' }] },
      },
    ]);
    const shown = await cli('runs', 'show', run.id.slice(0, 12));
    expect(shown.stdout).toContain('its changes wait for approval');
    expect(shown.stdout).toContain('The program ended with exit code 3.');
    expect(shown.stdout).toContain('a.txt');
    expect(shown.stdout).toContain('PATH');
    await t.decide(waiting, 'deny', { reason: 'not now' });
    await t.reach(run, 'denied');
    expect((await cli('runs', 'apply', run.id)).stderr).toContain('wait for approval');
    const approved = await cli(
      'approvals',
      'approve',
      (await t.show(run)).approvalId ?? '',
      '--scope',
      'once',
      '--yes',
    );
    expect([approved.code, t.read('a.txt')]).toEqual([0, 'new\n']);
    expect((await cli('runs', 'discard', run.id, '--yes')).code).toBe(1);
    const other = await t.start();
    t.write(other, { 'b.txt': 'new\n' });
    await t.end(other);
    expect((await cli('runs', 'discard', other.id)).code).not.toBe(0);
    expect((await cli('runs', 'discard', other.id, '--yes')).code).toBe(0);
    expect((await t.show(other)).state).toBe('discarded');
    expect((await cli('runs', 'show', 'run_none', '-w', 'alpha')).code).not.toBe(0);
  });
});
