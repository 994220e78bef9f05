import { describe, expect, it } from 'vitest';
import { ENTRIES } from './names.js';
import { commandsIn, leadsToEntry, runsByItself, runsLater } from './runs-later.js';

/** A name that matches an entry. */
const example = (entry: string): string => entry.replace(/^\//, '').replaceAll('*', 'some');
const later = (path: string): string | undefined => runsLater('/work', `/work/${path}`);

describe('the table of names', () => {
  it.each(ENTRIES)('[CHANGE1] $runner: $entry', ({ entry }) => {
    const name = example(entry);
    expect([name, name.toUpperCase(), `${name}/inside/file`].map(later)).not.toContain(undefined);
    // Only anchored names are harmless in subfolders.
    expect(later(`deep/er/${name}`) === undefined).toBe(entry.startsWith('/'));
    expect(later(`other${name}`) === undefined).toBe(!entry.startsWith('*'));
  });

  it('has no duplicate entries, and no fewer than were tested', () => {
    const all = ENTRIES.map(({ entry }) => entry.toLowerCase());
    expect(all.filter((entry, at) => all.indexOf(entry) !== at)).toEqual([]);
    expect(all.filter((entry) => entry.includes('*') && entry.includes('/'))).toEqual([]);
    expect(all.length).toBeGreaterThan(250);
  });

  it('does not match ordinary files', () => {
    const everyday = `package.json src/a.ts Makefile .gitignore .gitattributes .editorconfig .env .eslintrc.json tsconfig.json
      README.md AGENTS.md CLAUDE.md .github/dependabot.yml node_modules/x/.travis.yml docs/.github/workflows/ci.yml dist/.tsbuildinfo
      Dockerfile .dockerignore .python-version .nvmrc .tool-versions tools/build config.toml .cargo/registry/x .yarn/cache/x.zip
      robot.launch model.pth vscode idea.md my.vscode HEADER fish/readme .config/other`;
    expect(everyday.split(/\s+/).filter((path) => later(path) !== undefined)).toEqual([]);
  });

  it('[CHANGE1] recognizes a folder that must not be replaced by a symlink', () => {
    expect(['.cargo', 'a/.cargo', '.github', '.config', 'tools'].map(leadsToEntry)).not.toContain(false);
    expect(['src', 'a/.github', 'cargo', '.cargo/config'].map(leadsToEntry)).not.toContain(true);
  });

  it('matches names as the file systems of other platforms do', () => {
    expect(runsByItself('.ＶSCode')).toBe(true);
    expect(runsByItself('.en\u200dvrc')).toBe(true);
    expect(later('git~1/config')).toBe('git~1');
    expect(later('a/HEAD')).toBe('HEAD');
  });
});

describe('the state of an interrupted rebase, cherry-pick or bisect', () => {
  const runs = (path: string, text: string): boolean => commandsIn(path)?.test(text) === true;
  const list = '.git/rebase-merge/git-rebase-todo';

  it.each([
    ...['exec touch x', 'x touch x', 'pick abc one\n  exec\ttouch x\n', 'x', '\nexec'].map((text) => [list, text]),
    [`${list}.backup`, 'exec x'],
    ['.git/rebase-merge/strategy', 'x/../evil'],
    ['.git/sequencer/opts', '[options]\n\tstrategy = x/../evil\n'],
    ['.git/BISECT_NAMES', '$(evil)'],
  ] as [string, string][])('[CHANGE5] %s runs something: %j', (path, text) => {
    expect(runs(path, text)).toBe(true);
  });

  it.each([
    ...['', 'pick abc exec it\n', 'execute\n', '# exec x\n', 'fixup x\nxyz x\n'].map((text) => [list, text]),
    ['.git/rebase-merge/strategy', 'ort\n'],
    ['.git/rebase-merge/done', 'exec x'],
    ['src/strategy', 'a/b'],
    ['.git/BISECT_NAMES', " 'src'\n"],
  ] as [string, string][])('%s does not: %j', (path, text) => {
    expect(runs(path, text)).toBe(false);
  });

  it('is parsed in linear time, however many empty lines it has', () => {
    expect(runs(list, `${'\n'.repeat(500_000)}${'\r'.repeat(500_000)}pick`)).toBe(false);
  });
});
