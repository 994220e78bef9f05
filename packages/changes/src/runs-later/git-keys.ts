/**
 * Git configuration keys that name something in the folder, grouped by what they name. `*` matches any middle or last part of a key. Other keys
 * are included if their value is the path to an existing file.
 */
const KEYS = {
  /** Everything in the folder runs, or is copied to a place where it runs. */
  folder: `core.hookspath init.templatedir gitflow.path.hooks`,
  /** Read as configuration, which may name programs. */
  file: `include.path includeif.*.path core.attributesfile`,
  /** The folder in which hooks start. */
  root: `core.worktree`,
  /** Run by a shell or directly. */
  command: `
    core.fsmonitor core.editor core.pager core.sshcommand core.askpass core.gitproxy core.alternaterefscommand
    sequence.editor pager.* alias.* interactive.difffilter
    filter.*.clean filter.*.smudge filter.*.process
    diff.external diff.*.command diff.*.textconv difftool.*.cmd difftool.*.path
    merge.*.driver mergetool.*.cmd mergetool.*.path
    gpg.program gpg.*.program gpg.ssh.defaultkeycommand
    credential.helper credential.*.helper
    browser.*.cmd browser.*.path man.*.cmd man.*.path guitool.*.cmd web.browser help.browser instaweb.httpd instaweb.browser
    trailer.*.command trailer.*.cmd hook.*.command submodule.*.update
    remote.*.uploadpack remote.*.receivepack remote.*.url remote.*.pushurl remote.*.vcs uploadpack.packobjectshook
    sendemail.sendmailcmd sendemail.smtpserver sendemail.tocmd sendemail.cccmd sendemail.headercmd
    sendemail.*.sendmailcmd sendemail.*.smtpserver sendemail.*.tocmd sendemail.*.cccmd sendemail.*.headercmd
    imap.tunnel tar.*.command gc.recentobjectshook
    lfs.customtransfer.*.path lfs.customtransfer.*.args lfs.extension.*.clean lfs.extension.*.smudge`,
} as const;

/** If hooks are at the top of the working tree, only these names run; everything else there stays writable. */
export const HOOKS: readonly string[] = `
  applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase
  post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout
  pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit
  post-index-change`
  .trim()
  .split(/\s+/);

export type SettingKind = keyof typeof KEYS;

const PATTERNS = (Object.entries(KEYS) as [SettingKind, string][]).map(([kind, keys]) => {
  const patterns = keys
    .trim()
    .split(/\s+/)
    .map((key) => key.replaceAll('.', String.raw`\.`).replaceAll('*', '.*'));
  return { kind, pattern: new RegExp(`^(?:${patterns.join('|')})$`, 's') };
});

/**
 * What the value of this key names. An alias or update command without `!` is not a program in the folder, and neither is a credential helper
 * that is one word: Git finds `git-credential-WORD` itself.
 */
export function kindOfSetting(key: string, value: string): SettingKind | undefined {
  const known = key.toLowerCase();
  const kind = PATTERNS.find(({ pattern }) => pattern.test(known))?.kind;
  if (kind !== 'command') return kind;
  const needsMark = known.startsWith('alias.') || known.startsWith('submodule.');
  if (needsMark && !value.trimStart().startsWith('!')) return undefined;
  return known.startsWith('credential.') && /^[\w.-]+$/.test(value) ? undefined : kind;
}

/**
 * The words in a command that may be paths. Shell syntax is not parsed, so there may be false positives. A path after a substitution, such as
 * `$(git rev-parse --show-toplevel)/x`, is also resolved against the folder.
 */
export function wordsOfCommand(command: string): string[] {
  const quoted = [...command.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, double, single]) => double ?? single ?? '');
  const escaped = [...command.matchAll(/(?:\\.|[^\s\\])+/gs)].map(([word]) => word.replaceAll(/\\(.)/gs, '$1'));
  const plain = command.split(/[\s"'`;&|()<>{}$=:,!\\]+/);
  const words = [...plain, ...quoted, ...escaped].filter((word) => word !== '' && !word.startsWith('-'));
  return [...new Set(words.flatMap((word) => (word.startsWith('/') ? [word, `.${word}`] : [word])))];
}
