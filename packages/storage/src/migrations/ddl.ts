/** DDL differences between the two databases. */
interface Ddl {
  /** The column type for a time, count or flag. */
  integer: string;
  /** The first column in a table whose rows keep their order of creation. */
  ordinal: string;
  /** The end of a table definition. */
  plain: string;
  /** The end of a table definition, for tables clustered by their primary key if supported. */
  clustered: string;
  /** Creates the full-text table `search_words`, with one row per `search_documents` row. */
  searchWords: readonly string[];
}

/** One migration. Must not change after a release: stores of that version exist. */
export type Migration = (ddl: Ddl) => readonly string[];
