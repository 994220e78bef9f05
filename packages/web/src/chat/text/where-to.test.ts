import { describe, expect, it } from 'vitest';
import { whereTo } from './where-to.js';

const BASE = 'http://127.0.0.1:4711/w/harbour';

describe('the target of a link', () => {
  it.each([
    ['https://evil.example/x', 'https://bank.example', 'evil.example'],
    ['https://evil.example/x', 'bank.example', 'evil.example'],
    ['https://evil.example', 'click here', 'evil.example'],
    ['https://evil.example', '', 'evil.example'],
    ['https://bank.example@evil.example', 'https://bank.example@evil.example', 'evil.example'],
    ['https://evil.example', 'https://evil.example and https://bank.example', 'evil.example'],
    ['https://b\u0430nk.example', 'https://bank.example', 'xn--bnk-6cd.example'],
    ['https://b\u0430nk.example', 'https://b\u0430nk.example', 'xn--bnk-6cd.example'],
    ['https://bank.example:8443', 'https://bank.example', 'bank.example:8443'],
    ['mailto:eve@evil.example', 'bob@bank.example', 'mailto:eve@evil.example'],
    ['/w/other', 'elsewhere', '127.0.0.1:4711'],
    ['http://[', 'broken', 'http://['],
  ])('%s is shown next to "%s"', (href, words, place) => {
    expect(whereTo(href, words, BASE)).toBe(place);
  });

  it.each([
    ['https://bank.example/a?b=c', 'https://bank.example/a?b=c'],
    ['http://www.bank.example', 'www.bank.example'],
    ['https://bank.example/long/way', 'bank.example'],
    ['mailto:bob@bank.example', 'bob@bank.example'],
    ['#user-content-fn-1', '1'],
  ])('%s is already shown by its text "%s"', (href, words) => {
    expect(whereTo(href, words, BASE)).toBeUndefined();
  });
});
