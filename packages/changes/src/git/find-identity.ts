import { GitFailed, personalEnvironment, runGit } from './run-git.js';
import { inRepository } from './refs.js';

const KEYS = { 'user.name': 'NAME', 'user.email': 'EMAIL' } as const;
const PLAIN = /^[^\p{Cc}]{1,200}$/u;

/**
 * The person's name and address as variables for Git, each only if the folder's own configuration has none. Reads no other setting. `git config` runs no
 * program that a setting could name.
 */
export async function findIdentity(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
  const words = ['config', '-z', '--show-scope', '--get-regexp', '^user[.](name|email)$'];
  const options = { personal: personalEnvironment(environment), codes: [1] };
  const listed = await runGit([...inRepository(folder), ...words], options).catch((error: unknown) => {
    if (error instanceof GitFailed) return '';
    throw error;
  });
  const fields = String(listed).split('\0');
  const found = new Map<string, string>();
  // The last one counts, and the folder's own come last.
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = '', value = ''] = (fields[at + 1] ?? '').split('\n', 2);
    found.set(key, fields[at] === 'global' || fields[at] === 'system' ? value : '');
  }
  return Object.fromEntries(
    Object.entries(KEYS).flatMap(([key, name]) => {
      const value = found.get(key) ?? '';
      return PLAIN.test(value) ? ['AUTHOR', 'COMMITTER'].map((who) => [`GIT_${who}_${name}`, value]) : [];
    }),
  );
}
