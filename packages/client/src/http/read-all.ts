import type { List } from './client.js';

/** Reads all pages of a list. `read` gets the cursor for the next page, or nothing for the first. */
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
