/**
 * An immutable map by id that copies only one bucket per change: a plain map would copy all 10,000 messages of a chat for each
 * event.
 */
export interface Table<V> {
  readonly size: number;
  readonly buckets: readonly Bucket<V>[];
}
type Bucket<V> = ReadonlyMap<string, V>;

const FIRST_BUCKETS = 16;
/** The maximum average bucket size; with larger buckets, a change would copy too much. */
const FULL = 32;

export function emptyTable<V>(): Table<V> {
  return { size: 0, buckets: emptyBuckets(FIRST_BUCKETS) };
}

export function get<V>(table: Table<V>, id: string): V | undefined {
  return table.buckets[bucketOf(id, table.buckets.length)]?.get(id);
}

export function has<V>(table: Table<V>, id: string): boolean {
  return get(table, id) !== undefined;
}

/** All values, in no particular order. */
export function* values<V>(table: Table<V>): Generator<V> {
  for (const bucket of table.buckets) yield* bucket.values();
}

/** All ids, in no particular order. */
export function* keys<V>(table: Table<V>): Generator<string> {
  for (const bucket of table.buckets) yield* bucket.keys();
}

/** Returns the table with this entry, or the same table if the value is unchanged. */
export function set<V>(table: Table<V>, id: string, value: V): Table<V> {
  return setAll(table, [[id, value]]);
}

/** Sets many entries; each bucket is copied at most once. */
export function setAll<V>(table: Table<V>, entries: Iterable<readonly [string, V]>): Table<V> {
  const copies = new Map<number, Map<string, V>>();
  let size = table.size;
  for (const [id, value] of entries) {
    const index = bucketOf(id, table.buckets.length);
    const bucket = copies.get(index) ?? table.buckets[index];
    const known = bucket?.get(id);
    if (known === value) continue;
    if (known === undefined) size += 1;
    const copy = copies.get(index) ?? new Map(bucket);
    copy.set(id, value);
    copies.set(index, copy);
  }
  if (copies.size === 0) return table;
  const buckets = [...table.buckets];
  for (const [index, copy] of copies) buckets[index] = copy;
  return grown({ size, buckets });
}

/** Returns the table without these entries. */
export function remove<V>(table: Table<V>, ids: Iterable<string>): Table<V> {
  const buckets = [...table.buckets];
  let { size } = table;
  for (const id of ids) {
    const index = bucketOf(id, buckets.length);
    if (buckets[index]?.has(id) !== true) continue;
    const copy = new Map(buckets[index]);
    copy.delete(id);
    buckets[index] = copy;
    size -= 1;
  }
  return size === table.size ? table : { size, buckets };
}

function grown<V>(table: Table<V>): Table<V> {
  let count = table.buckets.length;
  while (table.size > count * FULL) count *= 2;
  if (count === table.buckets.length) return table;
  const buckets = Array.from({ length: count }, () => new Map<string, V>());
  for (const bucket of table.buckets) {
    for (const [id, value] of bucket) buckets[bucketOf(id, count)]?.set(id, value);
  }
  return { size: table.size, buckets };
}

function emptyBuckets<V>(count: number): Bucket<V>[] {
  return Array.from({ length: count }, () => new Map<string, V>());
}

/** FNV-1a hash. `count` is a power of two. */
function bucketOf(id: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) & (count - 1);
}
