import type { Statements } from '../statements.js';
import { writtenStatements } from './written-statements.js';

export const sqliteStatements: Statements = {
  ...writtenStatements,
  // In quotes a word is a word, also one that spells an operator.
  matchText: (words) => `${words.map((word) => `"${word}"`).join(' ')}*`,
};
