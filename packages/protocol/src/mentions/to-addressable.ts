import { EXTERNAL_PROVIDER } from '../external/external.js';
import type { Addressable } from './addressable.js';

/** An agent in the form that mentions need. External agents answer no messages, so they count as inactive (EXT1). */
export function toAddressable({
  id,
  name,
  active,
  provider,
}: {
  id: string;
  name: string;
  active: boolean;
  provider: string;
}): Addressable {
  return provider === EXTERNAL_PROVIDER ? { id, name, active: false, external: true } : { id, name, active };
}
