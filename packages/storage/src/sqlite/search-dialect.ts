import { sql } from 'kysely';
import type { SearchDialect } from '../verbs/search.js';

export const sqliteSearch: SearchDialect = {
  insertWords: (ordinal, words) => sql`insert into search_words (rowid, words) values (${ordinal}, ${words})`,
  ordinal: sql<number>`search_words.rowid`,
  matches: (text) => sql<boolean>`search_words match ${text}`,
  // In quotes a word is a word, also one that spells an operator.
  matchText: (words) => `${words.map((word) => `"${word}"`).join(' ')}*`,
};
