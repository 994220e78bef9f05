/** How a program uses the words after it, if they aren't plain arguments. */
export type ProgramKind =
  /** The words after its options are a command. */
  | 'wrapper'
  /** A wrapper that reads more words from elsewhere, so the text doesn't show the full command. */
  | 'open-wrapper'
  /** Runs text like a shell: from a word, a file or stdin. */
  | 'shell'
  /** Changes the meaning of the commands after it. */
  | 'state'
  | 'folder';

const KINDS: Readonly<Record<ProgramKind, string>> = {
  wrapper: `command builtin exec env nohup nice ionice timeout gtimeout stdbuf setsid chrt taskset numactl prlimit
    sudo sudoedit doas pkexec runuser setpriv capsh chroot unshare nsenter fakeroot fakechroot firejail bwrap sandbox-exec
    systemd-run systemd-inhibit dbus-run-session dbus-launch busybox toybox setarch linux32 linux64 i386 x86_64 arch
    unbuffer chronic caffeinate rlwrap winpty xvfb-run proxychains proxychains4 torsocks torify tsocks eatmydata cpulimit
    strace ltrace gdb valgrind perf flock daemonize start-stop-daemon lxc-execute ld.so ld-linux.so.2 time softlimit
    envdir chpst setuidgid envuidgid with-contenv s6-setuidgid catchsegv apply faketime choom uclampset coresched runcon
    ssh-agent sshpass gosu su-exec tini dumb-init catatonit logsave aa-exec run0 systemd-nspawn proot pidproxy
    cgexec ifne trickle rr gdbserver ldd lockf xterm cross-env cross-env-shell dotenv dotenvx envchain aws-vault chamber`,
  'open-wrapper': `xargs gxargs parallel watch entr at batch crontab su newgrp sg screen tmux dtach abduco hyperfine
    multitime nodemon watchexec watchman inotifywait reptyr script expect run-parts socat concurrently`,
  shell: `sh bash dash ash zsh ksh ksh93 mksh pdksh rbash fish csh tcsh yash posh xonsh elvish nu pwsh powershell eval trap`,
  state: `. source alias unalias enable hash set shopt export declare typeset local readonly unset read mapfile readarray
    getopts bind complete compgen compopt let fc history umask ulimit disown bg fg suspend coproc`,
  folder: `cd pushd popd`,
};

const BY_NAME: ReadonlyMap<string, ProgramKind> = new Map(
  (Object.entries(KINDS) as [ProgramKind, string][]).flatMap(([kind, names]) =>
    names.split(/\s+/).map((name) => [name, kind] as const),
  ),
);

/** Judges by name only, ignoring the folder. */
export function kindOfProgram(name: string): ProgramKind | undefined {
  return BY_NAME.get(name) ?? versionedKind(name) ?? (LOADER.test(name) ? 'wrapper' : undefined);
}

/** `bash-5.2` is bash. */
function versionedKind(name: string): ProgramKind | undefined {
  const last = name.charCodeAt(name.length - 1);
  return last >= 48 && last <= 57 ? BY_NAME.get(name.replace(/(?<=[a-z])-?\d[\d.]*$/, '')) : undefined;
}

/** Loaders and emulators are named after their architecture. */
const LOADER = /^(?:ld-(?:linux|musl)|qemu-)/;

/** The name of a program without its folder. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

/**
 * Programs that run what follows one of these words, or anything that follows. Unlike wrappers, they do more than that, so a rule may allow
 * them; deny rules still find the command inside.
 */
const RUNS_AFTER: ReadonlyMap<string, readonly string[] | 'anything'> = new Map<string, readonly string[] | 'anything'>(
  Object.entries({
    find: ['-exec', '-execdir', '-ok', '-okdir'],
    fd: ['-x', '-X', '--exec', '--exec-batch'],
    npx: 'anything',
    pnpx: 'anything',
    bunx: 'anything',
    uvx: 'anything',
    pipx: ['run'],
    npm: ['exec', 'x'],
    pnpm: ['exec', 'dlx'],
    yarn: ['exec', 'dlx', 'run'],
    bun: ['x', 'run'],
    uv: ['run'],
    poetry: ['run'],
    pipenv: ['run'],
    hatch: ['run'],
    rye: ['run'],
    doppler: ['run'],
    op: ['run'],
    foreman: ['run'],
    lerna: ['exec'],
    mise: ['exec', 'x'],
    asdf: ['exec'],
    rbenv: ['exec'],
    pyenv: ['exec'],
    nvm: ['exec', 'run'],
    sops: ['exec-env', 'exec-file'],
    conda: ['run'],
    bundle: ['exec'],
    direnv: ['exec'],
    git: ['foreach', 'run', 'filter-branch', 'merge-index'],
    ip: ['exec'],
    jobs: ['-x'],
    docker: ['run', 'exec'],
    podman: ['run', 'exec'],
    kubectl: ['exec'],
    ssh: 'anything',
    mosh: 'anything',
    nix: ['run', 'shell', '-c', '--command'],
    'nix-shell': ['--run', '--command'],
    go: ['-exec', '-toolexec'],
    vagrant: ['-c', '--command'],
  } as const),
);

/** Positions at which another command may start in a program's words. */
export function startsOfCommands(program: string, words: readonly string[]): readonly number[] {
  const after = RUNS_AFTER.get(program);
  if (after === undefined) return [];
  const starts: number[] = [];
  let open = after === 'anything';
  for (let at = 1; at < words.length; at += 1) {
    const before = words[at - 1] ?? '';
    const begins = after !== 'anything' && after.includes(before);
    // After an option, the command follows directly; after a word like `run`, options and names may come first.
    if (begins && !before.startsWith('-')) open = true;
    if (open || begins) starts.push(at);
  }
  return starts;
}
