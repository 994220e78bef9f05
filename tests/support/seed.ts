import fc from 'fast-check';
import { runsFactor, scaled } from './scaled.js';
import { failOnServerErrors } from './server-errors.js';

failOnServerErrors();

/** The same in every run, so that a failure comes from a change and not from a random example. */
const SEED = 20_261_115;

const { RANDOM_SEED, SEARCH } = process.env;

// Longer runs should use new examples; fast-check prints the seed of a failure.
const isSearch = SEARCH === '1' || runsFactor > 1;
const seed = RANDOM_SEED === undefined ? (isSearch ? {} : { seed: SEED }) : { seed: Number(RANDOM_SEED) };
// fast-check's own default is a hundred.
fc.configureGlobal({ ...seed, numRuns: scaled(100, isSearch ? 100 : 25) });
