import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processes whose environment contains this token, such as the `npm` that started us: `4711 npm`. A command run by the same user could read it there.
 * Empty if the system has no `/proc`.
 */
export function processesExposing(token: string): string[] {
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

/** Empty if the process has ended or belongs to another user. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
