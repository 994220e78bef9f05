import type { CallContext } from '@countersign/protocol';
import { maskSecrets } from '../masking/index.js';
import { createOwnSecretStream } from '../results/index.js';

/** What a program says about its session, as people see it (EXT1.21). */
export function showContext(context: CallContext, ownSecrets: readonly string[]): CallContext {
  const show = (text: string): string => {
    const own = createOwnSecretStream(ownSecrets);
    return maskSecrets(own.push(text) + own.end());
  };
  return Object.fromEntries(Object.entries(context).map(([name, text]) => [name, show(text)]));
}
