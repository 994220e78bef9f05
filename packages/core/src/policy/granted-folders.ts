import type { Policy } from './compile-policy.js';
import { shelves } from './find-rules.js';
import { type Policies, weigh } from './judge.js';
import { parseRule } from './parse-rule.js';
import { foldName, normalSegments } from './path-text.js';
import type { PatternWord, Place } from './types.js';

/** Rules about what the sandbox may read are written for a tool of this name, which there is not. */
export const FOLDER_RULES = 'sandbox_folder';

/**
 * The folders that rules let commands in the sandbox read, such as `allow sandbox_folder(~/lib)`. One that a deny or ask rule is
 * about is not among them, nor one in which such a rule names something: in the sandbox nobody would stop a command from
 * reading it.
 */
export function grantedFolders(policies: Policies, place: Place): readonly string[] {
  const { admin, world, agent } = policies;
  const named = [admin, world].flatMap((policy) => pathsOf(policy?.allow, place));
  if (named.length === 0) return [];
  const kept = [admin, world, agent].flatMap((policy) => [
    ...pathsOf(policy?.deny, place),
    ...pathsOf(policy?.ask, place),
  ]);
  const open = (folder: string): boolean => {
    const { deny, adminAsk, asks } = weigh(policies, {
      tool: FOLDER_RULES,
      subjects: [{ kind: 'path', path: folder }],
      place,
    });
    const asked = deny ?? adminAsk ?? asks[0];
    return asked === undefined && !kept.some((path) => foldName(path).startsWith(`${foldName(folder)}/`));
  };
  return [...new Set(named)].filter(open).sort();
}

/** Where the rules' patterns begin, for those that say where. */
function pathsOf(index: Policy['allow'] | undefined, place: Place): string[] {
  return shelves(index, FOLDER_RULES).flatMap(({ patterned }) =>
    patterned.flatMap(({ text }) => {
      const parsed = parseRule(text);
      const [word, ...more] = parsed.ok ? (parsed.rule.words ?? []) : [];
      const path = word === undefined || more.length > 0 ? undefined : beginningOf(word, place);
      return path === undefined ? [] : [path];
    }),
  );
}

/** `~/lib`, `~/lib/` and `~/lib/**` name the same folder. */
function beginningOf([first, second]: PatternWord, place: Place): string | undefined {
  if (first === undefined || !('text' in first)) return undefined;
  const text = second === undefined || first.text.endsWith('/') ? first.text : first.text.replace(/[^/]*$/, '');
  const plain = text.replace(/\/+$/, '');
  const path = plain.startsWith('~/') ? place.home + plain.slice(1) : plain;
  return normalSegments(path) === undefined || path === '/' || path === place.home ? undefined : path;
}
