import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processes in whose environment a command of the same user could read this token, such as `npm` that started us: `4711 npm`. Empty where
 * the system shows no environments.
 */
export function processesShowing(token: string): string[] {
  return list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).includes(token))
    .map((pid) => `${pid} ${read(`/proc/${pid}/comm`).trim()}`);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty for a process that has ended, or of another user. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
