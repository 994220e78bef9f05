/** The few words in which the two databases define tables differently. */
interface Ddl {
  /** Holds a time, a number of something, a flag. */
  integer: string;
  /** The first column of a table whose rows keep their order of creation. */
  ordinal: string;
  /** Ends a table. */
  plain: string;
  /** Ends a table that is stored in the order of its primary key, where the database can. */
  clustered: string;
  /** The functions that make JSON. */
  json: { object: string; array: string };
  /** Makes the table of words that a text search looks into: `search_words`, one row for each of `search_documents`. */
  searchWords: readonly string[];
}

/** One step forward. Never changed once released: files of that version exist. */
export type Migration = (ddl: Ddl) => readonly string[];
