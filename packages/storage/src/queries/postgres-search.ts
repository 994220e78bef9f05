import { sql } from 'kysely';
import type { SearchDialect } from './search.js';

export const postgresSearch: SearchDialect = {
  insertWords: (ordinal, words) =>
    sql`insert into search_words (ordinal, words)
      values (${ordinal}, array_to_tsvector(string_to_array(nullif(${words}, ''), ' ')))`,
  ordinal: sql<number>`search_words.ordinal`,
  // A cast takes the words as they are; a parser of the database would cut them another way than they were kept.
  matches: (text) => sql<boolean>`words @@ ${text}::tsquery`,
};
