import { expect, it } from 'vitest';
import { readTrustedProxies } from './client-address.js';

it('[WHO1.5] believes X-Forwarded-For only from trusted proxies, from its end', () => {
  const nobody = readTrustedProxies(undefined);
  expect(nobody('203.0.113.9', '10.0.0.1')).toBe('203.0.113.9');
  expect(nobody(undefined, '10.0.0.1')).toBe('unknown');
  // One address, whatever the socket calls it: otherwise it had twice as many attempts.
  expect(nobody('::ffff:203.0.113.9', undefined)).toBe('203.0.113.9');
  const proxied = readTrustedProxies('10.0.0.5, 192.168.0.0/16, fd00::/8');
  expect(proxied('10.0.0.5', undefined)).toBe('10.0.0.5');
  expect(proxied('10.0.0.5', '203.0.113.9')).toBe('203.0.113.9');
  expect(proxied('::ffff:10.0.0.5', '203.0.113.9')).toBe('203.0.113.9');
  // The client itself wrote the first entries.
  expect(proxied('10.0.0.5', '1.1.1.1, 203.0.113.9')).toBe('203.0.113.9');
  expect(proxied('10.0.0.5', '1.1.1.1, 203.0.113.9, 192.168.7.7')).toBe('203.0.113.9');
  expect(proxied('fd00::1', '2001:db8::1')).toBe('2001:db8::1');
  expect(proxied('203.0.113.9', '1.1.1.1')).toBe('203.0.113.9');
  expect(proxied('10.0.0.5', 'unknown, <script>')).toBe('10.0.0.5');
});

it.each(['proxy', '10.0.0.0/33', '10.0.0.5/', '10.0.0.5/8/8', '::1/129', '10.0.0.5 10.0.0.6'])(
  '[WHO1.5] refuses "%s" as a trusted proxy',
  (value) => {
    expect(() => readTrustedProxies(value)).toThrow(/COUNTERSIGN_TRUSTED_PROXY: ".*" is not an IP address or network/);
  },
);
