import type { ApprovalView } from '../../state/state.js';
import { mayEdit } from '../people/signing.js';

/** A public host by name. Rules open private addresses, with their ports. */
const HOST = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/;

/** The hosts that a command tried to reach without network, and that a person can allow for this call by editing it. */
export function hostsToAllow(
  approval: Pick<ApprovalView, 'toolName' | 'effect' | 'options' | 'needs' | 'question' | 'editable'>,
): readonly string[] {
  const { toolName, effect } = approval;
  if (toolName !== 'shell_cmd' || !mayEdit(approval)) return [];
  return effect?.triedHosts?.filter(isPublicName) ?? [];
}

/** Programs choose the names, and nobody reads many. */
const MOST_OFFERED = 5;

/** The public hosts that a run was refused, and that a rule can allow for the next one. */
export function hostsForNextRun({ effect }: Pick<ApprovalView, 'effect'>): readonly string[] {
  const refused = effect?.run?.hosts?.filter(({ allowed }) => !allowed).map(({ host }) => host) ?? [];
  return [...new Set(refused)].filter(isPublicName).slice(0, MOST_OFFERED);
}

function isPublicName(host: string): boolean {
  return HOST.test(host) && !/^[0-9.]+$/.test(host);
}

/** The arguments of the same command with these hosts. Such a call runs without a rehearsal, once it is approved. */
export function argumentsWithHosts(args: unknown, hosts: readonly string[]): Record<string, unknown> {
  const { hosts: before, ...rest }: Record<string, unknown> =
    typeof args === 'object' && args !== null ? { ...args } : {};
  const known = Array.isArray(before) ? before.filter((host) => typeof host === 'string') : [];
  return { ...rest, hosts: [...new Set([...known, ...hosts])] };
}

/** The rule that lets all commands and runs of a world reach a host. */
export function hostRule(host: string): string {
  return `allow sandbox_network(${host})`;
}
