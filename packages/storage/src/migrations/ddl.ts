/** Differences in the DDL of the two databases. */
interface Ddl {
  /** A time, count or flag. */
  integer: string;
  /** The first column of a table whose rows keep their order of creation. */
  ordinal: string;
  /** Ends a table definition. */
  plain: string;
  /** Ends the definition of a table clustered by primary key, if supported. */
  clustered: string;
  /** JSON constructor functions. */
  json: { object: string; array: string };
  /** Creates the full-text table `search_words`, with one row per `search_documents` row. */
  searchWords: readonly string[];
}

/** One migration. Never changed after a release: stores of that version exist. */
export type Migration = (ddl: Ddl) => readonly string[];
