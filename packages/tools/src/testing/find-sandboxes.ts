import { sharedSandbox } from './shared-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';

export interface SandboxKind {
  readonly drafts: 'overlay' | 'copy';
  readonly sandbox: Sandbox;
}

/** This system's sandbox with every kind of draft, for tests that must pass with each of them. */
export async function findSandboxes(): Promise<readonly SandboxKind[]> {
  const sandbox = await sharedSandbox();
  if (sandbox.kind !== 'bubblewrap') return [{ drafts: 'overlay', sandbox }];
  const copy: SandboxKind = { drafts: 'copy', sandbox: onCopies(sandbox) };
  return sandbox.drafting.how === 'copy' ? [copy] : [{ drafts: 'overlay', sandbox }, copy];
}

/** The same sandbox as on a system where no overlay can be mounted. */
export function onCopies(sandbox: Extract<Sandbox, { kind: 'bubblewrap' }>): typeof sandbox {
  const { folder, flock } = sandbox.drafting;
  return { ...sandbox, drafting: { how: 'copy', folder, flock, reason: 'left out on purpose' } };
}
