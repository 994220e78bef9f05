import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The registry in the person's own npm configuration, which the sandbox hides. Undefined if none is set, or if its URL contains credentials:
 * a server must not see them.
 */
export async function readNpmRegistry(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): Promise<string | undefined> {
  const variable = (name: string): string | undefined => environment[name] ?? environment[name.toUpperCase()];
  const file = variable('npm_config_userconfig') ?? join(home, '.npmrc');
  const registry = variable('npm_config_registry') ?? inFile(await readFile(file, 'utf8').catch(() => ''));
  if (registry === undefined || !URL.canParse(registry)) return undefined;
  const { protocol, username, password } = new URL(registry);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? registry : undefined;
}

function inFile(text: string): string | undefined {
  return /^[ \t]*registry[ \t]*=[ \t]*["']?([^\s"']+)/m.exec(text)?.[1];
}
