import type { StarTable } from './star-table.js';

const DIFF = `-p -u -s -z -R -a -b -w -q -W -# -U[=] -M[=] -C[=] -B[=] -S= -G= -l= --patch --no-patch --unified[=] --raw --patch-with-raw
  --minimal --patience --histogram --diff-algorithm= --stat[=] --compact-summary --numstat --shortstat --dirstat[=] --summary
  --name-only --name-status --submodule[=] --color[=] --no-color --color-moved[=] --word-diff[=] --word-diff-regex= --color-words[=]
  --no-renames --check --full-index --binary --abbrev[=] --no-abbrev --find-renames[=] --find-copies[=] --find-copies-harder
  --diff-filter= --pickaxe-all --pickaxe-regex --relative[=] --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol
  --ignore-space-change --ignore-all-space --ignore-blank-lines --inter-hunk-context= --function-context --exit-code --quiet
  --no-ext-diff --no-textconv --ignore-submodules[=] --src-prefix= --dst-prefix= --no-prefix --line-prefix= --cc -c -m`;
const COMMITS = `-n= -i -E -F -P -g -L= -t --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep=
  --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges
  --first-parent --all --branches[=] --tags[=] --remotes[=] --glob= --exclude= --not --cherry-pick --cherry-mark --left-right
  --left-only --right-only --walk-reflogs --merge --boundary --simplify-by-decoration --full-history --ancestry-path
  --date-order --author-date-order --topo-order --reverse --no-walk[=] --graph --no-graph --oneline --pretty[=] --format= --abbrev-commit
  --no-abbrev-commit --date= --relative-date --parents --children --decorate[=] --no-decorate --decorate-refs= --follow --source
  --full-diff --log-size --no-notes --notes[=]`;
const log: StarTable = { files: 0, options: `${DIFF} ${COMMITS}` };
const diff: StarTable = { files: 0, options: `${DIFF} --cached --staged --merge-base --no-index` };
/** Branch names, without the `+` that forces a push and the `:` that deletes a branch. */
const isName = (word: string): boolean => /^[A-Za-z0-9_][\w./-]*$/.test(word);
const isAddress = (word: string): boolean => !/::|[/@]-/.test(word);
/** A remote may be a folder, whose hooks run. */
const remote: StarTable = { program: { isHarmless: () => false, givenBy: [] }, operand: isName };
const writes = (options: string, more: Partial<StarTable> = {}): StarTable => ({ options, effect: 'writes', ...more });

/**
 * `git *` covers subcommands that change nothing. If a rule names another subcommand, the star may match its options.
 */
export const GIT: StarTable = {
  options: `-P -v --no-pager --version --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs
    --icase-pathspecs --no-replace-objects --no-advice !-C= !-c= !--git-dir= !--work-tree=`,
  subcommands: {
    log,
    shortlog: { options: `${COMMITS} -s -n -e -c --summary --numbered --email --group=` },
    show: log,
    whatchanged: log,
    reflog: { ...log, operand: (word) => word === 'show' || /^HEAD|\/|@\{/.test(word) },
    diff,
    'diff-tree': { options: `${DIFF} -r -t --root --no-commit-id --stdin` },
    'diff-index': { options: `${DIFF} --cached` },
    'diff-files': { options: DIFF },
    'rev-list': { options: `${COMMITS} --count --objects` },
    status: {
      files: 0,
      options: `-s -b -v -z -u[=] --short --branch --show-stash --porcelain[=] --long --verbose --untracked-files[=] --ignored[=]
        --ignore-submodules[=] --column[=] --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=]`,
    },
    blame: {
      files: 0,
      options: `-b -c -e -f -l -n -p -s -t -w -L= -M[=] -C[=] --root --show-stats --porcelain --line-porcelain --incremental --show-name
        --show-number --show-email --date= --since= --abbrev[=] --color-lines --color-by-age`,
    },
    describe: {
      options: `--all --tags --contains --abbrev[=] --candidates= --exact-match --debug --long --match= --exclude= --always
        --first-parent --dirty[=] --broken[=]`,
    },
    'rev-parse': {
      options: `--abbrev-ref[=] --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --short[=] --verify
        --quiet -q --is-inside-work-tree --is-inside-git-dir --is-bare-repository --symbolic --symbolic-full-name --all --branches[=]
        --tags[=] --remotes[=] --revs-only --no-revs --show-current`,
    },
    'ls-files': {
      files: 0,
      options: `-c -d -m -o -i -s -t -u -v -z -k --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory
        --no-empty-directory --eol --exclude= --exclude-standard --error-unmatch --full-name --abbrev[=] --deduplicate --format=`,
    },
    'ls-tree': {
      options:
        '-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev[=] --format=',
    },
    'cat-file': { options: '-e -p -s -t --allow-unknown-type' },
    grep: {
      options: `-a -c -E -F -G -P -h -H -i -I -l -L -n -o -p -q -v -w -W -z -# -A= -B= -C= -e= -m= --cached --untracked --no-index --text --count
        --ignore-case --word-regexp --invert-match --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number
        --column --files-with-matches --name-only --files-without-match --null --only-matching --color[=] --no-color --break --heading
        --show-function --function-context --after-context= --before-context= --context= --max-depth= --recursive --and --or --not
        --all-match --quiet --full-name`,
    },
    'name-rev': { options: '--tags --refs= --exclude= --all --name-only --always' },
    'merge-base': { options: '-a --all --octopus --is-ancestor --fork-point --independent' },
    'for-each-ref': {
      options: `--count= --sort= --format= --color[=] --points-at= --merged[=] --no-merged[=] --contains[=] --no-contains[=] --ignore-case
        --exclude=`,
    },
    'show-ref': {
      options: '-d -s -q --head --heads --branches --tags --dereference --hash[=] --abbrev[=] --verify --quiet',
    },
    'count-objects': { options: '-v -H --verbose --human-readable' },
    'check-ignore': { options: '-q -v -n -z --quiet --verbose --non-matching --no-index' },
    cherry: { options: '-v --abbrev[=]' },
    version: { options: '--build-options' },
    branch: writes(
      `-a -r -v -q -l -i --all --remotes --verbose --quiet --list --show-current --column[=] --no-column --sort= --format= --color[=] --no-color
       --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= --track[=] --no-track`,
      { listsAlone: true },
    ),
    tag: writes(
      `-a -l -i -m= --annotate --list --message= --column[=] --sort= --format= --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at=`,
      { listsAlone: true },
    ),
    remote: writes('-v --verbose', { most: 0, listsAlone: true }),
    worktree: { subcommands: { list: { options: '-v -z --verbose --porcelain' } } },
    stash: {
      effect: 'writes',
      subcommands: {
        list: log,
        show: { options: `${DIFF} --include-untracked --only-untracked` },
        push: writes('-k -u -q -S -m= --keep-index --no-keep-index --include-untracked --quiet --staged --message='),
        pop: writes('-q --index --quiet'),
        apply: writes('-q --index --quiet'),
      },
    },
    add: writes(
      '-A -u -n -v -f -N --all --update --dry-run --verbose --force --intent-to-add --no-all --ignore-errors --refresh',
      { files: 0 },
    ),
    commit: writes(
      `-a -q -s -v -m= --all --quiet --signoff --no-signoff --verbose --message= --amend --no-edit --allow-empty --author= --date= --dry-run
       --short --branch --porcelain --only --include`,
    ),
    checkout: writes('-q -b= --quiet --detach --track[=] --no-track --ours --theirs --progress --no-progress'),
    switch: writes('-q -d -c= --quiet --detach --create= --track[=] --no-track --guess --no-guess'),
    restore: writes('-q -S -W -s= --quiet --staged --worktree --source= --ours --theirs'),
    mv: writes('-v -n -k --verbose --dry-run'),
    rm: writes('-n -q --dry-run --quiet --cached --ignore-unmatch !-r !-f !--force'),
    reset: writes('-q -N --quiet --soft --mixed --intent-to-add'),
    merge: writes(
      '-q -v -m= --ff --no-ff --ff-only --squash --no-squash --commit --no-commit --no-edit --stat --no-stat --abort --quiet',
    ),
    revert: writes('-n -s -m= --no-commit --no-edit --signoff --mainline= --abort --skip'),
    'cherry-pick': writes('-n -x -s -m= --no-commit --signoff --mainline= --abort --skip --ff --allow-empty'),
    push: writes(
      '-n -q -v -u --dry-run --quiet --verbose --set-upstream --tags --follow-tags --porcelain --progress',
      remote,
    ),
    fetch: writes(
      '-n -p -q -t -v -a --all --prune --tags --no-tags --quiet --verbose --dry-run --depth= --unshallow --progress',
      remote,
    ),
    pull: writes('-q -v -r --ff --no-ff --ff-only --rebase[=] --no-rebase --no-edit --quiet --verbose --all --prune', {
      ...remote,
      values: { '--rebase': (value) => /^(?:true|false|merges)$/.test(value) },
    }),
    clone: writes(
      '-q -v -n -l -b= --quiet --verbose --no-checkout --depth= --branch= --single-branch --no-tags --bare --progress',
      {
        operand: isAddress,
      },
    ),
  },
};
