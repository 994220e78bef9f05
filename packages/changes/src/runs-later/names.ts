/**
 * Files and folders that programs run automatically: on `cd`, on `git commit`, or when an editor opens the folder (RULE2).
 * Code that a person starts knowingly (`make`, `npm test`) is not listed; see SECURITY.md.
 *
 * `*` matches any part of a single name. An entry with a slash matches the end of a path; one that starts with a slash
 * matches only at the top of the working folder or of a repository in it. All ignore case and include their contents.
 */
const RUNS_BY_ITSELF = {
  'hook managers': `
    .githooks .git-hooks .husky .huskyrc .huskyrc.* husky.config.*
    lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook.jsonc
    .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json .lefthook.jsonc
    lefthook-local.* .lefthook-local.* .lefthook .lefthook-local
    .pre-commit-config.yaml .pre-commit-config.yml prek.toml
    .overcommit.yml .local-overcommit.yml
    .simple-git-hooks.* simple-git-hooks.*
    .lintstagedrc .lintstagedrc.* lint-staged.config.*
    .commitlintrc .commitlintrc.* commitlint.config.* .gitlint
    captainhook.json captainhook.config.json grumphp.yml grumphp.yml.dist grumphp.yaml .rusty-hook.toml hk.pkl hk.local.pkl`,

  'version control': `
    .gitconfig .hg .hgrc .jj .sl .bzr .pijul _darcs .repo .gclient .fslckout _FOSSIL_ .fossil-settings
    .arcconfig .arclint`,

  editors: `
    .vscode *.code-workspace .vscode-server .idea *.ipr *.iws .run .zed .fleet .vs .theia .nova
    .exrc .nvimrc .nvim.lua .vimrc _vimrc .gvimrc _gvimrc .lvimrc .local.vimrc .vim .nvim .vimspector.json coc-settings.json
    .neoconf.json .nlsp-settings .helix .kakrc .dir-locals.el .dir-locals-2.el .emacs .emacs.d
    *.sublime-project *.sublime-workspace *.sublime-build .lite_project.lua .atom-build.yml .atom-build.json
    .externalToolBuilders nbproject/private
    .ycm_extra_conf.py .tern-project .bsp .luacheckrc .luarc.json .luarc.jsonc .phpactor.json .phpactor.yml .solargraph.yml
    .formatter.exs .credo.exs .yarn/sdks`,

  'development environments': `
    .devcontainer .devcontainer.json .gitpod.yml .gitpod.Dockerfile .gitpod .codesandbox .stackblitzrc .replit replit.nix .idx
    devfile.yaml .devfile.yaml .binder`,

  shells: `
    .envrc .direnv .autoenv .autoenv.zsh .autoenv_leave.zsh .autoenv.leave .env.leave .shadowenv.d .smartcd .rvmrc .powrc .powenv
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc
    .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout
    config.fish fish/conf.d config.nu env.nu .xonshrc .elvish
    .xinitrc .xprofile .xsession .xsessionrc .tmux.conf .tmuxinator.yml .tmuxinator.yaml .tmuxp.yaml .tmuxp.yml .tmuxp.json
    .screenrc .wezterm.lua .zellij`,

  'version managers': `
    mise.toml .mise.toml mise.*.toml .mise.*.toml .mise .miserc.toml .config/mise mise/config.toml .rtx.toml .rtx
    .fvm rust-toolchain rust-toolchain.toml
    devbox.json devenv.nix devenv.local.nix devenv.yaml devshell.toml flake.nix shell.nix .flox hermit.hcl`,

  'package managers': `
    .npmrc .yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js bunfig.toml
    .bundle/config .cargo/config .cargo/config.toml .mvn gradle/wrapper .sbtopts .jvmopts`,

  'language runtimes': `
    .Rprofile .Renviron .RData renv/activate.R
    sitecustomize.py usercustomize.py .pythonrc .pythonrc.py .pythonstartup ipython_config.py
    jupyter_config.py jupyter_notebook_config.* jupyter_server_config.* jupyter_lab_config.*
    .irbrc .pryrc .iex.exs .ghci .ocamlinit .octaverc startup.m .scilab .gnuplot .user.ini .htaccess profiles.clj`,

  debuggers: `
    .gdbinit .gdbearlyinit *-gdb.gdb *-gdb.py *-gdb.scm .lldbinit .lldbinit-* .cgdbrc .radare2rc .pdbrc .pdbrc.py .perldb
    .byebugrc .jdbrc jdb.ini`,

  'task runners and builds': `
    .bazelrc .bazeliskrc tools/bazel .buckconfig .buckconfig.local .buckconfig.d ansible.cfg Saltfile .chef Guardfile .Guardfile
    .actrc`,

  'coding agents': `
    .claude .claude.json .mcp.json mcp.json .cursor .cursorrules .codex .gemini .windsurf .windsurfrules .continue .continuerc.json
    .opencode opencode.json opencode.jsonc .kiro .amazonq
    .aider.conf.yml .aider.model.settings.yml .cline .clinerules .roo .roomodes .roorules .kilocode .kilocodemodes
    .augment .trae .qwen .crush .crush.json crush.json .goose .goosehints .factory .junie .qoder .codebuddy .iflow .rovodev .pi .vibe
    .openhands .tabnine .copilot .agent .agents .antigravity .zencoder .warp`,

  'continuous integration': `
    /.github/workflows /.github/actions /.github/hooks /.gitea/workflows /.forgejo/workflows
    /.gitlab-ci.yml /.gitlab/ci /.circleci /.travis.yml /azure-pipelines.yml /azure-pipelines.yaml /.azure-pipelines
    /Jenkinsfile /.drone.yml /.woodpecker /.woodpecker.yml /.woodpecker.yaml /.buildkite /bitbucket-pipelines.yml /.teamcity
    /.cirrus.yml /.cirrus.star /appveyor.yml /.appveyor.yml /.semaphore /codemagic.yaml /cloudbuild.yaml /buildspec.yml
    /.readthedocs.yaml /.readthedocs.yml /wercker.yml /.builds /.build.yml`,

  'home folders kept in a repository': `
    .asdfrc .ssh .aws .kube .gnupg .netrc .psqlrc .sqliterc .mylogin.cnf .my.cnf .lessfilter .lesskey .mailcap .pam_environment
    .config/autostart .config/systemd .config/environment.d`,
} as const satisfies Readonly<Record<string, string>>;

type Runner = keyof typeof RUNS_BY_ITSELF;

/** Every entry in the table, with the kind of program that runs it. */
export const ENTRIES: readonly { readonly runner: Runner; readonly entry: string }[] = (
  Object.entries(RUNS_BY_ITSELF) as [Runner, string][]
).flatMap(([runner, names]) =>
  names
    .trim()
    .split(/\s+/)
    .map((entry) => ({ runner, entry })),
);
