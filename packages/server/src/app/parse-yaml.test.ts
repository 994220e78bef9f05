import { describe, expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.js';

describe('a YAML file', () => {
  it.each([
    ['brackets', '['.repeat(40_000)],
    ['braces', 'a: '.concat('{'.repeat(40_000))],
    ['balanced brackets', `${'['.repeat(40_000)}${']'.repeat(40_000)}`],
    ['dashes', '- '.repeat(40_000)],
    ['question marks', '? '.repeat(40_000)],
  ])('[HTTP1] with tens of thousands of nested %s is refused before it is parsed', (_, text) => {
    expect(() => parseYaml(text)).toThrow('nested too deeply');
  });

  it('[HTTP1] with a thousand levels of indentation is refused before it is parsed', () => {
    const nested = (levels: number) => Array.from({ length: levels }, (_, at) => `${' '.repeat(at)}a:`).join('\n');
    expect(() => parseYaml(nested(1_200))).toThrow('nested too deeply');
    expect(() => parseYaml(nested(200))).not.toThrow();
  });

  it('[HTTP1] may have many brackets in its texts, and many short lists', () => {
    const text = '['.repeat(2_000);
    expect(parseYaml(`a: "${text}"\nb: |\n  ${text}\nc: x${text}\n`)).toEqual({
      a: text,
      b: `${text}\n`,
      c: `x${text}`,
    });
    const map = Array.from({ length: 500 }, (_, at) => `k${at}: 1`).join(', ');
    expect(Object.keys((parseYaml(`a: {${map}}\nb: [{${map}}, {${map}}]`) as { a: object }).a)).toHaveLength(500);
    const wide = Array.from({ length: 2_000 }, () => '- [a, {b: c}]').join('\n');
    expect(parseYaml(wide)).toHaveLength(2_000);
  });
});
