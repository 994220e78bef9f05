import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../docs/spec/authority.md', import.meta.url), 'utf8');

/** The rows of the table below a heading, without its head. */
function table(heading: string): [string, string][] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (.+?) \| (.+) \|$/gm)].slice(1).map(([, name = '', rest = '']) => [name, rest]);
}

/** The actions, by name. */
export const ACTIONS: ReadonlySet<string> = new Set(table('Actions').map(([name]) => name));

/** What each of the people and credentials may do: the expected cells of the matrix. */
export const PRINCIPLES: ReadonlyMap<string, ReadonlySet<string>> = readPrinciples();

function readPrinciples(): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>();
  for (const [who, rights] of table('People and credentials')) {
    const may = new Set<string>();
    for (const clause of rights.split('; ')) {
      const [, as] = /^as (.+)$/.exec(clause) ?? [];
      if (as !== undefined) for (const action of of(as)) may.add(action);
      else if (clause.startsWith('not ')) for (const action of named(clause.slice(4))) may.delete(action);
      else for (const action of named(clause.replace(/^also /, ''))) may.add(action);
    }
    known.set(who, may);
  }
  return known;

  function of(who: string): ReadonlySet<string> {
    const found = known.get(who);
    if (found === undefined) throw new Error(`"${who}" is not in a row above.`);
    return found;
  }
}

function named(list: string): string[] {
  const names = list.split(', ');
  const unknown = names.find((name) => !ACTIONS.has(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not an action.`);
  return names;
}
