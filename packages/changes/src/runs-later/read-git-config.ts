import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { dirname, isAbsolute, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findSystemProgram, SYSTEM_PATH } from '../files/system-program.js';

const run = promisify(execFile);

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** The maximum depth of nested conditional includes. */
const MAX_ROUNDS = 10;

/** One configuration value as Git reads it, and the file that contains it. */
export interface GitSetting {
  readonly file: string;
  readonly key: string;
  readonly value: string;
}

export interface GitProgram {
  /** Undefined if Git is not installed in a system folder. */
  readonly program: string | undefined;
  /** The folder with the user's own configuration. */
  readonly home: string;
}

export function findGit(): GitProgram {
  return { program: findSystemProgram('git'), home: homedir() };
}

/**
 * The configuration in these files, in files that they include under any condition, and the user's and system's configuration. Undefined if Git
 * is missing or fails. `git config --list` runs no program, and here it reads no repository.
 */
export async function readGitConfig(files: readonly string[], git: GitProgram): Promise<GitSetting[] | undefined> {
  const asked = new Set(files);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const settings = await listSettings([...asked], git);
    if (settings === undefined) return undefined;
    const before = asked.size;
    for (const { file, key, value } of settings) {
      // Git follows the other includes and expands `~` itself. Conditions such as a branch may become true later.
      if (!key.startsWith('includeif.') || !key.endsWith('.path')) continue;
      asked.add(value.startsWith('~') ? value : resolve(dirname(file), value));
    }
    if (asked.size === before) return settings;
  }
  return undefined;
}

async function listSettings(
  files: readonly string[],
  { program, home }: GitProgram,
): Promise<GitSetting[] | undefined> {
  if (program === undefined) return undefined;
  const includes = files.flatMap((file) => ['-c', `include.path=${file}`]);
  const xdg = process.env['XDG_CONFIG_HOME'] ?? '';
  try {
    const { stdout } = await run(program, [...includes, 'config', '--list', '--includes', '--show-origin', '-z'], {
      cwd: '/',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_BYTES,
      // Excludes our GIT_* variables, which could name other configuration. There is no repository at /dev/null.
      env: {
        PATH: SYSTEM_PATH,
        HOME: home,
        LC_ALL: 'C',
        GIT_DIR: '/dev/null',
        ...(isAbsolute(xdg) ? { XDG_CONFIG_HOME: xdg } : {}),
      },
    });
    return readSettings(stdout);
  } catch {
    return undefined;
  }
}

/**
 * `file:PATH`, NUL, `key`, newline, `value`, NUL. A key without a value has no newline. Skips values from our command
 * line.
 */
export function readSettings(listed: string): GitSetting[] {
  const fields = listed.split('\0');
  const settings: GitSetting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [origin = '', setting = ''] = fields.slice(at, at + 2);
    const end = setting.indexOf('\n');
    if (!origin.startsWith('file:')) continue;
    settings.push({
      file: resolve('/', origin.slice(5)),
      key: end === -1 ? setting : setting.slice(0, end),
      value: end === -1 ? '' : setting.slice(end + 1),
    });
  }
  return settings;
}
