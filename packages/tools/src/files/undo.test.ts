import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, chmod, mkdir, rm, stat, utimes, writeFile as put } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tool, Undos, UndoState } from '@countersign/core/ports';
import { describeEffect } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize } from '../../../../tests/support/scaled.js';
import { sweepFolders } from '@countersign/changes';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { tryTool } from '../testing/try-tool.js';
import { editFile } from './edit-file.js';
import type { FileOptions } from './file-changes.js';
import { writeFile } from './write-file.js';

/** Built from `testing/dying-write.ts`. */
const program = fileURLToPath(new URL('../../../countersign/dist/testing/bundle/dying-write.js', import.meta.url));

describe('[CHANGE10] undoing write_file and edit_file, without a sandbox', () => {
  let folder: TestFolder;
  let kept: TestFolder;
  let options: FileOptions;
  beforeEach(async () => {
    folder = await makeFolder();
    kept = await makeFolder();
    options = { lock: { folder: kept.path } };
  });
  afterEach(async () => {
    await folder.remove();
    await kept.remove();
  });

  const at = (name: string): string => join(folder.path, name);
  const run = async (tool: Tool, args: Record<string, unknown>, invocationId: string): Promise<Undos> => {
    const tried = await tryTool(tool, args, { workingDirectory: folder.path, invocationId });
    expect(tried).toMatchObject({ ok: true });
    if (tool.undos === undefined) throw new Error('nothing can be undone');
    return tool.undos;
  };
  const write = (path: string, content: string, id: string, about: FileOptions = {}): Promise<Undos> =>
    run(writeFile({ ...options, ...about }), { path, content }, id);
  const ready = (found: UndoState) => {
    if (found.kind !== 'ready') throw new Error(JSON.stringify(found));
    return found.effect;
  };
  const undo = async (undos: Undos, id: string) => undos.undo(id, ready(await undos.preview(id)).effectHash);

  it('[CHANGE10.1] [CHANGE10.2] brings back the content, mode and times of a replaced file, once', async () => {
    await put(at('run.sh'), 'old\n');
    await chmod(at('run.sh'), 0o750);
    await utimes(at('run.sh'), 1_000_000_000, 1_000_000_000.5);
    const undos = await write('run.sh', 'new\n', 'call');
    const effect = ready(await undos.preview('call'));
    expect(describeEffect(effect)).toBe('Changes 1 file');
    expect(effect.files[0]?.diff).toContain('-new\n+old');
    expect(readFileSync(at('run.sh'), 'utf8')).toBe('new\n');
    expect(await undos.undo('call', 'ff'.repeat(32))).toMatchObject({ kind: 'ready' });
    expect((await undos.list()).map(({ invocationId }) => invocationId)).toEqual(['call']);
    expect(await undos.undo('call', effect.effectHash)).toBe('done');
    expect(readFileSync(at('run.sh'), 'utf8')).toBe('old\n');
    const { mode, mtimeMs } = await stat(at('run.sh'));
    expect([mode & 0o7777, mtimeMs]).toEqual([0o750, 1_000_000_000_500]);
    expect(await undos.preview('call')).toEqual({ kind: 'undone' });
    expect(await undos.list()).toEqual([]);
  });

  it('[CHANGE10.1] [CHANGE10.2] removes a new file with the folders that were created for it', async () => {
    await mkdir(at('docs'));
    const undos = await write('docs/a/b/new.txt', 'x', 'call');
    expect(describeEffect(ready(await undos.preview('call')))).toBe('Removes 1 folder with 1 file');
    expect(await undo(undos, 'call')).toBe('done');
    expect(readdirSync(folder.path, { recursive: true })).toEqual(['docs']);
  });

  it('[CHANGE10.2] undoes edits in the opposite order, and shows a conflict otherwise', async () => {
    await put(at('a.txt'), 'one\n');
    const edit = (oldText: string, newText: string, id: string): Promise<Undos> =>
      run(editFile(options), { path: 'a.txt', oldText, newText }, id);
    const undos = await edit('one', 'two', 'first');
    await edit('two', 'three', 'second');
    expect(await undos.preview('first')).toEqual({ kind: 'conflict', paths: ['a.txt'] });
    expect(await undo(undos, 'second')).toBe('done');
    expect(await undo(undos, 'first')).toBe('done');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
  });

  it('[CHANGE10.2] changes nothing if a new folder contains something else by then', async () => {
    const undos = await write('docs/new.txt', 'x', 'call');
    const { effectHash } = ready(await undos.preview('call'));
    await put(at('docs/mine.txt'), 'mine');
    const conflict = { kind: 'conflict', paths: ['docs/mine.txt'] };
    expect(await undos.preview('call')).toEqual(conflict);
    expect(await undos.undo('call', effectHash)).toEqual(conflict);
    expect(readdirSync(at('docs')).toSorted()).toEqual(['mine.txt', 'new.txt']);
  });

  it('[CHANGE10.3] undoes a call whose files were written again with the same content, but not with another mode', async () => {
    await put(at('a.txt'), 'one\n');
    const undos = await write('a.txt', 'two\n', 'call');
    const { effectHash } = ready(await undos.preview('call'));
    await put(at('a.txt'), 'two\n');
    await utimes(at('a.txt'), 1, 1);
    // The person saw another version, so they look again.
    expect(await undos.undo('call', effectHash)).toMatchObject({ kind: 'ready' });
    await chmod(at('a.txt'), 0o600);
    expect(await undos.preview('call')).toEqual({ kind: 'conflict', paths: ['a.txt'] });
    await chmod(at('a.txt'), 0o644);
    expect(await undo(undos, 'call')).toBe('done');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
  });

  it('[CHANGE10.3] undoes a call whose new folder was removed and restored', async () => {
    const undos = await write('docs/new.txt', 'x', 'call');
    const { mode } = await stat(at('docs'));
    await rm(at('docs'), { recursive: true });
    expect(await undos.preview('call')).toEqual({ kind: 'conflict', paths: ['docs'] });
    await mkdir(at('docs'), { mode });
    expect(await undos.preview('call')).toEqual({ kind: 'conflict', paths: ['docs/new.txt'] });
    await put(at('docs/new.txt'), 'y');
    expect(await undos.preview('call')).toEqual({ kind: 'conflict', paths: ['docs/new.txt'] });
    await put(at('docs/new.txt'), 'x');
    await chmod(at('docs/new.txt'), 0o644);
    expect(await undo(undos, 'call')).toBe('done');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('[CHANGE10.4] keeps only as much as the limits allow', async () => {
    await put(at('large'), 'x'.repeat(2_000));
    const undoLimits = { ms: 3_600_000, bytes: 1_000, count: 2 };
    const undos = await write('large', '', 'large', { undoLimits });
    for (const id of ['1', '2', '3']) await write(`f${id}`, id, id, { undoLimits });
    expect((await undos.list()).map(({ invocationId }) => invocationId)).toEqual(['2', '3']);
    expect(await undos.preview('large')).toEqual({ kind: 'gone' });
  });

  it('[CHANGE10.1] writes even if nothing can be kept', async () => {
    await kept.remove();
    await put(kept.path, 'a file in its place');
    const undos = await write('a.txt', 'x', 'call');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('x');
    expect(await undos.preview('call')).toEqual({ kind: 'gone' });
    await appendFile(at('a.txt'), 'y');
  });

  it('[CHANGE10.1] keeps files in the user’s cache folder by default', async () => {
    const before = process.env['XDG_CACHE_HOME'];
    process.env['XDG_CACHE_HOME'] = kept.path;
    try {
      await put(at('a.txt'), 'old');
      const undos = await run(writeFile(), { path: 'a.txt', content: 'new' }, 'call');
      expect(readdirSync(kept.path)).toEqual([expect.stringMatching(/^countersign-drafts-/)]);
      // Another tool and the next start of the server find it too.
      expect(await undo(editFile().undos ?? undos, 'call')).toBe('done');
      expect(readFileSync(at('a.txt'), 'utf8')).toBe('old');
    } finally {
      if (before === undefined) delete process.env['XDG_CACHE_HOME'];
      else process.env['XDG_CACHE_HOME'] = before;
    }
  });

  it(
    '[CHANGE10.2] a process that is killed leaves the old or the new file, and what it kept can be undone',
    { timeout: 120_000 },
    async () => {
      for (let round = 0; round < (isFullSize ? 100 : 3); round += 1) {
        const child = spawn(process.execPath, [program, folder.path, kept.path], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const ended = once(child, 'exit');
        await once(child.stdout, 'data');
        // Stops after another number of bytes of output, or in the middle of the next call.
        for (let calls = 0; calls < round % 4; calls += 1) await once(child.stdout, 'data');
        child.kill('SIGKILL');
        await ended;
        const content = readFileSync(at('a/b/file'), 'utf8');
        expect([content.length, new Set(content).size]).toEqual([2_000_000, 1]);
        await sweepFolders({ folder: kept.path });
        expect(readdirSync(kept.path).filter((name) => name.startsWith('draft-'))).toEqual([]);
        const { undos } = writeFile(options);
        if (undos === undefined) throw new Error('nothing can be undone');
        const last = (await undos.list()).at(-1)?.invocationId ?? '';
        const found = await undos.preview(last);
        // It is a conflict if a later file was written and not kept.
        expect(['done', 'conflict']).toContain(found.kind === 'ready' ? await undo(undos, last) : found.kind);
        await rm(at('a'), { recursive: true, force: true });
        for (const name of readdirSync(kept.path)) await rm(join(kept.path, name), { recursive: true });
      }
    },
  );
});
