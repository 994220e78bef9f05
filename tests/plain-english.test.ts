import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { commitProblems } from '../scripts/check-commit-message.mjs';
import { bannedPhrases, checkLanguage, textFiles } from '../scripts/check-language.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

it('docs, comments, texts and test titles contain none of the banned phrases', () => {
  expect(checkLanguage(textFiles())).toEqual([]);
});

describe('the language check', () => {
  it('finds a phrase in any case, but not inside other words', () => {
    const text = 'It runs Anew.\nLaneway, renewed, in wordsmith\n// This goes on for ever';
    expect(bannedPhrases(text)).toEqual([
      { line: 1, phrase: 'Anew' },
      { line: 3, phrase: 'goes on' },
      { line: 3, phrase: 'for ever' },
    ]);
  });

  it('names file and line', () => {
    const files = new Map([
      ['a.ts', 'fine\nanew'],
      ['b.ts', 'fine'],
    ]);
    expect(checkLanguage(files)).toEqual(['a.ts:2: "anew"']);
  });
});

describe('a commit message', () => {
  it.each([
    'core: start a call in one place',
    'core, storage: keep one version\n\nWhy.',
    'docs: bring the guide up to date',
  ])('may be %j', (message) => {
    expect(commitProblems(message)).toEqual([]);
  });

  it.each([
    ['Fix it', 'Start the subject with an area'],
    ['core: Fix it', 'Start the subject with an area'],
    [`core: ${'x'.repeat(70)}`, 'under 72 characters'],
    ['core: fix it.', 'period'],
    ['core: fixed it', 'not "fixed"'],
    ['core: fixing it', 'not "fixing"'],
    ['core: fix it\nbecause', 'second line blank'],
    ['core: fix it\n\nIt asked anew.', '"anew"'],
  ])('may not be %j', (message, problem) => {
    expect(commitProblems(message).join(' ')).toContain(problem);
  });
});

describe('packages/terminal', () => {
  it('has its sentences only in the catalogue', () => {
    const folder = 'packages/terminal/src';
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|^testing\/|^words\//.test(file))
      // The texts of these files are scripts.
      .filter(
        (file) =>
          !['commands/machine/completion.ts', 'gate/drill/attacks.ts', 'gate/drill/run/run-attacks.ts'].includes(file),
      );
    const found = files.flatMap((file) =>
      sentences(file, readFileSync(join(root, folder, file), 'utf8')).map((text) => `${file}: ${text}`),
    );
    expect(found).toEqual([]);
  });
});

/** String literals of three or more words. */
function sentences(file: string, text: string): string[] {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value === 'string' && /(?:^|\s)[A-Za-z’']+,? [a-z’']+,? [a-z’']+/.test(value)) found.push(value);
  };
  new Visitor({
    Literal: ({ value }) => look(value),
    TemplateElement: ({ value }) => look(value.cooked),
  }).visit(parseSync(file, text).program);
  return found;
}
