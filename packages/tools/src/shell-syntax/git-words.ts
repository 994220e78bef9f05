/** The only global options that don't change what the subcommand does. */
const HARMLESS_BEFORE: ReadonlySet<string> = new Set([
  '--no-pager',
  '-P',
  '--version',
  '-v',
  '--help',
  '-h',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--glob-pathspecs',
  '--noglob-pathspecs',
  '--icase-pathspecs',
  '--no-replace-objects',
  '--no-advice',
]);

/** Subcommands that run programs, or change what Git runs later. */
const RUN: ReadonlySet<string> = new Set(
  `config submodule bisect filter-branch difftool mergetool hook daemon instaweb web--browse send-email shell upload-pack
   receive-pack upload-archive http-backend credential remote-ext remote-fd p4 svn cvsserver maintenance fsmonitor--daemon
   worktree sparse-checkout rebase am init var help merge-index`.split(/\s+/),
);

/** Short options that matter for one subcommand but are harmless in others. */
const LETTERS: Readonly<Record<string, string>> = {
  clone: 'uc',
  rebase: 'xi',
  grep: 'O',
  difftool: 'xt',
  mergetool: 't',
  archive: 'o',
  'format-patch': 'o',
  commit: 'eS',
  tag: 's',
  push: 'e',
};

/** Long options of the same kind: a template contains hooks, which run immediately. */
const LONG: Readonly<Record<string, readonly string[]>> = {
  clone: ['--template', '--separate-git-dir'],
  // If the remote is a folder, its configuration can name programs.
  archive: ['--remote'],
};

/** Words that change the target of a subcommand: a rule such as `git remote *` is meant to list remotes, not to change them. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  remote: ['add', 'set-url', 'rename'],
};

/** Positions of the words that a rule has to spell out; see code-words. */
export function gitWordsToSpell(words: readonly string[]): readonly number[] {
  const command = words.findIndex((word, at) => at > 0 && !word.startsWith('-'));
  const name = words[command] ?? '';
  const letters = Object.hasOwn(LETTERS, name) ? (LETTERS[name] ?? '') : '';
  const long = Object.hasOwn(LONG, name) ? (LONG[name] ?? []) : [];
  const elsewhere = Object.hasOwn(ELSEWHERE, name) ? (ELSEWHERE[name] ?? []) : [];
  const found: number[] = [];
  for (const [at, word] of words.entries()) {
    if (at === 0) continue;
    const before = command < 0 || at < command;
    if (before ? !HARMLESS_BEFORE.has(word) : at === command && RUN.has(name)) found.push(at);
    else if (at > command && (isShortFor(word, long) || elsewhere.includes(word))) found.push(at);
    // `ext::sh -c …` is a URL that runs a program.
    else if (word.includes('::')) found.push(at);
    else if (at > command && /^-[A-Za-z]/.test(word) && Array.from(letters).some((letter) => word.includes(letter))) {
      found.push(at);
    }
  }
  return found;
}

function isShortFor(word: string, long: readonly string[]): boolean {
  const [name = ''] = word.split('=');
  return name.length > 2 && long.some((option) => option.startsWith(name));
}
