import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { SECRET_VARIABLES } from '@countersign/protocol';

/**
 * Overwrites secrets in `/proc/PID/environ`, which all of the user's processes can read; `process.env` keeps the values. If the system doesn't allow
 * that, nothing changes, and the server warns when it finds its token there.
 */
export function hideSecrets(): void {
  if (process.platform !== 'linux') return;
  const present = SECRET_VARIABLES.filter((name) => process.env[name] !== undefined);
  if (present.length === 0) return;
  // Setting a value again allocates new memory; otherwise the C library would read what we overwrite here.
  Object.assign(process.env, Object.fromEntries(present.map((name) => [name, process.env[name]])));
  try {
    const start = environmentStart();
    const shown = readFileSync('/proc/self/environ', 'latin1');
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      for (const { from, to } of valuesIn(shown, present)) {
        writeSync(memory, Buffer.alloc(to - from), 0, to - from, start + from);
      }
    } finally {
      closeSync(memory);
    }
  } catch {
    // There is no such file, or the kernel denies access.
  }
}

/** The address of the environment: field 50 of proc_pid_stat(5). The program name before it may contain spaces and parentheses. */
function environmentStart(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[47]);
  if (!Number.isSafeInteger(start) || start <= 0)
    throw new Error('the kernel does not report where the environment is');
  return start;
}

function valuesIn(shown: string, names: readonly string[]): { from: number; to: number }[] {
  let at = 0;
  return shown.split('\0').flatMap((entry) => {
    const begin = at;
    at += entry.length + 1;
    const equals = entry.indexOf('=');
    if (!names.includes(entry.slice(0, equals))) return [];
    return [{ from: begin + equals + 1, to: begin + entry.length }];
  });
}
