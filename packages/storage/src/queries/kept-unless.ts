import { sql, type RawBuilder } from 'kysely';

/**
 * One fixed statement for every set of changes: a column that can be null is kept unless its `has…` parameter is 1. A text that
 * differs with the change would be prepared anew for each of hundreds of combinations.
 */
export function keptUnless<T>(has: number, value: T, column: string): RawBuilder<T> {
  return sql<T>`case when ${has} = 1 then ${value} else ${sql.ref(column)} end`;
}

export type Has<K extends string> = { [P in K as `has${Capitalize<P>}`]: number };
