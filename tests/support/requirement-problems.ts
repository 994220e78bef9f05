export interface Known {
  /** Rules of docs/spec. */
  readonly numbers: ReadonlySet<string>;
  /** Rules that a test title quotes. */
  readonly quoted: ReadonlySet<string>;
  readonly exists: (path: string) => boolean;
}

/** Problems in the tables of a page: `| requirement | number | test | decided differently |`. */
export function requirementProblems(page: string, { numbers, quoted, exists }: Known): string[] {
  const rows = page.split('\n').filter((line) => /^\| .*\|$/.test(line));
  const anchors = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title)));
  const inRows = rows.flatMap((line) => {
    const [requirement = '', number = '', test = '', ...rest] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    if (rest.length !== 1 || requirement === 'requirement') return [];
    const asked = number === '–' ? [] : number.split(', ');
    const shown = [...test.matchAll(/`([^`]+)`/g)].map(([, entry = '']) => entry);
    return [
      ...asked.filter((each) => !numbers.has(each)).map((each) => `${requirement}: no rule ${each}`),
      ...shown.filter((entry) => !isShown(entry, quoted, exists)).map((entry) => `${requirement}: no test ${entry}`),
      ...(shown.length > 0 || test === '–' ? [] : [`${requirement}: names no test`]),
      ...(/\blater\b/.test(test) ? [`${requirement}: says "later"`] : []),
    ];
  });
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
  return [...inRows, ...links.filter((anchor) => !anchors.has(anchor)).map((anchor) => `no section #${anchor}`)];
}

function isShown(entry: string, quoted: Known['quoted'], exists: Known['exists']): boolean {
  const number = /^\[(.+)\]$/.exec(entry)?.[1];
  if (number !== undefined) return quoted.has(number);
  return entry === 'compiler' || entry === 'npm run bench' || (entry.includes('/') && exists(entry));
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
