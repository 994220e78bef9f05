import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '@countersign/core/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellCmd } from '../../../shell/shell-cmd.js';
import type { ShellOptions } from '../../../shell/shell-options.js';
import { onCopies } from '../../../testing/find-sandboxes.js';
import { makeFolder, type TestFolder } from '../../../../../../tests/support/make-folder.js';
import { tryTool, type Tried } from '../../../testing/try-tool.js';
import { sharedSandbox } from '../../../testing/shared-sandbox.js';
import { ChangeConflict, removeTree } from '@countersign/changes';
import { openDraft, type Draft, type DraftOptions } from '../open-draft.js';

const found = await sharedSandbox();

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(found.kind !== 'bubblewrap')('[CHANGE1.1] a draft that is a copy', () => {
  if (found.kind !== 'bubblewrap') return;
  const { drafting, ...rest } = onCopies(found);
  let top: TestFolder;
  let folder: string;
  let drafts: string;
  let options: ShellOptions;
  beforeEach(async () => {
    top = await makeFolder();
    [folder, drafts] = [join(top.path, 'folder'), join(top.path, 'drafts')];
    for (const path of [folder, drafts]) await mkdir(path, { mode: 0o700 });
    options = { sandbox: { ...rest, drafting: { ...drafting, folder: drafts } } };
  });
  // Not `rm`: only root can empty a read-only folder with it.
  afterEach(() => removeTree(top.path));

  const sh = (command: string, cwd = folder): string =>
    execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' });
  const left = (): string[] => readdirSync(drafts).filter((name) => /^(?:draft|rehearsal)-/.test(name));
  const run = (command: string, more: Partial<ShellOptions> = {}): Promise<Tried> =>
    tryTool(shellCmd({ ...options, ...more }), { command }, { workingDirectory: folder });
  const open = (more: DraftOptions = {}): Promise<Draft> => openDraft({ ...drafting, folder: drafts }, folder, more);
  /** Where the command would write. */
  const copyOf = ({ place }: Draft): string => place[1] ?? '';
  const reason = async (command: string, more: Partial<ShellOptions> = {}): Promise<unknown> => {
    const context = { worldId: 'w', agentId: 'a', chatId: 'c', invocationId: 'call' };
    const about = { ...context, workingDirectory: folder, signal: new AbortController().signal };
    const rehearsal = await shellCmd({ ...options, ...more }).rehearsals?.rehearse({ command }, about);
    return rehearsal?.fingerprint === undefined ? rehearsal?.noEffect.reason : rehearsal.effect.files;
  };

  it('has the same names, contents, modes, times and links, also for names that are not UTF-8', async () => {
    sh(`mkdir -p a/b; echo x > a/b/x; chmod 640 a/b/x; touch -d '2001-02-03 04:05:06.789' a/b/x a/b; chmod 500 a/b
      ln -s ../nowhere a/link; echo y > $'a/\\xff'; : > empty; ln a/b/x hard; chmod 2750 a`);
    const list = `find . -printf '%P %y %l %m %s %u %g %TY%Tm%Td%TH%TM%.6TS\\n' | grep -av '^ ' | LC_ALL=C sort; cat a/b/x $'a/\\xff'`;
    const draft = await open();
    expect(sh(list, copyOf(draft))).toBe(sh(list));
    await draft.plan(({ plan }) => {
      expect(plan).toMatchObject({ inner: [], steps: [] });
      return Promise.resolve();
    });
    await draft.discard();
    expect(left()).toEqual([]);
  });

  it('contains a change that keeps the size and the times', async () => {
    sh('echo old > f; echo old > g');
    expect(await run("echo new > f; touch -d '2001-01-01' f g")).toMatchObject({ ok: true });
    expect(await run('cp -p f saved; echo bad > f; touch -r saved f; rm saved')).toMatchObject({ ok: true });
    expect(sh('cat f g; stat -c %Y f g')).toBe(
      'bad\nold\n978307200\n978307200\n'.replaceAll('978307200', sh("date -d '2001-01-01' +%s").trim()),
    );
  });

  it('doesn’t follow a symlink that replaces a file or a folder while it is copied', async () => {
    sh('mkdir d ../outside; echo a > d/secret; echo a > file; head -c 2000000 /dev/zero > large');
    sh('echo SECRET > ../outside/secret');
    const swap = (path: string): void => {
      renameSync(join(folder, path), join(top.path, `moved-${path}`));
      symlinkSync(join(top.path, path === 'd' ? 'outside' : 'outside/secret'), join(folder, path));
    };
    const draft = await open({
      beforeOpen: (path) => (['d', 'file', 'large'].includes(path) ? swap(path) : undefined),
    });
    expect(sh('cat d/* file large 2> /dev/null; true', copyOf(draft))).toBe('');
    expect(sh('find . -type l', copyOf(draft))).toBe('');
    await draft.discard();
  });

  it('copies large files, with their modes and times', async () => {
    sh("head -c 3000000 /dev/urandom > large; chmod 751 large; touch -d '2001-01-01' large");
    const draft = await open();
    const about = 'sha256sum large; stat -c "%a %Y" large';
    expect(sh(about, copyOf(draft))).toBe(sh(about));
    await draft.discard();
  });

  it('[CHANGE2] conflicts with what others change while the folder is copied, and overwrites nothing', async () => {
    for (const change of ['echo theirs > f', 'echo theirs > new', 'mv other f', 'echo theirs > d/f']) {
      sh('mkdir -p d; rm -f new; echo old > f; echo other > other; echo old > d/f');
      const draft = await open({ beforeOpen: (path) => (path === 'other' ? void sh(change) : undefined) });
      sh('echo ours > f; echo ours > new; rm -r d', copyOf(draft));
      await expect(draft.accept()).rejects.toThrow(ChangeConflict);
      await draft.discard();
      expect(sh('cat f d/f; cat new 2> /dev/null; true')).not.toContain('ours');
    }
    expect(left()).toEqual([]);
  });

  it('[CHANGE2] ignores what others change in paths that the command doesn’t use', async () => {
    sh('echo old > f; echo old > other');
    const draft = await open({ beforeOpen: (path) => (path === 'other' ? void sh('echo theirs > other') : undefined) });
    sh('echo theirs > later');
    sh('echo ours > f', copyOf(draft));
    await draft.accept();
    await draft.discard();
    expect(sh('cat f other later')).toBe('ours\ntheirs\ntheirs\n');
  });

  it('doesn’t contain what a rule hides, and the folder around it can’t be moved', async () => {
    sh('mkdir -p sub/deep secrets; echo SECRET > sub/deep/key; echo SECRET > secrets/key; echo x > sub/x');
    const isProtected = (path: string): boolean => path.endsWith('/deep/key') || path.endsWith('/secrets');
    const protectedPaths = {
      isProtected,
      mayHold: (path: string) => (path.startsWith(folder) ? 'anything' : 'nothing') as 'anything',
    };
    const command = `cat sub/deep/key secrets/* 2>&1; mv sub moved; mv sub/deep moved; rm -rf sub secrets; echo y > y; ls -A . sub; echo written; sleep 1000`;
    const stop = new AbortController();
    let copied = '';
    const output = (text: string): void => {
      if (!text.includes('written')) return;
      copied += sh('cat draft-*/copy/sub/deep/key draft-*/copy/secrets/* 2> /dev/null; true', drafts);
      stop.abort();
    };
    const about = { workingDirectory: folder, signal: stop.signal, output, protectedPaths };
    const tried = await tryTool(shellCmd(options), { command }, about);
    expect(JSON.stringify(tried)).not.toContain('SECRET');
    expect(copied).toBe('');
    expect(sh('cat sub/deep/key secrets/key y; grep -rl SECRET . | sort')).toBe(
      'SECRET\nSECRET\ny\n./secrets/key\n./sub/deep/key\n',
    );
  });

  it('[CHANGE1.3] has an empty file in place of a socket or pipe, which a command can remove but not use', async () => {
    sh('mkfifo pipe; mkdir d; mkfifo d/pipe');
    const server = createServer().listen(join(folder, 'socket'));
    expect(await run('echo x > x')).toMatchObject({ ok: true, result: { exitCode: 0 } });
    expect(sh('ls -F')).toBe('d/\npipe|\nsocket=\nx\n');
    for (const command of ['echo lost > pipe', 'mv pipe moved', 'mv d moved', 'chmod 600 pipe; chmod 777 d/pipe']) {
      const error = expect.stringContaining('can only be removed') as string;
      expect(await run(`echo y > y; ${command}`)).toMatchObject({ ok: false, error });
      expect(sh('ls -F')).toBe('d/\npipe|\nsocket=\nx\n');
    }
    expect(await run('rm pipe; rm -r d; echo new > new; echo file > pipe')).toMatchObject({ ok: true });
    expect(sh('ls -F; cat pipe')).toBe('new\npipe\nsocket=\nx\nfile\n');
    server.close();
    expect(left()).toEqual([]);
  });

  it('[CHANGE1.3] has empty ones in place of files and folders that can’t be read; root can read them all', async () => {
    const isRoot = process.getuid?.() === 0;
    sh('echo precious > f; mkdir d; echo precious > d/f; chmod 0 f; chmod 300 d');
    expect(await run('echo x > x')).toMatchObject({ ok: true, result: { exitCode: 0 } });
    const commands = [
      'chmod 600 f; echo more >> f',
      'mv f g',
      'mv d e',
      'mkdir e; mv d e/d',
      'chmod 700 d; rmdir d; mkdir d',
      'echo new > d/new',
    ];
    for (const command of isRoot ? [] : commands) expect(await run(command)).toMatchObject({ ok: false });
    expect(await run('chmod 600 f; cp f g; cp d/f h')).toMatchObject({ ok: isRoot });
    expect(sh('cat g h 2> /dev/null; true')).toBe(isRoot ? 'precious\nprecious\n' : '');
    expect(sh('chmod 600 f; chmod 700 d; cat f d/*')).toBe('precious\nprecious\n');
  });

  it('leaves out devices that look like a marker for a removed path', async () => {
    sh('echo x > x');
    await run('rm x; mknod x c 0 0; mkdir d; mknod d/y c 0 0; echo z > d/z; true');
    expect(sh('ls -A . d')).toContain('z');
    expect(lstatSync(join(folder, 'd')).isDirectory()).toBe(true);
    expect(existsSync(join(folder, 'd', 'y'))).toBe(false);
  });

  it('[CHANGE1.2] [CHANGE6.3] has a limit: a larger folder is not rehearsed, a still larger one runs no commands', async () => {
    sh('mkdir d; for i in {1..30}; do echo x > d/$i; done');
    const small = { draftLimits: { bytes: 1024 ** 2, files: 20 } };
    expect(await reason('echo y > y', small)).toBe('folder-too-large');
    const tried = await run('echo y > y', small);
    expect(tried).toMatchObject({
      ok: false,
      error: expect.stringMatching(/nothing ran.* 1 MiB in 20 files/) as string,
    });
    sh('rm -r d; truncate -s 300M sparse');
    expect(await reason('echo y > y')).toBe('folder-too-large');
    expect(left().filter((name) => name.startsWith('draft-'))).toEqual([]);
    expect(existsSync(join(folder, 'y'))).toBe(false);
    // A run may copy more than a rehearsal.
    expect(await run('echo y > y')).toMatchObject({ ok: true });
    expect(readFileSync(join(folder, 'y'), 'utf8')).toBe('y\n');
    expect(statSync(join(folder, 'sparse')).size).toBe(300 * 1024 ** 2);
  });

  it('[CHANGE8] stops copying when a rehearsal takes too long', async () => {
    sh('for i in {1..10}; do echo x > $i; done');
    // The time is up before anything is copied.
    const clock: Clock = {
      now: () => 0,
      after: (_, act) => {
        act();
        return () => undefined;
      },
    };
    expect(await reason('echo y > y', { clock })).toBe('too-long');
    expect(left().filter((name) => name.startsWith('draft-'))).toEqual([]);
  });

  it('stops copying if the call is stopped, and leaves nothing behind', async () => {
    writeFileSync(join(folder, 'f'), 'x');
    const stop = new AbortController();
    await expect(open({ signal: stop.signal, beforeOpen: () => stop.abort() })).resolves.toBeDefined();
    writeFileSync(join(folder, 'g'), 'x');
    await expect(open({ signal: stop.signal })).rejects.toThrow(/aborted/);
    expect(left()).toHaveLength(1);
  });
});
