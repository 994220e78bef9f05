import type { StarTable } from './star-table.js';

const HELP = '--help --version';
const writes = (options: string, more: Partial<StarTable> = {}): StarTable => ({ options, effect: 'writes', ...more });
const runs = (options: string, more: Partial<StarTable> = {}): StarTable => ({ options, effect: 'runs', ...more });
/** Rejects remote files, which are accessed by starting a shell on that machine. */
const isLocal = (word: string): boolean => !word.includes(':');
const isTarget = (word: string): boolean => !/[=@]/.test(word);

const tar: StarTable = {
  options: `-t -v -z -j -J -a -k -m -p -O -w !-x !-c !-r !-u -f= --list --verbose --gzip --gunzip --bzip2 --xz --auto-compress --file= --exclude=
   --strip-components= --wildcards --no-recursion --numeric-owner --full-time --utc !--extract !--get !--create ${HELP}`,
  bundled: true,
  values: { '-f': isLocal, '--file': isLocal },
};
const make: StarTable = runs(
  `-j[=] -k -s -n -B -i -w -d -l[=] --jobs[=] --keep-going --silent --quiet --dry-run --just-print --always-make
   --no-print-directory --print-directory ${HELP}`,
  { operand: isTarget },
);
const packages: StarTable = { options: '-l -v -q --local --verbose --quiet --format= --disable-pip-version-check' };

/** Programs that write files, build or test. The rule names the program, and the star matches its files. */
export const FILE_PROGRAMS: Readonly<Record<string, StarTable>> = {
  tar,
  gtar: tar,
  tee: writes(`-a -i --append --ignore-interrupts ${HELP}`, { files: 0 }),
  mkdir: { files: 0, options: `-p -v --parents --verbose ${HELP}` },
  rmdir: { files: 0, options: `-p -v --parents --verbose --ignore-fail-on-non-empty ${HELP}` },
  touch: { files: 0, options: `-a -c -m -h --no-create --no-dereference ${HELP}` },
  cp: writes(
    `-a -d -f -H -i -l -L -n -p -P -r -R -s -T -u -v -x --archive --force --interactive --link --dereference --no-clobber
     --no-dereference --recursive --symbolic-link --no-target-directory --update[=] --verbose --one-file-system ${HELP}`,
    { files: 0 },
  ),
  mv: writes(
    `-f -i -n -T -u -v --force --interactive --no-clobber --no-target-directory --update[=] --verbose ${HELP}`,
    { files: 0 },
  ),
  // `rm` can't be made to run code.
  rm: { files: 0, options: `-d -f -i -I -v !-r !-R --dir --force --verbose !--recursive ${HELP}`, effect: 'reads' },
  ln: writes(`-f -i -n -r -s -T -v --force --no-dereference --relative --symbolic --verbose ${HELP}`),
  chmod: writes(`-c -f -v --changes --quiet --verbose !-R !--recursive ${HELP}`),
  rsync: writes(
    `-a -v -z -h -n -r -t -l -p -o -g -P -i -u -c --archive --verbose --compress --human-readable --dry-run --recursive --times
     --progress --stats --itemize-changes --update --checksum --exclude= ${HELP}`,
    { operand: isLocal },
  ),
  curl: {
    options: `-s -S -f -L -I -i -v -G -m= -H= -A= --silent --show-error --fail --location --head --include --verbose --compressed --get
      --max-time= --connect-timeout= --retry= --header= --user-agent= --version`,
    values: { '-H': (value) => !value.startsWith('@'), '--header': (value) => !value.startsWith('@') },
  },
  wget: writes(`-q -c --quiet --no-verbose --continue --version`),
  make,
  gmake: make,
  tsc: {
    style: 'words',
    options: `--noEmit --pretty --strict --skipLibCheck --listFiles --diagnostics --extendedDiagnostics --traceResolution -v --version -h --help`,
    effect: 'runs',
    operand: isTarget,
  },
  eslint: runs(`--quiet --max-warnings= --color --no-color -h -v --help --version`),
  prettier: runs(`-c -l --check --list-different --version --help`),
  pytest: runs(
    `-q -v -x -s -l -k= -m= --lf --ff --nf --sw --tb= --maxfail= --durations= --collect-only --co --exitfirst --quiet --verbose
     --last-failed --failed-first --no-header --no-summary --version`,
    { operand: isTarget },
  ),
  vitest: runs('-t= --testNamePattern= --run --coverage --passWithNoTests --bail= --silent --no-color --version'),
  jest: runs('-t= -i --testNamePattern= --runInBand --ci --coverage --silent --verbose --bail --version'),
  docker: {
    options: '-v --version',
    subcommands: {
      ps: { options: '-a -q -s -n= -l --all --quiet --size --no-trunc --format= --filter= --last= --latest' },
      images: { options: '-a -q --all --quiet --no-trunc --digests --format= --filter=' },
      logs: { options: '-n= -t --tail= --since= --until= --timestamps --details' },
      inspect: { options: '-s -f= --size --format= --type=' },
      version: { options: '-f= --format=' },
      info: { options: '-f= --format=' },
      top: {},
      port: {},
      stats: { options: '-a --all --no-stream --no-trunc --format=' },
      history: { options: '-q --quiet --no-trunc --format=' },
    },
  },
  kubectl: {
    subcommands: {
      get: {
        options:
          '-A -n= -o= -l= --all-namespaces --namespace= --output= --selector= --show-labels --field-selector= --sort-by= --no-headers',
      },
      describe: { options: '-A -n= -l= --all-namespaces --namespace= --selector=' },
      logs: {
        options:
          '-n= -c= -l= -p --namespace= --container= --selector= --previous --tail= --since= --timestamps --all-containers',
      },
      version: { options: '-o= --client --output=' },
      explain: { options: '--recursive' },
      top: {
        options: '-A -n= -l= --all-namespaces --namespace=',
        subcommands: { pod: {}, pods: {}, node: {}, nodes: {} },
      },
    },
  },
  cargo: {
    options: '-v -q -V --version --verbose --quiet --offline --locked --frozen',
    subcommands: Object.fromEntries(
      ['test', 'build', 'check', 'clippy', 'doc', 'bench', 't', 'b', 'c'].map((name) => [
        name,
        runs(
          `-v -q -r -p= -j= --verbose --quiet --release --workspace --all --all-targets --all-features --no-default-features --lib --bins
           --tests --examples --no-run --no-fail-fast --keep-going --offline --locked --frozen --package= --test= --bin= --example=
           --features= --exclude= --jobs=`,
          { passesOn: true },
        ),
      ]),
    ),
  },
  go: {
    subcommands: {
      ...Object.fromEntries(
        ['test', 'build', 'vet'].map((name) => [
          name,
          runs('-v -race -short -cover -failfast -json -x -a -run= -count= -timeout= -bench= -parallel= -cpu= -tags=', {
            style: 'words',
          }),
        ]),
      ),
      version: {},
      list: { style: 'words', options: '-m -json -deps -f= -e -test -u', effect: 'runs' },
      doc: { style: 'words', options: '-all -short -src -u' },
    },
  },
  pip: { subcommands: { list: packages, show: packages, freeze: packages, check: packages }, options: '-V --version' },
  pip3: { subcommands: { list: packages, show: packages, freeze: packages, check: packages }, options: '-V --version' },
};
