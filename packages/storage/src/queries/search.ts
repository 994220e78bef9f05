import { searchDocuments } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

/** Search differences between the databases. Words contain only letters and digits, so they are never parsed as syntax. */
export interface SearchDialect {
  /** Stores `:words`, separated by spaces, for the document `:ordinal`. */
  insertWords: string;
  /** The `search_words` column with the document's ordinal. */
  ordinal: string;
  /** The condition on `:text`, which `matchText` builds. */
  matches: string;
  /** The query text for documents with all these words; the last one is a prefix. */
  matchText: (words: readonly string[]) => string;
  /** Selects the elements of a JSON array of texts. */
  elementsOf: (list: string) => string;
}

export type SearchStatements = ReturnType<typeof searchStatements>;

export function searchStatements({ insertWords, ordinal, matches, matchText }: SearchDialect) {
  return {
    matchText,
    searchedUpTo: prepared<{ worldId: string }, [upto: number]>('select upto from searched where world_id = :worldId'),
    startSearched: prepared<{ worldId: string }>(
      'insert into searched (world_id, upto) values (:worldId, 0) on conflict (world_id) do nothing',
    ),
    moveSearched: prepared<{ worldId: string; from: number; upto: number }>(
      'update searched set upto = :upto where world_id = :worldId and upto = :from',
    ),
    lastDocument: prepared<object, [ordinal: number]>(
      'select coalesce(max(ordinal), 0) as ordinal from search_documents',
    ),
    // No `returning`: while a statement has rows left, SQLite flushes the index after each document.
    insertDocument: insertInto(searchDocuments),
    documentsAfter: prepared<{ worldId: string; ordinal: number }, [ordinal: number]>(
      'select ordinal from search_documents where ordinal > :ordinal and world_id = :worldId order by ordinal',
    ),
    insertWords: prepared<{ ordinal: number; words: string }>(insertWords),
    search: prepared<
      { worldId: string; text: string; before: number; limit: number },
      [ordinal: number, message: string]
    >(
      `select search_documents.ordinal, message_id from search_words join search_documents on search_documents.ordinal = ${ordinal}
        where ${matches} and world_id = :worldId and ${ordinal} < :before order by ${ordinal} desc limit :limit + 0`,
    ),
  };
}

export const sqliteSearch: SearchDialect = {
  insertWords: 'insert into search_words (rowid, words) values (:ordinal, :words)',
  ordinal: 'search_words.rowid',
  matches: 'search_words match :text',
  // Quoted, so that a word like AND is not an operator.
  matchText: (words) => `${words.map((word) => `"${word}"`).join(' ')}*`,
  elementsOf: (list) => `select value from json_each(${list})`,
};

export const postgresSearch: SearchDialect = {
  insertWords: `insert into search_words (ordinal, words)
    values (:ordinal, array_to_tsvector(string_to_array(nullif(:words, ''), ' ')))`,
  ordinal: 'search_words.ordinal',
  // The cast leaves the words unchanged; the database's own parser would split them differently.
  matches: 'words @@ :text::tsquery',
  matchText: (words) => `${words.map((word) => `'${word}'`).join(' & ')}:*`,
  elementsOf: (list) => `select jsonb_array_elements_text(${list}::jsonb)`,
};
