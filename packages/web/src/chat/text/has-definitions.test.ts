import { describe, expect, it } from 'vitest';
import { hasDefinitions } from './has-definitions.js';

describe('a text that must be parsed as a whole', () => {
  it.each([
    ['a reference link', 'See [the docs][d].\n\nMore.\n\n[d]: https://example.com'],
    ['a footnote', 'A claim.[^1]\n\nMore.\n\n[^1]: Its source.'],
    ['a definition in a quote', '> See [d].\n>\n> [d]: https://example.com'],
    ['a definition after code', '```\ncode\n```\n\n[d]: https://example.com'],
  ])('has %s', (_, text) => {
    expect(hasDefinitions(text)).toBe(true);
  });

  it.each([
    ['inline links', 'See [the docs](https://example.com).\n\n[ ] not done: yet'],
    ['a definition in a fence', 'So:\n\n~~~md\n[d]: https://example.com\n~~~\n'],
    ['an open fence', '```\n[d]: https://example.com'],
  ])('is not one with %s', (_, text) => {
    expect(hasDefinitions(text)).toBe(false);
  });
});
