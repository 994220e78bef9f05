import { mapJson } from '../map-json.js';

/** Properties of the whole call that decide how its texts are masked. */
export interface CallContext {
  /** Set if nothing may be masked, because the call runs text or writes it as code. */
  shows: boolean;
  /** Set if the call writes a file that may be executed. Its text isn't masked. */
  writesCode: boolean;
  /** Whether the value of this key is only read, never executed. */
  isProse(key: string | undefined): boolean;
  /** How many times an identifier occurs in the call. */
  mentions(name: string): number;
  /** The program that receives the argument list, or an empty string. */
  program: string;
}

/** Arguments that people or models read and nothing executes. */
const PROSE = /^(?:message|question|choices|query|q|title|description|reason|subject|comments?|summary|notes?)$/i;
/** Arguments that are also prose, unless the call names a file or a program. */
const TEXT = /^(?:content|text|body)$/i;

function isProse(key: string | undefined): boolean {
  return key !== undefined && PROSE.test(key);
}

const wordOf = (names: string): string => `(?<![\\w.-])(?:${names})(?![\\w-])`;
/** A position where a shell expects a command. */
const COMMAND = '(?:^|[\\n;&|(){`]|\\b(?:then|do|else|time)\\b)[ \\t"\'\\\\]*';

/** Regex source for programs that execute their input. */
export const INTERPRETERS =
  '(?:ba|z|da|k|fi|c|tc)?sh|python[\\d.]*|node|nodejs|perl|ruby|php|lua|deno|bun|pwsh|powershell|osascript|tclsh|Rscript|sqlite3';
const interpreters = wordOf(INTERPRETERS);

const runs = [
  // Words that evaluate, decode or forward what follows.
  wordOf(
    'eval|exec|execve|source|alias|trap|xargs|parallel|env|printenv|declare|typeset|compgen|mapfile|readarray|base32|base64|' +
      'xxd|uudecode|atob|b64decode|a2b_base64|fromhex|fromCharCode|unescape|Function|popen|spawn|subprocess|system|' +
      'sudo|doas|nohup|setsid|strace|crontab|npx|pnpx|bunx|uvx|pipx|iex|Invoke-Expression|busybox|rev|tr|tee|dd|sponge|patch|expect|watchexec|entr',
  ),
  `${COMMAND}(?:\\.|su|at|batch|find|fd|awk|gawk|mawk|sed|make|watch|time|timeout|nice|ssh|read|for|set|export -f)[ \\t]`,
  wordOf(
    '(?:docker|podman|kubectl)[ \\t]+(?:run|exec|create|build|compose)|(?:npm|pnpm|yarn)[ \\t]+(?:run|exec|x|dlx|pkg|config|set|test|start)',
  ),
  '(?<![\\w/-])(?:alias|scripts?|tasks?|hooks?|core|diff|merge|filter|credential|include)\\.\\w',
  // An interpreter without a file argument: it runs an option, its input or a here-document.
  `${interpreters}(?![ \\t]+[\\w./~])`,
  '\\bprintf[ \\t]+(?:-v|[^\\n;|]*\\|)',
  // A variable in command position, an indirect variable, a here-document, a function.
  `${COMMAND}\\$`,
  '\\$\\{!|\\$\\{?env:|\\$ENV\\{|<<|<\\(|\\(\\)[ \\t]*\\{',
];

const code = [
  '#!|=>',
  // A section of an INI or TOML file whose entries run commands.
  '\\[[^\\]\\n]{0,60}(?:scripts|tasks|alias|hooks|commands?|entry.points|tool|service|credential)[^\\]\\n]{0,60}\\]',
  wordOf(
    'import|require|function|def|class|const|let|var|lambda|return|include|package|use|fn|sub|echo|export|begin|do',
  ),
  // Settings that name a program, in files of package managers, editors, runners and Git.
  `(?<![\\w-])["']?(?:\\w*scripts?|tasks?|commands?|cmds?|run|lint-staged|exec\\w*|hooks?|entrypoint|entry|(?:pre|post)(?:install|build|test|publish|commit|push|start|pack|prepare)|aliases|helper|proxycommand|` +
    `fsmonitor|sshcommand|askpass|editor|pager|textconv|filter|driver|args|bin|main|module|plugins?|loader|interpreter|shell|type|uses)["'\\\\]*[ \\t]*[:=]`,
];

const runsText = new RegExp(runs.join('|'));
const interpreter = new RegExp(interpreters);
const isCode = new RegExp(code.join('|'), 'i');
const PROGRAM = /^(?:command|cmd|program|executable|bin|argv|args)$/i;

const FILE = /^(?:path|file|file_?name|file_?path|target|dest|destination|output)$/i;
const NAME = /^(?:name|id|uri|url|key|title|folder|dir|directory|language|lang|type|kind|format|mode)$/i;
/** File types that nothing executes. A file with any other name may be a program. */
const DATA =
  /(?:\.(?:env|json|ya?ml|toml|ini|cfg|conf|properties|txt|md|csv|log|xml|pem|key)|(?:^|[/\\])\.(?:env(?:\.\w+)*|netrc|pgpass))$/i;
const redirection = />[>|]?[ \t]*["']?([^\s;&|<>()"']+)/g;

/** Keys whose value is a command. Other text may be written to a file. */
const SHELL = /^(?:command|cmd|shell|script|code|run|exec)$/i;
const ARGUMENTS = /^(?:args|argv|arguments|parameters|params|options|flags)$/i;

/** Whether a key contains the arguments of a program named elsewhere in the call. */
export function isArgumentList(key: string | undefined): boolean {
  return key !== undefined && ARGUMENTS.test(key);
}

export function isShell(key: string | undefined): boolean {
  return key !== undefined && (SHELL.test(key) || ARGUMENTS.test(key));
}

export function readCallContext(value: unknown): CallContext {
  const texts: string[] = [];
  let shows = false;
  let writesCode = false;
  let program = '';
  let isAlone = true;
  mapJson(value, {
    enter: () => false,
    key: (key) => (texts.push(key), key),
    leaf(leaf, { key }) {
      if (typeof leaf !== 'string') return { value: undefined };
      texts.push(leaf);
      if (key !== undefined && (FILE.test(key) || NAME.test(key) || isShell(key))) isAlone = false;
      if (program === '' && key !== undefined && PROGRAM.test(key)) program = /^\s*(\S*)/.exec(leaf)?.[1] ?? '';
      if (shows || isProse(key)) return { value: undefined };
      if (key !== undefined && FILE.test(key) && !DATA.test(leaf)) writesCode = true;
      shows = isShell(key) ? commandRuns(leaf) : textRuns(leaf);
      return { value: undefined };
    },
  });
  let counts: Map<string, number> | undefined;
  return {
    shows,
    writesCode,
    program,
    isProse: (key) => isProse(key) || (isAlone && key !== undefined && TEXT.test(key)),
    mentions(name) {
      counts ??= countNames(texts);
      return counts.get(name) ?? 0;
    },
  };
}

function commandRuns(text: string): boolean {
  // A downloaded script may be executed, so its URL must be visible.
  if (runsText.test(text) || (text.includes('://') && interpreter.test(text))) return true;
  return [...text.matchAll(redirection)].some(([, file = '']) => !file.startsWith('/dev/') && !DATA.test(file));
}

/** A whole line of a private key. `+fn+` in it is no word. */
const KEY_LINE = /(?<=^|\n|\\n)[+ -]?[A-Za-z0-9+/]{40,}={0,2}(?=$|\r?\n|\\[rn])/g;

function textRuns(text: string): boolean {
  const words = text.includes('PRIVATE KEY-----') ? text.replaceAll(KEY_LINE, '') : text;
  return runsText.test(words) || (/\s/.test(words) && isCode.test(words));
}

function countNames(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const name of text.match(/[A-Za-z_]\w*/g) ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
