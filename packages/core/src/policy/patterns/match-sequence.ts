/** Matches zero or more items. */
export const MANY = Symbol('many');

/**
 * Whether the items match the elements in order, where MANY matches any run of items. Each run of elements between two MANYs
 * is placed at its first match and never moved, so there is no backtracking.
 */
export function matchesSequence<Element extends object>(
  elements: readonly (Element | typeof MANY)[],
  items: readonly string[],
  matches: (element: Element, item: string) => boolean,
): boolean {
  const firstMany = elements.indexOf(MANY);
  if (firstMany < 0) return elements.length === items.length && fits(elements, 0, elements.length, items, 0, matches);
  const lastMany = elements.lastIndexOf(MANY);
  const tail = elements.length - lastMany - 1;
  const end = items.length - tail;
  if (firstMany > end) return false;
  if (!fits(elements, 0, firstMany, items, 0, matches)) return false;
  if (!fits(elements, lastMany + 1, elements.length, items, end, matches)) return false;

  let at = firstMany;
  let from = firstMany + 1;
  while (from <= lastMany) {
    const to = elements.indexOf(MANY, from);
    while (at + to - from <= end && !fits(elements, from, to, items, at, matches)) at += 1;
    at += to - from;
    if (at > end) return false;
    from = to + 1;
  }
  return true;
}

function fits<Element extends object>(
  elements: readonly (Element | typeof MANY)[],
  from: number,
  to: number,
  items: readonly string[],
  at: number,
  matches: (element: Element, item: string) => boolean,
): boolean {
  for (let index = from; index < to; index += 1) {
    const element = elements[index];
    const item = items[at + index - from];
    if (element === undefined || element === MANY || item === undefined || !matches(element, item)) return false;
  }
  return true;
}
