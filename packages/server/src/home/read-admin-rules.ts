import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CountersignError } from '@countersign/protocol';

/**
 * The rules of whoever runs this server, one a line, from a file in the home: no world can change them, and they win over the rules
 * of all worlds (A19). No file: no rules. One that is there and can't be read refuses to start: what it denies would run.
 */
export function readAdminRules(home: string): string[] {
  const file = join(home, 'admin.rules');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw new CountersignError('invalid', `The rules in ${file} can't be read. Check who may read it.`, { cause });
  }
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}
