import { freemem } from 'node:os';

/**
 * For the compiler and the linter, which are Go programs that run for seconds: less frequent garbage collection saves a sixth of their CPU
 * time. The limit keeps them small enough for a machine with 2 GB, but the linter needs almost all of that: within it, collecting garbage takes
 * a third of its CPU time.
 */
export const goEnvironment = { GOGC: '400', GOMEMLIMIT: freemem() > 5e9 ? '3GiB' : '1200MiB' };
