import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from './json-text.js';

interface ChangeCounts {
  readonly hooks: number;
  readonly permissions: number;
  readonly others: number;
}

/** How many hooks, permission settings and other settings differ between two texts in JSON. */
export function countChanges(before: string | undefined, after: string | undefined): ChangeCounts {
  const [one, two] = [objectIn(before), objectIn(after)];
  const keysThatDiffer = (from: JsonObject, to: JsonObject): string[] =>
    [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((key) => !isDeepStrictEqual(from[key], to[key]));
  const below = (key: string): number => {
    const [from, to] = [one[key], two[key]].map((value) => (isObject(value) ? value : {}));
    return keysThatDiffer(from ?? {}, to ?? {}).length;
  };
  const others = keysThatDiffer(one, two).filter((key) => key !== 'hooks' && key !== 'permissions');
  return { hooks: below('hooks'), permissions: below('permissions'), others: others.length };
}

function objectIn(text = ''): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
