import type { BuiltStatements } from './queries/build-statements.js';

/**
 * The texts of all statements in one dialect. They are put together from `queries` beforehand and kept in the sources: what puts them
 * together is a quarter of all that a start would load (N5).
 */
export type WrittenStatements = BuiltStatements;

export type Statements = WrittenStatements & {
  /** The text that finds what has all these words; of the last, its beginning is enough. */
  readonly matchText: (words: readonly string[]) => string;
};
