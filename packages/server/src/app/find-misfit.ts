import { problemTexts } from './problem-texts.js';

/** Deeper than anything a person writes; functions that walk a value by calling themselves would run out of stack. */
const DEEPEST = 64;

/** Code units that no database keeps and no terminal shows: NUL, and half of a surrogate pair. */
const UNKEPT = /\0|\p{Surrogate}/u;

interface Place {
  value: unknown;
  key: string;
  parent: Place | undefined;
  depth: number;
}

/** What no value from outside may be, wherever in it: too deep, or with text that can't be kept as it is. */
export function findMisfit(value: unknown): { field: string; detail: string } | undefined {
  const open: Place[] = [{ value, key: '', parent: undefined, depth: 0 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (typeof place.value === 'string') {
      if (UNKEPT.test(place.value)) return misfit(place, problemTexts.badCharacter);
    } else if (typeof place.value === 'object' && place.value !== null) {
      if (place.depth >= DEEPEST) return misfit(place, problemTexts.tooDeep);
      for (const [key, member] of Object.entries(place.value)) {
        if (UNKEPT.test(key)) return misfit(place, problemTexts.badKey);
        open.push({ value: member, key, parent: place, depth: place.depth + 1 });
      }
    }
  }
  return undefined;
}

function misfit(place: Place, what: string): { field: string; detail: string } {
  const path: string[] = [];
  for (let at: Place | undefined = place; at?.parent !== undefined; at = at.parent) path.unshift(at.key);
  const field = path.slice(0, 8).join('.').slice(0, 200);
  return { field, detail: `body: ${field === '' ? '' : `${field}: `}${what}` };
}
