import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFakeClock } from '@countersign/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedSandbox } from '../testing/shared-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { processesIn, tryTool, type Tried } from '../testing/try-tool.js';
import { shellCmd } from './shell-cmd.js';
import type { ShellOptions } from './shell-options.js';

const found = await sharedSandbox();
const none: Sandbox = { kind: 'none', reason: 'left out on purpose' };
const both: [string, Sandbox][] =
  found.kind === 'none'
    ? [['no sandbox', none]]
    : [
        [found.kind, found],
        ['no sandbox', none],
      ];

describe.each(both)('shell_cmd with %s', (_name, sandbox) => {
  let folder: TestFolder;
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => folder.remove());

  const run = (command: string, more: Partial<ShellOptions> = {}, parameters?: string[]): Promise<Tried> =>
    tryTool(
      shellCmd({ sandbox, ...more }),
      { command, ...(parameters && { parameters }) },
      { workingDirectory: folder.path },
    );
  const shell = async (command: string, parameters?: string[]): Promise<string> => {
    const tried = await run(command, {}, parameters);
    return (tried.result as { stdout: string } | undefined)?.stdout ?? (tried.ok ? '' : tried.error);
  };

  it('[TURN15.1] returns exit code, stdout and stderr', async () => {
    expect(await run('echo out; echo err >&2')).toEqual({
      ok: true,
      result: { exitCode: 0, stdout: 'out\n', stderr: 'err\n' },
    });
  });

  it('[TURN15.1] a non-zero exit code is a failure that includes the output', async () => {
    expect(await run('echo before; exit 3')).toEqual({
      ok: false,
      error: 'the command exited with code 3',
      result: { exitCode: 3, stdout: 'before\n', stderr: '' },
    });
  });

  it('[TURN15.1] a command killed by a signal has exit code 128 plus its number', async () => {
    expect(await run('kill -TERM $$')).toMatchObject({ ok: false, result: { exitCode: 143 } });
    expect(await run('kill -KILL $$')).toMatchObject({ ok: false, result: { exitCode: 137 } });
    expect(await run('no-such-program-anywhere')).toMatchObject({ ok: false, result: { exitCode: 127 } });
    expect(await run('echo "')).toMatchObject({ ok: false, result: { exitCode: 2 } });
  });

  it('[TURN15.2] bash expands nothing in parameters', async () => {
    const odd = [
      `$(touch made)`,
      '`touch made`',
      '; touch made',
      `it's "quoted"`,
      '$HOME',
      '*',
      '',
      ' a  b ',
      '-n',
      '\\',
      'line\nline',
    ];
    expect(await shell(`printf '<%s>'`, odd)).toBe(odd.map((word) => `<${word}>`).join(''));
    expect(await shell('ls')).toBe('');
  });

  it('[TURN15] runs in the working folder, and the files it writes are kept', async () => {
    expect(await shell('pwd')).toBe(`${folder.path}\n`);
    await run('echo kept > file');
    expect(await readFile(join(folder.path, 'file'), 'utf8')).toBe('kept\n');
  });

  it('[TURN15.2] reads no start-up files', async () => {
    await writeFile(join(folder.path, '.bashrc'), 'echo read');
    expect(await shell('echo $BASH_ENV; shopt -q login_shell || echo no login')).toBe('\nno login\n');
  });

  it('[MCP1.1] has none of our own variables in its environment', async () => {
    process.env['SECRET_TOKEN_OF_OURS'] = 'never-to-be-seen';
    // Version managers would add folders of the user's home to PATH.
    const former = process.env['PATH'];
    process.env['PATH'] = '/usr/bin:/bin';
    try {
      const names = (await shell(`compgen -e`)).trim().split('\n');
      const mark = sandbox.kind === 'none' ? ['COUNTERSIGN_CALL'] : [];
      expect(names.sort()).toEqual(['HOME', 'LANG', 'PATH', 'PWD', 'SHLVL', 'TERM', 'TMPDIR', ...mark].sort());
      expect(await shell('env')).not.toContain('never-to-be-seen');
    } finally {
      delete process.env['SECRET_TOKEN_OF_OURS'];
      process.env['PATH'] = former;
    }
  });

  it('has an empty home and its own temporary folder', async () => {
    expect(await shell('ls -A "$HOME" | grep -v countersign-test-; echo x > "$TMPDIR/file"; cat "$TMPDIR/file"')).toBe(
      'x\n',
    );
    expect(await shell('ls "$TMPDIR" | grep -v countersign-test-')).toBe('');
  });

  it('[RULE2] has no terminal and no input, and its stdout and stderr can be reopened', async () => {
    expect(await shell('cat; test -t 0 || echo no terminal; echo again > /dev/stdout')).toBe('no terminal\nagain\n');
    expect(await run('echo x > /dev/tty')).toMatchObject({ ok: false });
    expect(await shell('ls /proc/self/fd | wc -l')).toBe('4\n');
  });

  it('[TURN13] shows output while it runs', async () => {
    const seen: string[] = [];
    const stop = new AbortController();
    const tried = await tryTool(
      // With this clock, the command never times out.
      shellCmd({ sandbox, clock: createFakeClock() }),
      { command: 'trap "echo second; exit" TERM; echo first; echo e >&2; sleep 1000 & wait' },
      {
        workingDirectory: folder.path,
        signal: stop.signal,
        output: (text, stream) => {
          seen.push(`${stream}: ${text}`);
          // Stop only after its first lines were shown.
          if (seen.length === 2) stop.abort();
        },
      },
    );
    expect(tried).toMatchObject({ result: { stdout: 'first\nsecond\n' } });
    expect([...seen].sort()).toEqual(['stderr: e\n', 'stdout: first\n', 'stdout: second\n']);
  });

  it('[TURN13] a flood of output is truncated in the middle, and clients get only a small part', async () => {
    let shown = 0;
    const tried = await tryTool(
      shellCmd({ sandbox }),
      { command: 'echo HEAD; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo TAIL' },
      {
        workingDirectory: folder.path,
        output: (text) => (shown += text.length),
      },
    );
    const { stdout } = tried.result as { stdout: string };
    expect(stdout).toMatch(/^HEAD\nx+\n\[\d+ bytes were left out here\.\]\nx+\nTAIL\n$/);
    const left = Number(/\[(\d+) bytes/.exec(stdout)?.[1]);
    expect(left + stdout.length - `\n[${left} bytes were left out here.]\n`.length).toBe(50_000_011);
    expect(stdout.length).toBeLessThan(132_000);
    expect(shown).toBeLessThan(1_300_000);
  });

  it('[TURN13] a command that prints forever is stopped by its timeout', async () => {
    const clock = createFakeClock();
    let chunks = 0;
    const tried = await tryTool(
      shellCmd({ sandbox, clock, timeoutMs: 5_000 }),
      { command: 'yes' },
      {
        workingDirectory: folder.path,
        output: () => {
          chunks += 1;
          // The timeout, and then the grace period.
          if (chunks >= 10) clock.advance(5_000);
        },
      },
    );
    expect(tried).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^the command took longer than 5 seconds; .* killed$/) as string,
    });
  });

  it('[TURN14] replaces invalid UTF-8, but no valid characters', async () => {
    expect(await shell(String.raw`printf 'a\xffb\xc3'`)).toBe('a\uFFFDb\uFFFD');
    const shown: string[] = [];
    await tryTool(
      shellCmd({ sandbox }),
      { command: String.raw`printf '\xe2\x82'; sleep 0.05; printf '\xac'` },
      {
        workingDirectory: folder.path,
        output: (text) => shown.push(text),
      },
    );
    expect(shown.join('')).toBe('€');
  });

  it('ends when its command ends, even if processes are still running', async () => {
    const tried = await run(
      'sleep 1000 & setsid sleep 1000 & nohup setsid bash -c "sleep 1000; echo never" & echo done',
    );
    expect(tried).toMatchObject({ ok: true, result: { stdout: 'done\n' } });
    expect(processesIn(folder.path)).toEqual([]);
  });

  it('[WORLD9.1] stopping kills children, grandchildren and processes that left the group', async () => {
    const stop = new AbortController();
    const tried = await tryTool(
      shellCmd({ sandbox }),
      {
        command:
          '(trap "" TERM; setsid bash -c "trap \'\' TERM; while :; do sleep 1000; done" & sleep 1000) & echo up; wait',
      },
      { workingDirectory: folder.path, signal: stop.signal, output: () => stop.abort() },
    );
    expect(tried).toMatchObject({
      ok: false,
      error: expect.stringContaining('stopped') as string,
      result: { stdout: 'up\n' },
    });
    expect(processesIn(folder.path)).toEqual([]);
  });

  it('[WORLD9.1] stopping sends SIGTERM first, so that a command can clean up', async () => {
    const stop = new AbortController();
    await tryTool(
      shellCmd({ sandbox, clock: createFakeClock() }),
      { command: 'trap "echo tidied > note; exit" TERM; echo up; sleep 1000 & wait' },
      { workingDirectory: folder.path, signal: stop.signal, output: () => stop.abort() },
    );
    expect(await readFile(join(folder.path, 'note'), 'utf8')).toBe('tidied\n');
  });

  it('does not start after it was stopped', async () => {
    const tried = await tryTool(
      shellCmd({ sandbox }),
      { command: 'touch made' },
      { workingDirectory: folder.path, signal: AbortSignal.abort() },
    );
    expect(tried.ok).toBe(false);
    expect(await shell('ls')).toBe('');
  });

  it('leaves nothing behind in the working folder, and no temporary folder', async () => {
    const where = (await shell('echo "$TMPDIR"')).trim();
    expect(execFileSync('ls', ['-A', folder.path], { encoding: 'utf8' })).toBe('');
    // In the sandbox it was /tmp on its own tmpfs.
    expect(where === '/tmp' || !existsSync(where)).toBe(true);
  });

  it('[SAFE1.1] refuses a working folder that contains or is inside a hidden one', async () => {
    const refusal = { ok: false, error: expect.stringContaining('agents must not reach') as string };
    expect(await run('true', { hide: [join(folder.path, 'ours')] })).toMatchObject(refusal);
    expect(await run('true', { hide: [join(folder.path, '..')] })).toMatchObject(refusal);
    expect(await run('true', { hide: [`${folder.path}-ours`] })).toMatchObject({ ok: true });
  });
});
