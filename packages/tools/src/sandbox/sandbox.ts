import type { ProtectedPaths, OpenedToSandbox } from '@countersign/core/ports';
import type { CallSandbox } from '@countersign/protocol';
import { DRAFT_LIMITS, limitsText, REHEARSAL_LIMITS, type DraftLimits } from './draft/draft-limits.js';
import type { Drafting } from './draft/drafting.js';
import type { Outside } from './gateway/gateway.js';
import type { Programs } from './programs/find-programs.js';
import type { RefusedHost } from '../web/network.js';

/** The sandbox that commands run in. `none` contains a user-facing reason (SAFE1). */
export type Sandbox =
  | {
      readonly kind: 'bubblewrap';
      readonly program: string;
      /** Options for user namespaces: the strongest ones that work here. */
      readonly userNamespace: readonly string[];
      /** Options that limit the next tmpfs. Empty for older versions of bubblewrap. */
      readonly sizeArguments: readonly string[];
      readonly drafting: Drafting;
    }
  | { readonly kind: 'sandbox-exec'; readonly program: string }
  | { readonly kind: 'none'; readonly reason: string };

/** The sandbox settings for one command. Paths are real and absolute. */
export interface Confinement {
  readonly workingDirectory: string;
  /**
   * `draft`: changes are applied after the command has ended and they have been inspected. `live` (default): changes appear immediately, for
   * long-running programs; existing files that programs run automatically are read-only, but new ones can be created.
   */
  readonly writes?: 'draft' | 'live';
  /** A copy of the working folder. The draft is made over it, and the command sees it at the path of the working folder. */
  readonly copy?: string | undefined;
  readonly draftLimits?: DraftLimits;
  /** Ends preparing the sandbox. */
  readonly signal?: AbortSignal | undefined;
  /** The user's home folder: hidden except for the working folder. */
  readonly home: string;
  /** Our store, token and policy, which are always hidden. */
  readonly hide: readonly string[];
  /** Folders inside a hidden location that may be read, such as a Node.js installation in the user's home folder. */
  readonly show: readonly string[];
  /** The parts of the home folder that are shown so that the programs on PATH run. */
  readonly programs?: Programs;
  /** Paths that rules deny: hidden, and not applied from a draft. */
  readonly protectedPaths?: ProtectedPaths | undefined;
  /** Set if nobody approved the command: where rules allow new dot-files and executables (CHANGE4). Only for drafts. */
  readonly mayCreate?: ((path: string) => boolean) | undefined;
  readonly network: NetworkAccess;
  /** Private addresses with a port that a rule opens in addition to the public network. */
  readonly privateHosts?: readonly string[];
  /** Called for each address that the gateway refused. */
  readonly onRefused?: (refused: RefusedHost) => void;
  /** Replaces the public network in tests. */
  readonly outside?: Outside;
}

/**
 * `public`: through our proxy, which connects only to public addresses (SAFE5). `direct`: like `public`, for programs without proxy support.
 * `host`: the host's whole network, for a sandbox that can't create its own.
 */
export type NetworkAccess = 'none' | 'public' | 'direct' | 'host';

const NETWORK_WORDS = {
  none: 'no network',
  public: 'public network',
  direct: 'public network',
  host: 'network',
} as const;

/** The description in a server's status and in `doctor`. */
export function describeSandbox(sandbox: Sandbox, { network = 'none' }: { network?: NetworkAccess } = {}): string {
  return sandbox.kind === 'none' ? 'none' : `${sandbox.kind}, ${NETWORK_WORDS[network]}`;
}

/** Where a command's changes go until they are applied, in `doctor`. */
export function describeDrafts(sandbox: Sandbox): string {
  switch (sandbox.kind) {
    case 'none':
    case 'sandbox-exec':
      return 'no drafts, so approvals have no preview of what a command will change';
    case 'bubblewrap':
      return sandbox.drafting.how === 'copy'
        ? `drafts are copies of the working folder, because no overlay can be mounted (${sandbox.drafting.reason}). Commands run in folders with at most ${limitsText(DRAFT_LIMITS)}, and approvals have a preview in folders with at most ${limitsText(REHEARSAL_LIMITS)}`
        : 'drafts are overlays';
  }
}

const NETWORK_FACTS = { none: 'none', public: 'public', direct: 'public', host: 'all' } as const;

/** What a program in this sandbox can reach, for the card and the call hash: with a different sandbox, it is a different call (CALL7). */
export function sandboxFacts(
  sandbox: Sandbox,
  { network, opened }: { network: NetworkAccess; opened?: OpenedToSandbox },
): CallSandbox {
  if (sandbox.kind === 'none') {
    return { kind: 'none', network: 'all', hosts: [], readable: [], detail: sandbox.reason };
  }
  const hosts = [...(opened?.hosts ?? [])];
  const privateHosts = [...(opened?.privateHosts ?? [])];
  const readable = [...(opened?.folders ?? [])];
  const { kind } = sandbox;
  if (network !== 'none' || opened === undefined) {
    return { kind, network: NETWORK_FACTS[network], hosts: network === 'none' ? [] : privateHosts, readable };
  }
  if (opened.anyHost) return { kind, network: 'public', hosts: privateHosts, readable };
  return { kind, network: hosts.length === 0 ? 'none' : 'listed', hosts, readable };
}
