import type { AppRequest } from '../app/context.js';
import type { Signer } from '@countersign/protocol';
import type { Access } from './access.js';

/** Who changes something, and what they may do. */
export interface By {
  access: Access;
  signer: Signer;
}

/** The sender of a request. */
export function byOf(c: AppRequest): By {
  return { access: c.var.access, signer: c.var.signer };
}
