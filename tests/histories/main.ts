// One process of `npm run histories`: plays the histories of some seeds, and prints what failed.
import { runSeeds } from './run-seeds.js';

const [first = 0, count = 1] = process.argv.slice(2).map(Number);
const { played, failure } = await runSeeds(first, count);
const report = failure === undefined ? [] : [failure.repeat, ...failure.lines];
const told = [...report, `${played} played, ${failure === undefined ? 0 : 1} failed`, ''].join('\n');
// The process ends even if something of the last home is still open.
process.stdout.write(told, () => process.exit(failure === undefined ? 0 : 1));
