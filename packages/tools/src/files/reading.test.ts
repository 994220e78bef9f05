import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { tryTool, type Tried } from '../testing/try-tool.js';
import { grep } from './grep.js';
import { listFiles } from './list-files.js';
import { readFile } from './read-file.js';

let outside: TestFolder;
let workingDirectory: string;
beforeEach(async () => {
  outside = await makeFolder();
  workingDirectory = join(outside.path, 'work');
  await mkdir(workingDirectory);
  await writeFile(join(outside.path, 'secret'), 'SECRET\n');
});
afterEach(() => outside.remove());

const put = async (name: string, content: string | Buffer): Promise<void> => {
  await mkdir(join(workingDirectory, name, '..'), { recursive: true });
  await writeFile(join(workingDirectory, name), content);
};
const read = (args: Record<string, unknown>): Promise<Tried> => tryTool(readFile(), args, { workingDirectory });
const list = (args: Record<string, unknown> = {}): Promise<Tried> => tryTool(listFiles(), args, { workingDirectory });
const search = (args: Record<string, unknown>): Promise<Tried> => tryTool(grep(), args, { workingDirectory });
const refused = (words: string): object => ({ ok: false, error: expect.stringContaining(words) as string });

describe.each([
  ['read_file', (path: string) => read({ path })],
  ['list_files', (path: string) => list({ path })],
  ['grep', (path: string) => search({ path, pattern: 'SECRET' })],
])('%s stays in the working folder', (_name, use) => {
  it.each(['..', '../secret', '/etc/passwd', '/', 'a/../../secret', './../work/../secret', '../work-2'])(
    '[CALL1.3] %s is outside',
    async (path) => {
      expect(await use(path)).toMatchObject(refused('is outside the working folder'));
    },
  );

  it('[CALL1.3] follows no symlink to the outside, whether it is a file, a folder or a parent folder', async () => {
    await symlink('../secret', join(workingDirectory, 'file'));
    await symlink('..', join(workingDirectory, 'folder'));
    await symlink('/', join(workingDirectory, 'root'));
    for (const path of ['file', 'folder', 'folder/secret', 'root/etc/passwd', 'folder/srv/../secret']) {
      expect(await use(path)).toMatchObject({ ok: false });
    }
    expect(await use('folder/secret')).toMatchObject(refused('leads outside'));
  });

  it('[CALL1.3] reports the target of a symlink inside the folder, because rules judged the path as written', async () => {
    await put('secrets/key', 'x');
    await symlink('secrets', join(workingDirectory, 'link'));
    expect(await use('link/key')).toMatchObject(refused('is a link to "secrets/key"; use that path instead'));
  });

  it('explains symlink loops, missing files, long names and NUL characters', async () => {
    await symlink('b', join(workingDirectory, 'a'));
    await symlink('a', join(workingDirectory, 'b'));
    await put('file', 'x');
    expect(await use('a')).toMatchObject(refused('points back to itself'));
    expect(await use('missing')).toMatchObject(refused('"missing" does not exist'));
    expect(await use('file/below')).toMatchObject(refused('part of the path "file/below" is a file, not a folder'));
    expect(await use('n'.repeat(300))).toMatchObject(refused('too long'));
    expect(await use('x'.repeat(5_000))).toMatchObject(refused('path'));
    expect(await use('a\0b')).toMatchObject(refused('NUL'));
    expect(await use('')).toMatchObject(refused('path'));
  });

  it('refuses a working folder that was replaced by a symlink', async () => {
    const swapped = join(outside.path, 'swapped');
    await symlink('/etc', swapped);
    const tools = { read_file: readFile(), list_files: listFiles(), grep: grep() };
    const tool = tools[_name as keyof typeof tools];
    const args = { path: 'passwd', ...(_name === 'grep' && { pattern: 'root' }) };
    expect(await tryTool(tool, args, { workingDirectory: swapped })).toMatchObject(refused('was replaced by a link'));
  });

  it('[CALL1.3] its subject is the absolute, normalized path', () => {
    const tools = { read_file: readFile(), list_files: listFiles(), grep: grep() };
    const tool = tools[_name as keyof typeof tools];
    const subjects = (path: string): unknown => tool.subjects?.({ path, pattern: 'x' }, { workingDirectory: '/srv' });
    expect(subjects('a//b/./../c')).toEqual([{ kind: 'path', path: '/srv/a/c', argument: 'path' }]);
    expect(subjects('../.ssh/id')).toEqual([{ kind: 'path', path: '/.ssh/id', argument: 'path' }]);
    expect(subjects('/etc/passwd')).toEqual([{ kind: 'path', path: '/etc/passwd', argument: 'path' }]);
  });

  it('is read-only and runs without approval', () => {
    const tools = { read_file: readFile(), list_files: listFiles(), grep: grep() };
    const { definition } = tools[_name as keyof typeof tools];
    expect(definition).toMatchObject({ name: _name, readOnly: true });
    expect(definition.approval).toBeUndefined();
  });
});

describe('read_file', () => {
  it('returns a whole small file with its line count', async () => {
    await put('a.txt', 'one\ntwo\n');
    expect(await read({ path: 'a.txt' })).toEqual({
      ok: true,
      result: { path: 'a.txt', size: 8, firstLine: 1, lastLine: 2, content: 'one\ntwo\n' },
    });
  });

  it.each(['one\ntwo\n', 'one\ntwo', 'one\r\ntwo\r\n', 'one\n\n', '\n'])('returns %j exactly', async (text) => {
    await put('exact.txt', text);
    expect(await read({ path: 'exact.txt' })).toMatchObject({ result: { content: text } });
  });

  it('returns some lines and says where to continue', async () => {
    await put('a.txt', Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join(''));
    expect(await read({ path: 'a.txt', offset: 11, limit: 2 })).toMatchObject({
      result: {
        firstLine: 11,
        lastLine: 12,
        content: 'line 11\nline 12\n',
        note: 'there is more; continue at line 13',
      },
    });
    expect(await read({ path: 'a.txt', offset: 100 })).toMatchObject({
      result: { content: 'line 100\n', lastLine: 100 },
    });
    expect(await read({ path: 'a.txt', offset: 101 })).toMatchObject({
      result: { note: 'the file has only 100 lines' },
    });
    await put('empty', '');
    expect(await read({ path: 'empty' })).toMatchObject({ result: { content: '', note: 'the file is empty' } });
  });

  it('[TURN13] reads a long file in parts that contain every line exactly once', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `${index + 1} ${'é'.repeat(index % 90)}`);
    await put('long', lines.join('\n'));
    let seen = '';
    for (let offset = 1; ;) {
      const { result } = (await read({ path: 'long', offset })) as {
        result: { content: string; lastLine: number; note?: string };
      };
      expect(result.content.length).toBeLessThan(50_000);
      seen += result.content;
      if (result.note === undefined) break;
      expect(result.note).toBe(`there is more; continue at line ${result.lastLine + 1}`);
      offset = result.lastLine + 1;
    }
    expect(seen).toBe(lines.join('\n'));
  });

  it('reads only the part it needs from a one-gigabyte file', async () => {
    await put('huge', 'first\nsecond\n'.padEnd(20_000, 'x'));
    const handle = await open(join(workingDirectory, 'huge'), 'r+');
    await handle.truncate(1024 ** 3);
    await handle.close();
    expect(await read({ path: 'huge', limit: 2 })).toMatchObject({
      result: { size: 1024 ** 3, content: 'first\nsecond\n', note: 'there is more; continue at line 3' },
    });
    expect(await read({ path: 'huge', offset: 4 })).toMatchObject({
      result: {
        note: expect.stringMatching(/^line 4 is beyond the first \d+ bytes of a file of 1073741824 bytes/) as string,
      },
    });
    expect(await read({ path: 'huge', offset: 3 })).toMatchObject({
      result: { note: expect.stringMatching(/^line 3 has \d+ bytes and was truncated; only the first/) as string },
    });
    await put('zeros', '');
    const zeros = await open(join(workingDirectory, 'zeros'), 'r+');
    await zeros.truncate(1024 ** 3);
    await zeros.close();
    expect(await read({ path: 'zeros' })).toMatchObject({
      result: { note: expect.stringContaining('binary') as string },
    });
  });

  it('reports binary files and other encodings', async () => {
    await put('image', Buffer.from([0x89, 0x50, 0, 1, 2]));
    expect(await read({ path: 'image' })).toEqual({
      ok: true,
      result: { path: 'image', size: 5, note: 'this is a binary file, so its content is not shown' },
    });
    await put('latin', Buffer.from('caf\xe9\n', 'latin1'));
    expect(await read({ path: 'latin' })).toMatchObject({
      result: { content: 'caf\uFFFD\n', note: 'some characters are not UTF-8 and were replaced' },
    });
  });

  it('refuses folders, pipes, sockets and devices without blocking', async () => {
    await mkdir(join(workingDirectory, 'folder'));
    expect(await read({ path: 'folder' })).toMatchObject(refused('is a folder'));
    execFileSync('mkfifo', [join(workingDirectory, 'pipe')]);
    expect(await read({ path: 'pipe' })).toMatchObject(refused('is not a regular file'));
    const server = createServer().listen(join(workingDirectory, 'socket'));
    await once(server, 'listening');
    expect(await read({ path: 'socket' })).toMatchObject(refused('is not a regular file'));
    server.close();
    expect(await tryTool(readFile(), { path: 'null' }, { workingDirectory: '/dev' })).toMatchObject(
      refused('is not a regular file'),
    );
  });
});

describe('list_files', () => {
  beforeEach(async () => {
    await put('src/a.ts', '');
    await put('src/deep/er/b.ts', '');
    await put('.hidden/x', '');
    await put('node_modules/pkg/index.js', '');
    await symlink('..', join(workingDirectory, 'up'));
  });

  it('shows one level, marks folders and symlinks, and omits hidden names', async () => {
    expect(await list()).toMatchObject({ result: { path: '.', entries: ['node_modules/', 'src/', 'up@'] } });
    expect(await list({ path: 'src' })).toMatchObject({ result: { entries: ['src/a.ts', 'src/deep/'] } });
  });

  it('lists subfolders on request, but follows no symlinks and skips node_modules', async () => {
    const entries = ['node_modules/', 'src/', 'src/a.ts', 'src/deep/', 'src/deep/er/', 'src/deep/er/b.ts', 'up@'];
    expect(await list({ depth: 10 })).toMatchObject({ result: { entries } });
    expect(await list({ path: 'node_modules', depth: 2 })).toMatchObject({
      result: { entries: ['node_modules/pkg/', 'node_modules/pkg/index.js'] },
    });
    expect(await list({ hidden: true, depth: 2 })).toMatchObject({
      result: { entries: expect.arrayContaining(['.hidden/x']) as string[] },
    });
  });

  it('truncates a long list and says so', async () => {
    const names = Array.from({ length: 1_100 }, (_, index) => `crowd/${String(index).padStart(4, '0')}`);
    await mkdir(join(workingDirectory, 'crowd'));
    await Promise.all(names.map((name) => writeFile(join(workingDirectory, name), '')));
    const { result } = (await list({ path: 'crowd' })) as { result: { entries: string[]; note: string } };
    expect(result.entries).toEqual(names.slice(0, 1_000));
    expect(result.note).toContain('there are more');
  });
});

describe('grep', () => {
  beforeEach(async () => {
    await put('a.ts', 'const a = 1;\nlet needle = a.b(c);\n');
    await put('sub/b.md', 'a NEEDLE here\n');
    await put('.env', 'needle=hidden\n');
    await put('node_modules/x.js', 'needle\n');
    await put('image', Buffer.from('needle\0needle'));
  });

  it('finds literal text', async () => {
    expect(await search({ pattern: 'needle' })).toEqual({
      ok: true,
      result: {
        matches: ['a.ts:2: let needle = a.b(c);'],
        searched: 2,
        note: '1 binary, large or unreadable file was skipped',
      },
    });
    expect(await search({ pattern: 'a.b(c' })).toMatchObject({ result: { matches: ['a.ts:2: let needle = a.b(c);'] } });
    expect(await search({ pattern: '.*' })).toMatchObject({ result: { matches: [] } });
  });

  it('supports regular expressions, case-insensitive search, hidden files, a path and a name filter', async () => {
    expect(await search({ pattern: 'n[e]+dle\\s', regex: true, ignoreCase: true })).toMatchObject({
      result: { matches: ['a.ts:2: let needle = a.b(c);', 'sub/b.md:1: a NEEDLE here'] },
    });
    expect(await search({ pattern: 'needle', ignoreCase: true, include: '*.md' })).toMatchObject({
      result: { matches: ['sub/b.md:1: a NEEDLE here'] },
    });
    expect(await search({ pattern: 'needle', hidden: true, include: '.*' })).toMatchObject({
      result: { matches: ['.env:1: needle=hidden'] },
    });
    expect(await search({ pattern: 'needle', path: 'node_modules' })).toMatchObject({
      result: { matches: ['node_modules/x.js:1: needle'] },
    });
    expect(await search({ pattern: 'needle', path: 'a.ts' })).toMatchObject({ result: { searched: 1 } });
  });

  it('stops a regex that takes too long and refuses an invalid one', async () => {
    await put('evil', `${'a'.repeat(60)}!\n`);
    const tried = await tryTool(grep({ regexLimitMs: 200 }), { pattern: '^(a+)+$', regex: true }, { workingDirectory });
    expect(tried).toMatchObject(refused('took longer than 0.2 seconds'));
    expect(await search({ pattern: '(', regex: true })).toMatchObject(refused('Unterminated group'));
  });

  it('truncates many matches and long lines, skips huge files, and says so', async () => {
    await put('many', 'needle\n'.repeat(500));
    expect(await search({ pattern: 'needle', path: 'many' })).toMatchObject({
      result: { matches: { length: 200 }, note: 'only the first 200 matches are shown; there may be more' },
    });
    await put('wide', `needle${'x'.repeat(5_000)}`);
    const { result } = (await search({ pattern: 'needle', path: 'wide' })) as { result: { matches: string[] } };
    expect(result.matches[0]?.length).toBeLessThan(400);
    await put('big', 'needle\n'.padEnd(9 * 1024 * 1024, 'x'));
    expect(await search({ pattern: 'needle', path: 'big' })).toMatchObject({ result: { matches: [], searched: 0 } });
  });

  it('skips files that can’t be opened', async () => {
    await put('closed', 'needle');
    await chmod(join(workingDirectory, 'closed'), 0);
    expect(await search({ pattern: 'needle', include: 'c*' })).toMatchObject({ ok: true });
  });
});
