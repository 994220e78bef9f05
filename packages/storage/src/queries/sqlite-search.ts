import { sql } from 'kysely';
import type { SearchDialect } from './search.js';

export const sqliteSearch: SearchDialect = {
  insertWords: (ordinal, words) => sql`insert into search_words (rowid, words) values (${ordinal}, ${words})`,
  ordinal: sql<number>`search_words.rowid`,
  matches: (text) => sql<boolean>`search_words match ${text}`,
};
