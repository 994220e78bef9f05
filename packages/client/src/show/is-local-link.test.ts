import { expect, it } from 'vitest';
import { isLocalLink } from './is-local-link.js';

it.each([
  ['http://localhost:4747/#invitation=x', true],
  ['http://127.0.0.1:4747/#invitation=x', true],
  ['http://[::1]:4747/#invitation=x', true],
  ['https://countersign.example.com/#invitation=x', false],
  ['http://192.168.1.7:4747/#invitation=x', false],
  ['https://localhost.example.com/', false],
  ['https://127.example.org/', false],
])('%s: only works on this machine: %s', (link, isLocal) => {
  expect(isLocalLink(link)).toBe(isLocal);
});
