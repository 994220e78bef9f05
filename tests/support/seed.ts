import fc from 'fast-check';

/** The same in every run, so that a change is judged by what it changes and not by what a random example happens to find. */
const SEED = 20_261_115;

const { RANDOM_SEED, RUNS_FACTOR = '1', SEARCH } = process.env;
const factor = Number(RUNS_FACTOR);

// Who asks for more runs, or for a search, wants examples that nobody has seen yet; fast-check says which seed found one.
const isSearch = SEARCH === '1' || factor > 1;
const seed = RANDOM_SEED === undefined ? (isSearch ? {} : { seed: SEED }) : { seed: Number(RANDOM_SEED) };
// A hundred is what fast-check does unless told.
fc.configureGlobal({ ...seed, ...(factor > 1 ? { numRuns: Math.ceil(100 * factor) } : {}) });
