import fc from 'fast-check';

/** The same in every run, so that a change is judged by what it changes and not by what a random example happens to find. */
const SEED = 20_261_115;

const { RANDOM_SEED, RUNS_FACTOR = '1', SEARCH } = process.env;

// Who asks for more runs, or for a search, wants examples that nobody has seen yet; fast-check says which seed found one.
const isSearch = SEARCH === '1' || Number(RUNS_FACTOR) > 1;
if (RANDOM_SEED !== undefined) fc.configureGlobal({ seed: Number(RANDOM_SEED) });
else if (!isSearch) fc.configureGlobal({ seed: SEED });
