import { describe, expect, it } from 'vitest';
import { isIntricate } from './is-intricate.js';

describe('text that is not parsed as Markdown', () => {
  it.each([
    ['quotes', '>'.repeat(3000)],
    ['quotes with spaces', '> '.repeat(3000)],
    ['lists', '- '.repeat(3000)],
    ['numbered lists', '1. '.repeat(3000)],
    ['quotes and lists', '> - '.repeat(1000)],
    ['emphasis', '*_'.repeat(9000)],
    ['emphasis over many lines', '*a\n'.repeat(3000)],
    ['brackets', '[a]('.repeat(3000)],
    ['emphasis after a fence inside HTML', `<div>\n\`\`\`\n\n${'*a '.repeat(3000)}`],
    ['emphasis after a line that only looks like a fence', `\`\`\`a\`b\n${'*a '.repeat(3000)}`],
    ['emphasis after a fence that is closed', `~~~\n~~~\n${'*a '.repeat(3000)}`],
  ])('is nested too deeply: %s', (_, text) => {
    expect(isIntricate(text)).toBe(true);
  });

  it.each([
    ['prose', 'Some *words*, **others**, `code` and a [link](http://a.b).\n\n'.repeat(500)],
    ['code', `\`\`\`c\n${'char **names[]; /* all_of_them */\n'.repeat(500)}\`\`\`\nand after`],
    ['code with other fences in it', `~~~~\n~~~\n${'*a '.repeat(3000)}\n\`\`\`\n~~~~`],
    ['a list', '- **one** of *many*\n'.repeat(300)],
    ['a rule', '-'.repeat(500)],
    ['nested quotes', '> > > said\n'.repeat(100)],
  ])('is parsed if people could have written it: %s', (_, text) => {
    expect(isIntricate(text)).toBe(false);
  });
});
