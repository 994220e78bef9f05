import type { StarTable } from './star-table.js';

const listing: StarTable = { options: '-a -l -s --all --json --long --parseable --silent --depth= --omit= --include=' };
/** Words after `--` are passed to the script, which may use them for anything. */
const script: StarTable = { options: '-s --silent --if-present', effect: 'runs', passesOn: true };
/** A package may have install scripts, so each package has to be spelled out. */
const install: StarTable = {
  options: '-s --silent --no-audit --no-fund --prefer-offline --offline --ignore-scripts',
  most: 0,
  effect: 'runs',
};

const npm: StarTable = {
  options: '-v --version !--prefix= !-C=',
  subcommands: {
    ls: listing,
    list: listing,
    ll: listing,
    la: listing,
    outdated: listing,
    explain: listing,
    why: listing,
    view: listing,
    info: listing,
    show: listing,
    root: listing,
    bin: listing,
    ping: listing,
    whoami: listing,
    test: script,
    run: { ...script, options: `${script.options ?? ''} !--prefix= !-w= !--workspace=` },
    'run-script': script,
    start: script,
    ci: install,
    install,
    i: install,
  },
};

/** These run a file named by the folder's configuration, for every subcommand. */
const others: StarTable = { effect: 'runs', subcommands: { test: script, run: script, install } };

export const NPM_PROGRAMS: Readonly<Record<string, StarTable>> = { npm, pnpm: others, yarn: others };
