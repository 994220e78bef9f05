import { expect, it } from 'vitest';
import { nameOfFolder } from './make-agents.js';

it('[M13] names a world after its folder', () => {
  expect(nameOfFolder('/home/me/my project/')).toBe('my project');
  expect(nameOfFolder('/srv/.hidden@2!')).toBe('hidden 2');
  expect(nameOfFolder('/')).toBe('');
  expect(nameOfFolder('C:\\work\\repo')).toBe('repo');
});
