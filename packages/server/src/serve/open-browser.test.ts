import { expect, it } from 'vitest';
import { hasDisplay } from './open-browser.js';

it('[X1] a browser is opened only where somebody can see it', () => {
  expect(hasDisplay({}, 'linux')).toBe(false);
  expect(hasDisplay({ DISPLAY: '' }, 'linux')).toBe(false);
  expect(hasDisplay({ DISPLAY: ':0' }, 'linux')).toBe(true);
  expect(hasDisplay({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true);
  expect(hasDisplay({}, 'darwin')).toBe(true);
  expect(hasDisplay({ SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, 'darwin')).toBe(false);
  expect(hasDisplay({ DISPLAY: ':0', CI: 'true' }, 'linux')).toBe(false);
});
