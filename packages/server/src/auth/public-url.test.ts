import { expect, it } from 'vitest';
import { readPublicUrl } from './public-url.js';

it('[WHO1.10] reads the public URL as an origin', () => {
  expect(readPublicUrl(undefined)).toBeUndefined();
  expect(readPublicUrl('')).toBeUndefined();
  expect(readPublicUrl('https://Agents.example.com/')).toBe('https://agents.example.com');
  expect(readPublicUrl('http://box.local:4747')).toBe('http://box.local:4747');
});

it.each([
  'agents.example.com',
  'https://a.example/path',
  'ftp://a.example',
  'https://user:pw@a.example',
  'https://a.example/?x',
])('[WHO1.10] refuses "%s"', (value) => {
  expect(() => readPublicUrl(value)).toThrow(/COUNTERSIGN_PUBLIC_URL: ".*" is not the URL of a server/);
});
