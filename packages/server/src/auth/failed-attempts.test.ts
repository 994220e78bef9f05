import { createFakeClock } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { createFailedAttempts, type FailedAttempts } from './failed-attempts.js';

function exhaust(attempts: FailedAttempts, address: string): void {
  for (let i = 0; i < 20; i += 1) attempts.failed(address);
}

describe('failed attempts', () => {
  it('[WHO1.5] are counted per address, and per network for IPv6', () => {
    const attempts = createFailedAttempts(createFakeClock());
    exhaust(attempts, '127.0.0.1');
    expect(attempts.wait('::ffff:127.0.0.1')).toBeGreaterThan(0);
    expect(attempts.wait('127.0.0.2')).toBeUndefined();
    exhaust(attempts, '2001:db8:1:2:3:4:5:6');
    expect(attempts.wait('2001:db8:1:2::9')).toBeGreaterThan(0);
    expect(attempts.wait('2001:db8:1:3::9')).toBeUndefined();
  });

  it('[WHO1.5] report how long to wait, and then allow one more attempt', () => {
    const clock = createFakeClock();
    const attempts = createFailedAttempts(clock);
    exhaust(attempts, 'a');
    const seconds = attempts.wait('a') ?? 0;
    clock.advance(seconds * 1000 - 1);
    expect(attempts.wait('a')).toBe(1);
    clock.advance(1);
    expect(attempts.wait('a')).toBeUndefined();
    attempts.failed('a');
    expect(attempts.wait('a')).toBeGreaterThan(0);
  });

  it('[WHO1.5] drop the oldest addresses before they fill up memory', () => {
    const attempts = createFailedAttempts(createFakeClock());
    exhaust(attempts, 'first');
    for (let i = 0; i < 9_999; i += 1) attempts.failed(`address ${i}`);
    expect(attempts.wait('first')).toBeGreaterThan(0);
    attempts.failed('one more');
    expect(attempts.wait('first')).toBeUndefined();
  });
});
