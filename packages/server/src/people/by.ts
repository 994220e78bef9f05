import type { Signer } from '@countersign/protocol';
import type { Access } from './access.js';

/** Who changes something, and what they may do. */
export interface By {
  access: Access;
  signer: Signer;
}

/** The sender of a request. */
export function byOf({ var: { access, signer } }: { readonly var: By }): By {
  return { access, signer };
}
