import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from '@countersign/core/ports';

/** What a code in a notification stands for: this person's device may deny exactly this call. */
export interface Denial {
  readonly subscription: string;
  readonly world: string;
  readonly approval: string;
  readonly callHash: string;
}

/** The code is in one message, and nothing is stored: an approval ends once, so a code works once. It can't approve, because nothing reads it as that. */
export function denyCode(box: Pick<SecretBox, 'deriveKey'>, denial: Denial): string {
  const { subscription, world, approval, callHash } = denial;
  const about = Buffer.from(JSON.stringify([subscription, world, approval, callHash])).toString('base64url');
  return `${about}.${macOf(box, about).toString('base64url')}`;
}

/** Undefined if we didn't make it. */
export function readDenyCode(box: Pick<SecretBox, 'deriveKey'>, code: string): Denial | undefined {
  const [about = '', mac = '', ...more] = code.split('.');
  const given = Buffer.from(mac, 'base64url');
  const right = macOf(box, about);
  if (more.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const [subscription = '', world = '', approval = '', callHash = ''] = JSON.parse(
    Buffer.from(about, 'base64url').toString(),
  ) as string[];
  return { subscription, world, approval, callHash };
}

function macOf(box: Pick<SecretBox, 'deriveKey'>, about: string): Buffer {
  return createHmac('sha256', box.deriveKey('push denials')).update(about).digest();
}
