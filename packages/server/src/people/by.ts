import type { Signer } from '@countersign/protocol';
import type { Access } from './access.js';

/** Who changes something, and what they may do. */
export interface By {
  access: Access;
  signer: Signer;
}
