/** Programs that run code from a word, a file or stdin. A star matches none of their words. */
const INTERPRETERS = `python ipython bpython ptpython pypy jython micropython node nodejs deno bun tsx ts-node perl ruby irb pry php hhvm lua
  luajit texlua R Rscript julia octave matlab scilab ghci runghc runhaskell ocaml utop erl escript elixir iex mix scala kotlin groovy clojure
  java jshell jrunscript jjs swift dart tclsh wish expect osascript guile racket sbcl clisp ecl gosh scheme mit-scheme chibi emacs
  emacsclient vi vim nvim view rview rvim vimdiff ex ed red nano pico editor sensible-editor select-editor sqlite3 sqlite psql mysql mariadb
  mongo mongosh redis-cli duckdb clickhouse gdb lldb bc dc m4 gnuplot maxima gap sage jq-repl ftp sftp lftp telnet tex latex pdflatex
  xelatex lualatex xetex luatex context troff groff nroff gs ghostscript ps2pdf pforth gforth awk-repl busybox toybox slsh
  pwsh powershell cscript wscript`;

/** Programs that may run another program, or whose operands determine what they do. */
const RUNNERS = `git npm yarn pnpm docker kubectl cargo go npx pnpx bunx uvx pipx uv poetry pipenv pdm hatch rye pixi conda mamba micromamba doppler op foreman honcho lerna nx turbo mise
  asdf rbenv pyenv nodenv goenv jenv nvm fnm volta sops bundle bundler gem rake thor rails direnv devbox nix nix-shell nix-env guix ssh
  scp mosh vagrant podman buildah skopeo nerdctl lxc lxd incus multipass gh glab hub aws gcloud gsutil az doctl heroku vercel netlify firebase
  fly flyctl wrangler terraform tofu terragrunt pulumi ansible ansible-playbook puppet chef salt helm kustomize skaffold argocd istioctl
  systemctl service journalctl loginctl apt apt-get aptitude dpkg rpm yum dnf zypper pacman apk brew port snap flatpak
  just task go-task ninja meson cmake ctest bazel buck gradle gradlew mvn ant sbt lein tox nox invoke fab scons tup ccache sccache
  distcc grc setlock pexec genie gcc g++ cc c++ clang clang++ ld as rustc rustup javac man info apropos pager sensible-pager run-mailcap
  see open xdg-open start w3m lynx links mail mutt top htop iftop perf-stat openssl gpg ssh-keygen ssh-add
  patch dd install split csplit xmllint xsltproc pandoc yq ip nc ncat netcat socat tcpdump tshark nmap wall write zip unzip 7z rar
  cpio ar svn hg bzr fossil cvs bsdtar zgrep zcat xz gzip bzip2 zstd tmate byobu debconf fstab-decode fakeroot
  gp-collect-app gprofng heaptrack memusage sotruss not lit lli opt bugpoint kcov scl systemd-cat`;

const names = (text: string): readonly string[] => text.split(/\s+/);
const escaped = (name: string): string => name.replaceAll(/[.+]/g, String.raw`\$&`);

/** `python3.11`, `perl5.36-x86_64-linux-gnu` and `vim.basic` are treated as the programs they are named after. */
const INTERPRETER = new RegExp(`^(?:${names(INTERPRETERS).map(escaped).join('|')})(?=$|[-.\\d])`, 'i');
const RUNNER = new RegExp(`^(?:${names(RUNNERS).map(escaped).join('|')})(?=$|[-.\\d])`, 'i');

/** Matches only the name, with an optional version: as an operand, `view.html` is a file. */
const NAME = new RegExp(`^(?:${names(INTERPRETERS).map(escaped).join('|')})[\\d.]*$`, 'i');

export function isInterpreterName(word: string): boolean {
  return NAME.test(word);
}

export function isInterpreter(program: string): boolean {
  return INTERPRETER.test(program);
}

export function isRunner(program: string): boolean {
  return RUNNER.test(program);
}

/** Interpreters whose first word is a script; their stdin is then data. */
const SCRIPTED = /^(?:i?python|pypy|node|perl|ruby|php|lua|rscript|tsx|ts-node|deno|bun|julia)(?=$|[-.\djs])/i;

/** Whether an interpreter runs its stdin as code. */
export function takesCodeFromInput([program = '', first = '', second]: readonly string[]): boolean {
  if (!SCRIPTED.test(program)) return true;
  if (first !== '' && !first.startsWith('-')) return false;
  if (/^-[a-z]*[ce]$/.test(first) && second !== undefined) return false;
  return !(first === '-m' && second === 'json.tool');
}
