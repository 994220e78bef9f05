import type { List } from './client.js';

/** All pages of a list. `read` is given where the next one begins: nothing for the first. */
export async function readAll<T>(read: (place: { after?: string }) => Promise<List<T>>): Promise<T[]> {
  const all: T[] = [];
  let place: { after?: string } | undefined = {};
  while (place !== undefined) {
    const page: List<T> = await read(place);
    for (const item of page.items) all.push(item);
    place = page.next === undefined ? undefined : { after: page.next };
  }
  return all;
}
