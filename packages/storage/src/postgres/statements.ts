import type { Statements } from '../statements.js';
import { writtenStatements } from './written-statements.js';

export const postgresStatements: Statements = {
  ...writtenStatements,
  matchText: (words) => `${words.map((word) => `'${word}'`).join(' & ')}:*`,
};
