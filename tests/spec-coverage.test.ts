import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  chapterProblems,
  chapters,
  checkSpec,
  compare,
  quotedNumbers,
  quotes,
  readList,
  specNumbers,
} from '../scripts/check-spec.mjs';
import { requirementProblems } from './support/requirement-problems.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const numbers = specNumbers([...chapters().values()].join('\n'));

describe('the numbers of docs/spec', () => {
  const found = checkSpec();

  it('are all quoted by a test, or listed as not built yet', () => {
    expect(found.unquoted).toEqual([]);
  });

  it('are unique', () => {
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });

  it('exist if a test quotes them', () => {
    expect(found.unknown).toEqual([]);
  });

  it('are removed from the list once a test quotes them, unless the list says what is missing', () => {
    expect(found.alreadyBuilt).toEqual([]);
  });

  it('are on the list only if the spec has them', () => {
    expect(found.obsolete).toEqual([]);
  });

  it('are never added to the list of rules that are not built yet', () => {
    // Lower this with the list; never raise it.
    expect(found.listed.length).toBeLessThanOrEqual(21);
  });
});

describe('the rules and chapters of docs/spec', () => {
  it('are short and in order', () => {
    expect(checkSpec().problems).toEqual([]);
  });

  it.each([
    ['- **M1** One. Two? `three`. Four!', 'M1 has 4 sentences'],
    ['- **M1** a\n  - **M1.2** b', 'M1.2 is out of order'],
    ['- **M1** a\n  - **M1.1** b\n- **M3** c', 'M3 is out of order'],
    ['- **M1** a\n- **M2** b\n  - **M1.1** c', 'M1.1 is out of order'],
    [`- **M1** ${'word '.repeat(4_500)}`, 'x.md has 4502 words'],
  ])('are refused otherwise: %#', (text, problem) => {
    expect(chapterProblems('x.md', text)).toEqual([problem]);
  });

  it('may have three sentences, with dots in code and in the middle', () => {
    expect(chapterProblems('x.md', '- **M1** `a. B. C.` One (e.g. this). Two “so.” Three.\n  - **M1.1** a')).toEqual(
      [],
    );
  });
});

describe('the parser of rule numbers', () => {
  // Built at run time, or the titles below would count as quotes in this file.
  const title = (numbers: string): string => `[${numbers}] says so`;

  it('parses the spec', () => {
    expect(specNumbers('- **M1** one\n- **A12** two, see **M1**\n- **bold** no\n')).toEqual(['M1', 'A12']);
  });

  it('parses titles, not other text', () => {
    const text = `
      it('${title('A1')}', f); it.each(x)('${title('A2,A3')}', f); describe.skipIf(x)(\`${title('A4, A5')} \${y}\`, f);
      test.for\`a\`('${title('A6')}', f); expect('${title('A7')}'); // it('${title('A8')}')
    `;
    expect(quotedNumbers('x.ts', text).sort()).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'A6']);
  });

  it('distinguishes missing, unknown and built rules', () => {
    const quoted = new Map([
      ['A1', 'x.test.ts'],
      ['A9', 'x.test.ts'],
    ]);
    const listed = readList('# a list\nA1\nA3\n\nA4\nA5 the second half\n');
    quoted.set('A5', 'x.test.ts');
    expect(compare(['A1', 'A2', 'A3', 'A5'], listed, quoted)).toEqual({
      unquoted: ['A2'],
      unknown: ['A9 in x.test.ts'],
      alreadyBuilt: ['A1'],
      obsolete: ['A4'],
      listed: ['A1', 'A3', 'A4', 'A5'],
    });
  });
});

describe('docs/requirements.md', () => {
  it('names only existing rules, tests and sections', () => {
    const known = {
      numbers: new Set(numbers),
      quoted: new Set(quotes().keys()),
      exists: (path: string) => existsSync(join(root, path)),
    };
    expect(requirementProblems(readFileSync(join(root, 'docs/requirements.md'), 'utf8'), known)).toEqual([]);
  });
});

describe('the parser of requirements', () => {
  const known = { numbers: new Set(['A1']), quoted: new Set(['A1']), exists: (path: string) => path === 'tests/a.ts' };
  const row = (number: string, test: string): string => `| x | ${number} | ${test} | |`;

  it.each([
    [row('A2', '`[A1]`'), 'x: no rule A2'],
    [row('A1', '`[A3]`'), 'x: no test [A3]'],
    [row('A1', '`tests/b.ts`'), 'x: no test tests/b.ts'],
    [row('A1', ''), 'x: names no test'],
    [row('A1', '`[A1]`; web later'), 'x: says "later"'],
    ['[a](#gone)', 'no section #gone'],
  ])('finds the problem in %j', (page, problem) => {
    expect(requirementProblems(page, known)).toEqual([problem]);
  });

  it('accepts valid entries', () => {
    const page = `# 1. A title\n[a](#1-a-title)\n${row('A1', '`[A1]` `tests/a.ts` `compiler`')}\n${row('–', '–')}`;
    expect(requirementProblems(page, known)).toEqual([]);
  });
});
