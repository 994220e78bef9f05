import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRules } from '@countersign/core';
import { CountersignError } from '@countersign/protocol';

export interface AdminRules {
  rules: readonly string[];
  /** The file that was named, for whoever keeps agents away from it. The one in the home is kept with the home. */
  file?: string;
}

/**
 * The rules of whoever runs this server, one a line: no world can change them, and they win over the rules of all worlds (A19).
 * From the file that `COUNTERSIGN_POLICY_FILE` names, or from `admin.rules` in the home, where no file means no rules. One that
 * can't be read refuses to start: what it denies would run.
 */
export function readAdminRules(home: string, env: NodeJS.ProcessEnv = {}): AdminRules {
  const named = env['COUNTERSIGN_POLICY_FILE'];
  const file = named === undefined ? join(home, 'admin.rules') : resolve(named);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (missing && named === undefined) return { rules: [] };
    const advice = missing ? 'It is not there.' : 'Check who may read it.';
    throw new CountersignError('invalid', `The rules in ${file} can't be read. ${advice}`, { cause });
  }
  const read = readRules(text);
  if (!read.ok) {
    const where = `line ${read.line}, character ${read.column}`;
    throw new CountersignError(
      'invalid',
      `${file}, ${where}: ${read.error}. Nothing starts until the rule can be read.`,
    );
  }
  return { rules: read.rules, ...(named === undefined ? {} : { file: realpathSync(file) }) };
}
