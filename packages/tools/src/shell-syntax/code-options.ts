/** One program's options that run code, load other configuration, use other folders, or make the program write. */
export interface CodeOptions {
  /** Single letters, alone or combined after one dash. */
  readonly letters?: string;
  /** Long options without dashes. Also matches abbreviations and a single dash. */
  readonly long?: readonly string[];
  /** Whole words that are not options. */
  readonly words?: readonly string[];
  /** A pattern that words are matched against. */
  readonly form?: RegExp;
}

/** Option names that mean the same for almost every program. */
export const EVERYWHERE: readonly string[] =
  `exec exec-path execute execdir exec-batch eval command cmd shell script-shell
  node-options require import loader experimental-loader prefix config config-env config-file rcfile init-file init-script
  pager editor upload-pack receive-pack rsh rsh-command rsync-path to-command use-compress-program compress-program
  checkpoint-action new-volume-script info-script preprocessor pre hostname-bin proxy-command plugin plugins load
  load-extension git-dir work-tree super-prefix open-files-in-pager ext-diff extcmd output in-place interpreter wrapper
  toolexec preload javaagent onload-script script user-agent-script hook hooks-path output-file output-dir output-directory`.split(
    /\s+/,
  );

const npm: CodeOptions = {
  letters: 'Ccw',
  long: `script-shell node-options prefix dir cwd userconfig globalconfig init-module git python shell call workspace workspaces
    workspace-root registry ignore-scripts node-gyp node scripts-prepend-node-path include-workspace-root global location
    use-node-version shell-emulator config script allow-scripts editor viewer browser tag-version-prefix cache`.split(
    /\s+/,
  ),
};
const ssh: CodeOptions = { letters: 'oFSJELRDWwPDBc', long: [] };
const awk: CodeOptions = {
  letters: 'fEilpodDW',
  long: 'file include load exec pretty-print profile dump-variables debug source'.split(' '),
};
const make: CodeOptions = {
  letters: 'fCIEW',
  long: 'file makefile directory include-dir eval what-if assume-new'.split(' '),
  form: /^[^-][^=]*=/,
};
const compiler: CodeOptions = {
  letters: 'B',
  form: /^(?:-fplugin|-wrapper|-specs|--specs|-load|-Xclang|@|-o|-fuse-ld)/,
};
const latex: CodeOptions = { form: /^--?(?:enable-)?(?:shell-escape|write18|output-directory)/ };
const netcat: CodeOptions = { letters: 'ec', long: ['sh-exec', 'lua-exec'] };
/** Programs whose configuration is code, with the option that names it. */
const configured: CodeOptions = { letters: 'c', long: ['config', 'config-path'] };
const editor: CodeOptions = { letters: 'cSsuUielW', form: /^\+/, long: ['cmd', 'startuptime'] };

/** Keyed by program name. `git`, `sed`, `awk` and `tar` need more checks; see code-words. */
export const CODE_OPTIONS: Readonly<Record<string, CodeOptions>> = {
  npm,
  npx: npm,
  pnpm: npm,
  pnpx: npm,
  yarn: npm,
  bun: npm,
  bunx: npm,
  ssh,
  scp: ssh,
  sftp: ssh,
  mosh: { long: ['ssh', 'server', 'client'] },
  rsync: {
    letters: 'eM',
    long: 'rsh rsync-path remote-option filter files-from remove-source-files delete log-file write-batch daemon'.split(
      ' ',
    ),
  },
  tar: {
    letters: 'IFTPC',
    long: `to-command use-compress-program checkpoint-action new-volume-script info-script rsh-command rmt-command
      absolute-names directory remove-files overwrite files-from`.split(/\s+/),
    // A remote archive is accessed through a shell on that machine.
    form: /^[^-/][^/]*:/,
  },
  find: { form: /^-(?:exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf|files0-from)$/ },
  fd: { letters: 'xX' },
  sed: { letters: 'if', long: ['in-place', 'file'] },
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  make,
  gmake: make,
  just: make,
  ninja: { letters: 'Cft' },
  cmake: { letters: 'PECD', long: ['build', 'install', 'toolchain', 'preset'] },
  gcc: compiler,
  'g++': compiler,
  cc: compiler,
  'c++': compiler,
  clang: compiler,
  'clang++': compiler,
  python: { letters: 'cmiXW' },
  python3: { letters: 'cmiXW' },
  python2: { letters: 'cmiXW' },
  pip: { letters: 'rietcb', long: ['index-url', 'extra-index-url', 'target', 'editable', 'global-option'] },
  node: {
    letters: 'epri',
    long: ['eval', 'print', 'require', 'import', 'env-file', 'inspect', 'run', 'test-reporter'],
  },
  deno: { words: ['eval', 'repl'], letters: 'Ac', long: ['allow-all', 'allow-run', 'import-map'] },
  tsx: { letters: 'epri' },
  perl: { letters: 'eEMmIdxi' },
  ruby: { letters: 'erIiCx' },
  php: { letters: 'rBREdFcfz' },
  lua: { letters: 'el' },
  java: { form: /^-(?:agent|javaagent|Xbootclasspath|XX:On)/ },
  curl: {
    letters: 'oOKTDcFqJEw',
    long: `output remote-name config upload-file dump-header cookie-jar form trace trace-ascii output-dir netrc-file engine
      unix-socket proxy resolve connect-to libcurl stderr etag-save hsts alt-svc write-out`.split(/\s+/),
  },
  wget: {
    letters: 'OoPeiaBS',
    long: `output-document output-file directory-prefix execute input-file use-askpass post-file body-file append-output
      warc-file config save-cookies`.split(/\s+/),
  },
  sort: { letters: 'oT', long: ['output', 'compress-program', 'files0-from', 'temporary-directory'] },
  split: { long: ['filter'] },
  shuf: { letters: 'o' },
  tree: { letters: 'oR' },
  yq: { letters: 'i', long: ['inplace'] },
  iconv: { letters: 'o' },
  jobs: { letters: 'x' },
  ip: { words: ['exec'], form: /^-b/ },
  // The arguments of `dc` are programs.
  dc: { form: /./ },
  m4: { form: /./ },
  man: { letters: 'PHpCM', long: ['pager', 'html', 'preprocessor', 'config-file'] },
  less: { letters: 'koOpt', long: ['lesskey-file', 'lesskey-src', 'lesskey-content', 'log-file'], form: /^\+/ },
  more: { form: /^\+/ },
  vi: editor,
  vim: editor,
  nvim: editor,
  view: editor,
  ex: editor,
  emacs: { letters: 'flL', long: ['eval', 'execute', 'load', 'funcall', 'script'] },
  zip: { letters: 'TbO', long: ['unzip-command', 'test'] },
  rg: { long: ['pre', 'hostname-bin'], letters: 'f' },
  grep: { letters: 'f' },
  fzf: { long: ['bind', 'preview', 'become'] },
  gdb: { letters: 'xe' },
  tcpdump: { letters: 'zwr' },
  psql: { letters: 'cfov' },
  mysql: { letters: 'e', long: ['execute', 'init-command', 'defaults-file', 'plugin-dir'] },
  sqlite3: { form: /^-(?:cmd|init)$|^\./ },
  cargo: { letters: 'Zx', long: ['config', 'manifest-path'], form: /^\+/ },
  go: {
    letters: 'C',
    long: 'exec toolexec overlay modfile vettool ldflags gccgoflags compiler o outputdir'.split(' '),
  },
  mvn: { letters: 'fs', form: /^-D/ },
  gradle: { letters: 'Ipb', long: ['init-script', 'project-dir', 'build-file'] },
  openssl: { long: ['engine', 'provider'], form: /^-(?:engine|provider|provider-path)$/ },
  docker: { letters: 'vH', long: ['volume', 'mount', 'privileged', 'device', 'entrypoint', 'host', 'config'] },
  eslint: {
    letters: 'cfo',
    long: 'config plugin parser rulesdir resolve-plugins-relative-to fix format output-file cache-location'.split(' '),
  },
  pytest: { letters: 'pco', long: 'rootdir confcutdir override-ini pdbcls config-file basetemp'.split(' ') },
  prettier: { long: ['plugin', 'config', 'write'], letters: 'w' },
  jest: { letters: 'c', long: ['config', 'setupfiles', 'globalsetup', 'runner', 'transform', 'rootdir'] },
  vitest: {
    letters: 'cr',
    long: `config root dir globalsetup environment reporter pool workspace execargv snapshotenvironment runner
      outputfile`.split(/\s+/),
    // `--coverage.customProviderModule`, `--poolOptions.forks.execArgv`, `--browser.provider`: all name modules.
    form: /^--[\w-]+\./,
  },
  mocha: { letters: 'r', long: ['require', 'config', 'reporter', 'ui'] },
  tsc: { letters: 'pb', long: ['project', 'build', 'outdir', 'outfile'], form: /^@/ },
  test: { letters: 'vR' },
  '[': { letters: 'vR' },
  printf: { letters: 'v' },
  wait: { letters: 'p' },
  date: { letters: 's', long: ['set'] },
  ls: {},
  install: { long: ['strip-program'] },
  diff3: { long: ['diff-program'] },
  sdiff: { letters: 'o', long: ['diff-program'] },
  svn: { long: ['diff-cmd', 'diff3-cmd', 'merge-cmd', 'editor-cmd', 'config-dir', 'config-option'] },
  hg: { letters: 'R', long: ['config', 'config-file', 'repository', 'cwd'] },
  tex: latex,
  latex,
  pdflatex: latex,
  xelatex: latex,
  lualatex: latex,
  nc: netcat,
  ncat: netcat,
  netcat,
  kubectl: { long: ['kubeconfig'] },
  helm: { long: ['kubeconfig', 'post-renderer'] },
  pandoc: { letters: 'FLodH', long: ['filter', 'lua-filter', 'pdf-engine', 'data-dir', 'defaults', 'template'] },
  rustc: { letters: 'CLo', long: ['codegen', 'out-dir', 'sysroot'] },
  mypy: { long: ['python-executable', 'config-file'] },
  pylint: { long: ['init-hook', 'load-plugins', 'rcfile'] },
  rubocop: { letters: 'rc', long: ['require'] },
  rspec: { letters: 'rIO', long: ['require', 'options'] },
  phpunit: { letters: 'c', long: ['bootstrap', 'configuration'] },
  stylelint: { letters: 'c', long: ['custom-syntax', 'custom-formatter', 'config', 'fix'] },
  playwright: configured,
  webpack: configured,
  oxlint: configured,
  biome: configured,
  knip: configured,
  rollup: { letters: 'cpo', long: ['plugin', 'dir', 'file'] },
  babel: { letters: 'od', long: ['presets', 'plugins', 'config-file', 'out-file', 'out-dir'] },
  'ts-node': { letters: 'rCepP', long: ['require', 'compiler', 'project', 'cwd'] },
  gulp: { letters: 'f', long: ['gulpfile', 'cwd'] },
  grunt: { long: ['gruntfile', 'base', 'tasks'] },
};
