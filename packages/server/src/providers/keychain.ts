import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findSystemProgram, SYSTEM_PATH } from '@countersign/tools';
import { CountersignError } from '@countersign/protocol';

/** The keychain of the operating system. Its programs may wait for a person to unlock it, so each call has a timeout. */
export interface Keychain {
  /** Shown to people. */
  readonly name: string;
  /** Undefined if there is no entry, or if the keychain is locked or doesn't answer. */
  read(): string | undefined;
  /** False if the entry could not be stored. */
  write(key: string): boolean;
}

const TIMEOUT_MS = 10_000;
const VARIABLE = 'COUNTERSIGN_KEYCHAIN';
const SERVICE = 'countersign secrets key';

interface KeychainOptions {
  env: NodeJS.ProcessEnv;
  platform?: string;
  find?: (name: string) => string | undefined;
}

/**
 * Linux: the secret service of the desktop, through `secret-tool`. macOS: only if it is turned on, because nobody has checked that the sandbox
 * keeps commands from reading the keychain there. Undefined without a keychain.
 */
export function findKeychain(
  home: string,
  { env, platform = process.platform, find = findSystemProgram }: KeychainOptions,
): Keychain | undefined {
  const wanted = env[VARIABLE] ?? '';
  if (!['', 'on', 'off'].includes(wanted)) {
    throw new CountersignError('invalid', `${VARIABLE} must be on or off.`, { field: VARIABLE });
  }
  if (wanted === 'off') return undefined;
  if (platform === 'linux' && hasSessionBus(env)) {
    const program = find('secret-tool');
    return program === undefined ? undefined : secretService(program, home, env);
  }
  if (platform === 'darwin' && wanted === 'on') return macKeychain(find('security') ?? '/usr/bin/security', home, env);
  return undefined;
}

function hasSessionBus(env: NodeJS.ProcessEnv): boolean {
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== '') return true;
  const folder = env['XDG_RUNTIME_DIR'] ?? '';
  return folder !== '' && existsSync(join(folder, 'bus'));
}

function secretService(program: string, home: string, env: NodeJS.ProcessEnv): Keychain {
  const attributes = ['service', SERVICE, 'home', home];
  return {
    name: 'the keychain of this desktop (secret service)',
    read: () => run(program, ['lookup', ...attributes], env),
    // The key goes through standard input: other users can read a program's arguments.
    write: (key) => run(program, ['store', `--label=Countersign (${home})`, ...attributes], env, key) !== undefined,
  };
}

/** Untested on a Mac. */
function macKeychain(program: string, home: string, env: NodeJS.ProcessEnv): Keychain {
  // A hash, because `security -i` has its own quoting rules.
  const account = createHash('sha256').update(home).digest('hex').slice(0, 32);
  return {
    name: 'the keychain of this Mac',
    read: () => run(program, ['find-generic-password', '-s', SERVICE, '-a', account, '-w'], env),
    write: (key) =>
      run(program, ['-i'], env, `add-generic-password -U -s "${SERVICE}" -a ${account} -w ${key}\n`) !== undefined,
  };
}

/** What the desktop's programs need. They get none of our secrets. */
const PASSED = [
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'HOME',
  'USER',
  'LANG',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
];

function run(program: string, words: readonly string[], env: NodeJS.ProcessEnv, input = ''): string | undefined {
  const passed = Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const { status, stdout } = spawnSync(program, words, {
    input,
    env: { ...passed, PATH: SYSTEM_PATH },
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout.trim() : undefined;
}
