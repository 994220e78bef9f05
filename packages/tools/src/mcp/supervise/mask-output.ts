import type { OpenedMcpServer } from '@countersign/core/ports';
import { hideValues, type HideValues } from '../hide-values.js';

const MAX_TOKENS = 20;

/** Masks a server's values and tokens in its output. Tokens are masked even after they were replaced. */
export function createMask(record: () => OpenedMcpServer): () => HideValues {
  const known = new Set<string>();
  return () => {
    const { server, signIn } = record();
    const { tokens } = signIn?.grant ?? {};
    for (const token of [tokens?.access, tokens?.refresh]) if (token !== undefined) known.add(token);
    for (const oldest of known) if (known.size > MAX_TOKENS) known.delete(oldest);
    const { definition } = server;
    const named: Record<string, string> = {};
    for (const [index, token] of [...known].entries()) named[`token ${index + 1}`] = token;
    return hideValues({ ...(definition.transport === 'stdio' ? definition.env : definition.headers), ...named });
  };
}
