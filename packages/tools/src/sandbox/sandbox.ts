import type { ProtectedPaths, OpenedToSandbox } from '@countersign/core/ports';
import type { CallSandbox } from '@countersign/protocol';
import type { DraftLimits } from './draft/draft-limits.js';
import type { Drafting } from './draft/drafting.js';
import type { Outside } from './gateway/gateway.js';
import type { Programs } from './programs/find-programs.js';

/** What commands are kept in. `none` says why, in words for a person (A21). */
export type Sandbox =
  | {
      readonly kind: 'bubblewrap';
      readonly program: string;
      /** How far user namespaces work here: the strongest that was tried and ran. */
      readonly userNamespace: readonly string[];
      /** What limits a folder in memory, before the words that make it. Empty for an older bubblewrap. */
      readonly sizeWords: readonly string[];
      readonly drafting: Drafting;
    }
  | { readonly kind: 'sandbox-exec'; readonly program: string }
  | { readonly kind: 'none'; readonly reason: string };

/** What a sandbox is told about one command. Paths are real and absolute. */
export interface Confinement {
  readonly workingDirectory: string;
  /**
   * `draft`: what is written is looked at when all has ended, and then put into the folder. `live`, the default: it is there at once,
   * for programs that run for long; what would run later and is there already is read-only, but new ones can come to be.
   */
  readonly writes?: 'draft' | 'live';
  readonly draftLimits?: DraftLimits;
  /** The person's home: hidden but for the working folder. */
  readonly home: string;
  /** Ours: the store, the token, the policy. Never seen, wherever they lie. */
  readonly hide: readonly string[];
  /** Folders in a hidden place that may be read, such as a Node that is installed in the person's home. */
  readonly show: readonly string[];
  /** What of the home is shown so that the programs on the person's PATH run. */
  readonly programs?: Programs;
  /** What rules about paths keep from it: hidden where it is, and not taken over from a draft. */
  readonly protectedPaths?: ProtectedPaths | undefined;
  /** Nobody approved the command: where a rule lets it create dot-files and executables (A36). Counts for a draft only. */
  readonly mayCreate?: ((path: string) => boolean) | undefined;
  readonly network: NetworkAccess;
  /** Private addresses, each with a port, that a rule opens to a network that is public otherwise. */
  readonly privateHosts?: readonly string[];
  /** Where a public network leads, in tests. */
  readonly outside?: Outside;
}

/**
 * `public`: by a proxy of ours, which connects to public addresses only; there is no other way out (A43). `direct`: the same for programs
 * that know of no proxy. `host`: all of the host's, for a sandbox that can't make one.
 */
export type NetworkAccess = 'none' | 'public' | 'direct' | 'host';

const NETWORK_WORDS = {
  none: 'no network',
  public: 'public network',
  direct: 'public network',
  host: 'network',
} as const;

/** For the status of a server and `doctor`. */
export function describeSandbox(sandbox: Sandbox, { network = 'none' }: { network?: NetworkAccess } = {}): string {
  return sandbox.kind === 'none' ? 'none' : `${sandbox.kind}, ${NETWORK_WORDS[network]}`;
}

const NETWORK_FACTS = { none: 'none', public: 'public', direct: 'public', host: 'all' } as const;

/** What a program in this sandbox can reach, for the card and the signature: another sandbox is another call (A7). */
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
