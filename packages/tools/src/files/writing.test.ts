import { chmod, mkdir, readdir, readFile as readBack, stat, symlink, writeFile as putBack } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from '@countersign/core/ports';
import { describeEffect, effectSchema, type Effect } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { tryTool, type Tried } from '../testing/try-tool.js';
import { editFile } from './edit-file.js';
import { writeFile } from './write-file.js';

let outside: TestFolder;
let workingDirectory: string;
beforeEach(async () => {
  outside = await makeFolder();
  workingDirectory = join(outside.path, 'work');
  await mkdir(workingDirectory);
});
afterEach(() => outside.remove());

const put = (name: string, content: string | Buffer): Promise<void> => putBack(join(workingDirectory, name), content);
const get = (name: string): Promise<string> => readBack(join(workingDirectory, name), 'utf8');
const write = (path: string, content: string): Promise<Tried> =>
  tryTool(writeFile(), { path, content }, { workingDirectory });
const edit = (path: string, oldText: string, newText: string): Promise<Tried> =>
  tryTool(editFile(), { path, oldText, newText }, { workingDirectory });
const refused = (words: string): object => ({ ok: false, error: expect.stringContaining(words) as string });

const fingerprint = async (tool: Tool, args: unknown): Promise<string | undefined> =>
  await tool.fingerprint?.(args, { workingDirectory });

describe('write_file', () => {
  it('creates a file and its parent folders', async () => {
    expect(await write('a/b/c.txt', 'é\n')).toEqual({
      ok: true,
      result: { path: 'a/b/c.txt', created: true, bytes: 3 },
    });
    expect(await get('a/b/c.txt')).toBe('é\n');
  });

  it('[EXT1.18] refuses a path of hundreds of folders, because the card would show each of them', async () => {
    expect(await write(`${'a/'.repeat(199)}x`, '')).toMatchObject({ ok: true });
    expect(await write(`${'b/'.repeat(200)}x`, '')).toEqual(refused('at most 200 parts'));
  });

  it('replaces a file atomically, keeps its mode and leaves no temporary file', async () => {
    await put('run.sh', 'old');
    await chmod(join(workingDirectory, 'run.sh'), 0o750);
    const before = await stat(join(workingDirectory, 'run.sh'));
    expect(await write('run.sh', 'new')).toMatchObject({ ok: true, result: { created: false } });
    const after = await stat(join(workingDirectory, 'run.sh'));
    expect(after.mode).toBe(before.mode);
    expect(after.ino).not.toBe(before.ino);
    expect(await readdir(workingDirectory)).toEqual(['run.sh']);
  });

  it.each(['../x', '/tmp/x', 'a/../../x', '.', 'folder/', 'folder', 'x\0y', '', 'n'.repeat(300), 'file/below'])(
    'refuses %j and writes nothing',
    async (path) => {
      await mkdir(join(workingDirectory, 'folder'));
      await put('file', 'kept');
      expect(await write(path, 'x')).toMatchObject({ ok: false });
      expect(await readdir(outside.path)).toEqual(['work']);
      expect(await readdir(workingDirectory, { recursive: true })).toEqual(['file', 'folder']);
      expect(await get('file')).toBe('kept');
    },
  );

  it('[CALL1.3] never writes through a symlink, whether it points outside or inside', async () => {
    await putBack(join(outside.path, 'victim'), 'safe');
    await mkdir(join(workingDirectory, '.git'));
    await symlink('../victim', join(workingDirectory, 'file'));
    await symlink('..', join(workingDirectory, 'folder'));
    await symlink('.git', join(workingDirectory, 'harmless'));
    await symlink('../new', join(workingDirectory, 'dangling'));
    expect(await write('file', 'x')).toMatchObject(refused('leads outside'));
    expect(await write('folder/victim', 'x')).toMatchObject(refused('leads outside'));
    expect(await write('folder/made/new', 'x')).toMatchObject(refused('leads outside'));
    expect(await write('dangling', 'x')).toMatchObject(refused('leads outside'));
    expect(await write('harmless/config', 'x')).toMatchObject(refused('"harmless" is a link to ".git"'));
    expect(await readBack(join(outside.path, 'victim'), 'utf8')).toBe('safe');
    expect((await readdir(outside.path)).sort()).toEqual(['victim', 'work']);
  });

  it('[CALL7.1] the fingerprint covers the old content, or its absence, and the path', async () => {
    const args = { path: 'a.txt', content: 'new' };
    const absent = await fingerprint(writeFile(), args);
    await put('a.txt', '');
    const empty = await fingerprint(writeFile(), args);
    await put('a.txt', 'one');
    const one = await fingerprint(writeFile(), args);
    await put('a.txt', 'two');
    const two = await fingerprint(writeFile(), args);
    expect(new Set([absent, empty, one, two]).size).toBe(4);
    await put('a.txt', 'one');
    expect(await fingerprint(writeFile(), args)).toBe(one);
    await put('b.txt', 'one');
    expect(await fingerprint(writeFile(), { ...args, path: 'b.txt' })).not.toBe(one);
  });

  it('[CALL7] a write that is bound to fail can’t be approved', async () => {
    await symlink('..', join(workingDirectory, 'up'));
    await expect(fingerprint(writeFile(), { path: 'up/x', content: '' })).rejects.toThrow('leads outside');
    await expect(fingerprint(writeFile(), { path: '../x', content: '' })).rejects.toThrow('is outside');
  });

  it('[CALL1.3, RULE2] its subject is the path; a file that runs later outside the sandbox is also dynamic, in any letter case', () => {
    const subjects = (path: string): unknown =>
      writeFile().subjects?.({ path, content: '' }, { workingDirectory: '/srv' });
    expect(subjects('src/../a.ts')).toEqual([{ kind: 'path', path: '/srv/a.ts', argument: 'path' }]);
    for (const path of [
      '.git/config',
      'sub/.git/hooks/pre-commit',
      '.GIT/config',
      '.vscode/tasks.json',
      '.husky/pre-push',
      '.envrc',
      '.g\u200cit/config',
      'my.code-workspace',
      'sub/HEAD',
      '.mcp.json',
      'GIT~1/config',
    ]) {
      expect(subjects(path)).toEqual([
        { kind: 'path', path: `/srv/${path}`, argument: 'path' },
        { kind: 'dynamic', always: true, why: { code: 'runs-later', path: expect.any(String) as string } },
      ]);
    }
    expect(subjects('.github/x.gitignore')).toHaveLength(1);
  });

  it('[CHANGE1] refuses Git configuration under a name other than .git, and files inside a repository', async () => {
    await mkdir(join(workingDirectory, 'store', 'objects'), { recursive: true });
    await mkdir(join(workingDirectory, 'store', 'refs'));
    await put('store/HEAD', 'ref: refs/heads/main\n');
    expect(await write('store/config', 'x')).toMatchObject(refused('belongs to a repository'));
    expect(await write('store/hooks/update', 'x')).toMatchObject(refused('belongs to a repository'));
    expect(await write('store/notes', 'x')).toMatchObject({ ok: true });
    await mkdir(join(workingDirectory, 'half'));
    await put('half/HEAD', 'ref: refs/heads/main\n');
    expect(await write('half/objects/x', 'x')).toMatchObject(refused('belongs to a repository'));
    expect(await readdir(join(workingDirectory, 'half'))).toEqual(['HEAD']);
  });

  it('[CHANGE5] refuses files that the repository’s configuration names', async () => {
    await mkdir(join(workingDirectory, '.git'));
    await put('.git/config', '[core]\n\thooksPath = "tools/hooks"\n[include]\n\tpath = ../shared.cfg\n');
    expect(await write('tools/hooks/pre-commit', 'x')).toMatchObject(refused("named in Git's configuration"));
    expect(await write('shared.cfg', 'x')).toMatchObject(refused("named in Git's configuration"));
    expect(await write('tools/other', 'x')).toMatchObject({ ok: true });
  });

  it('shows the change before anyone approves it', async () => {
    await put('a.txt', 'one\ntwo\nthree\n');
    const place = { workingDirectory };
    expect(await writeFile().preview?.({ path: 'a.txt', content: 'one\n2\nthree\n' }, place)).toMatchObject({
      text: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three',
      truncated: false,
    });
    expect(await writeFile().preview?.({ path: 'new', content: 'x' }, place)).toMatchObject({
      text: '--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file',
      truncated: false,
    });
    await put('image', Buffer.from([1, 0, 2]));
    expect(await writeFile().preview?.({ path: 'image', content: 'x' }, place)).toMatchObject({
      text: expect.stringContaining('a binary file of 3 bytes is replaced') as string,
      truncated: true,
    });
  });

  it('[CHANGE7] says what it will do: the file, new folders, and a hash of the old and the new content', async () => {
    const effectOf = async (tool: Tool, args: unknown): Promise<Effect> => {
      const preview = await tool.preview?.(args, { workingDirectory });
      if (typeof preview !== 'object' || !('effect' in preview)) throw new Error('a file tool knows its effect');
      return effectSchema.parse(preview.effect);
    };
    const added = await effectOf(writeFile(), { path: './docs/a/../b/new.txt', content: 'x\n' });
    expect(added).toMatchObject({ leftOut: [], exitCode: 0, output: '', truncated: false });
    expect(added.files).toEqual([
      { path: 'docs', change: 'added', kind: 'folder' },
      { path: 'docs/b', change: 'added', kind: 'folder' },
      {
        path: 'docs/b/new.txt',
        change: 'added',
        kind: 'file',
        bytes: 2,
        diff: '--- /dev/null\n+++ b/docs/b/new.txt\n@@ -0,0 +1 @@\n+x',
        lines: { added: 1, removed: 0 },
      },
    ]);
    expect(describeEffect(added)).toBe('Adds 1 file and 2 folders');
    expect(await readdir(workingDirectory)).not.toContain('docs');

    await put('a.txt', 'one\n');
    const edit = { path: 'a.txt', oldText: 'one', newText: 'two' };
    const changed = await effectOf(editFile(), edit);
    expect(describeEffect(changed)).toBe('Changes 1 file');
    expect(changed.files[0]?.diff).toContain('-one\n+two');
    expect(describeEffect(await effectOf(writeFile(), { path: 'a.txt', content: 'one\n' }))).toBe('Changes no files');
    expect(await effectOf(editFile(), edit)).toEqual(changed);
    expect((await effectOf(writeFile(), { path: 'a.txt', content: 'two\n' })).effectHash).toBe(changed.effectHash);
    expect((await effectOf(writeFile(), { path: 'a.txt', content: 'two' })).effectHash).not.toBe(changed.effectHash);
    await put('a.txt', 'one\n\n');
    expect((await effectOf(writeFile(), { path: 'a.txt', content: 'two\n' })).effectHash).not.toBe(changed.effectHash);

    await put('image', Buffer.from([1, 0, 2]));
    const replaced = await effectOf(writeFile(), { path: 'image', content: 'x' });
    expect(replaced).toMatchObject({ files: [{ path: 'image', change: 'changed', bytes: 1 }], truncated: true });
    expect(replaced.files[0]).not.toHaveProperty('diff');
    expect(replaced.files[0]?.noDiff).toBe('binary');
    // The card shows it first, and in red.
    const hook = await effectOf(writeFile(), { path: '.husky/pre-commit', content: 'x' });
    expect(hook.files.map(({ runsLater }) => runsLater)).toEqual([true, true]);
  });

  it('needs approval', () => {
    expect(writeFile().definition.approval?.required).toBe(true);
    expect(editFile().definition.approval?.required).toBe(true);
  });
});

describe('edit_file', () => {
  it('replaces the passage and shows the change', async () => {
    await put('a.ts', 'let a = 1;\nlet b = 2;\n');
    expect(await edit('a.ts', 'b = 2', 'b = $& 3')).toMatchObject({
      ok: true,
      result: { path: 'a.ts', diff: expect.stringContaining('-let b = 2;\n+let b = $& 3;') as string },
    });
    expect(await get('a.ts')).toBe('let a = 1;\nlet b = $& 3;\n');
  });

  it('explains failures: not found, found more than once, no change, no file, binary', async () => {
    await put('a', 'x = 1\r\nx = 1\r\ny\r\nz\r\n');
    expect(await edit('a', 'x = 1', 'x')).toMatchObject(refused('more than once (lines 1 and 2)'));
    expect(await edit('a', 'nowhere', 'x')).toMatchObject(refused('was not found in "a"; read the file again'));
    expect(await edit('a', 'y\nz', 'x')).toMatchObject(refused('its lines end with \\r\\n'));
    expect(await edit('a', 'x  =  1', 'x')).toMatchObject(refused('with different whitespace'));
    expect(await edit('a', 'y', 'y')).toMatchObject(refused('is the same as oldText'));
    expect(await edit('a', '', 'y')).toMatchObject(refused('oldText'));
    expect(await edit('missing', 'x', 'y')).toMatchObject(refused('does not exist'));
    await put('overlap', 'aaa');
    expect(await edit('overlap', 'aa', 'b')).toMatchObject(refused('more than once'));
    await put('latin', Buffer.from('caf\xe9', 'latin1'));
    expect(await edit('latin', 'caf', 'x')).toMatchObject(refused('not UTF-8'));
    expect(await get('overlap')).toBe('aaa');
  });

  it('keeps every other byte', async () => {
    const before = '\uFEFFone\r\ntwo\n\n  end without a line feed';
    await put('a', before);
    await edit('a', 'two', 'TWO');
    expect(await get('a')).toBe(before.replace('two', 'TWO'));
  });

  it('[CALL7] an edit that doesn’t apply can’t be approved, and the call hash of one that does covers the whole file', async () => {
    await put('a', 'one two');
    const args = { path: 'a', oldText: 'one', newText: '1' };
    const first = await fingerprint(editFile(), args);
    await put('a', 'one three');
    expect(await fingerprint(editFile(), args)).not.toBe(first);
    await put('a', 'none');
    expect(await fingerprint(editFile(), args)).toBeDefined();
    await put('a', 'gone');
    await expect(fingerprint(editFile(), { ...args, oldText: 'absent' })).rejects.toThrow('was not found in');
  });
});
