import { problemTexts } from './problem-texts.js';

/** Deep enough for any legitimate request. Deeper values would overflow the stack of recursive functions. */
const MAX_DEPTH = 64;

/** NUL and lone surrogates: databases can't store them and terminals can't show them. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

interface Level {
  value: unknown;
  key: string;
  parent: Level | undefined;
  depth: number;
}

/** Finds content that is not allowed in a request body: values nested too deeply, and text that can't be stored unchanged. */
export function findUnsupported(value: unknown): { field: string; detail: string } | undefined {
  const open: Level[] = [{ value, key: '', parent: undefined, depth: 0 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (typeof place.value === 'string') {
      if (UNSTORABLE.test(place.value)) return unsupported(place, problemTexts.badCharacter);
    } else if (typeof place.value === 'object' && place.value !== null) {
      if (place.depth >= MAX_DEPTH) return unsupported(place, problemTexts.tooDeep);
      for (const [key, member] of Object.entries(place.value)) {
        if (UNSTORABLE.test(key)) return unsupported(place, problemTexts.badKey);
        open.push({ value: member, key, parent: place, depth: place.depth + 1 });
      }
    }
  }
  return undefined;
}

function unsupported(place: Level, what: string): { field: string; detail: string } {
  const path: string[] = [];
  for (let at: Level | undefined = place; at?.parent !== undefined; at = at.parent) path.unshift(at.key);
  const field = path.slice(0, 8).join('.').slice(0, 200);
  return { field, detail: `${field === '' ? 'The request body' : `"${field}"`} ${what}.` };
}
