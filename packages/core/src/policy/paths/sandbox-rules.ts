import type { Policy, RuleGroup } from '../compile-policy.js';
import { covering, firstMatching, groupsFor } from '../rules/find-rules.js';
import { formatPattern } from '../grants/format-pattern.js';
import type { Policies } from '../judge.js';
import { parseRule } from '../rules/parse-rule.js';
import { FOLDER_RULE, NETWORK_RULE } from '../rules/sandbox-names.js';
import { matchesGlob, toolGlob } from '../patterns/glob.js';
import { loopbackSpellings } from '../patterns/loopback.js';
import { foldName, normalSegments } from '../patterns/path-text.js';
import { toMatchable } from '../matchable-call.js';
import type { PatternWord, CallFolders } from '../types.js';
import type { Subject } from '@countersign/protocol';

/** Allows no host names except `localhost`: DNS could point any other name to any address. */
const PRIVATE_HOST = /^(localhost|\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;

/** The access that rules allow inside the sandbox. */
export interface SandboxGrants {
  readonly folders: readonly string[];
  /** Whether a host may be reached. Absent if no host may be. */
  readonly mayReach?: (host: string) => boolean;
  /** The patterns of the rules behind `mayReach`. */
  readonly hosts: readonly string[];
  /** Private addresses, or `localhost`, that a rule names with a port. Only these private addresses are reachable. */
  readonly privateHosts: readonly string[];
  /** Whether every host is reachable, so that a command can send anything it reads anywhere. */
  readonly anyHost: boolean;
}

const NOTHING: SandboxGrants = { folders: [], hosts: [], anyHost: false, privateHosts: [] };

/**
 * `allow sandbox_folder(~/lib)` lets sandboxed commands read a folder, `allow sandbox_network(example.com)` lets them reach a host. Rules with
 * a glob as the tool name are ignored: they weren't written with the sandbox in mind. A private address needs a rule that names it with its
 * port.
 */
export function sandboxGrants(policies: Policies, place: CallFolders): SandboxGrants {
  const { admin, world } = policies;
  const folderRules = [admin, world].flatMap((policy) => policy?.allow.byTool.get(FOLDER_RULE) ?? []);
  const networkRules = [admin, world].flatMap((policy) => policy?.allow.byTool.get(NETWORK_RULE) ?? []);
  if (folderRules.length === 0 && networkRules.length === 0) return NOTHING;
  const folders = folderRules.length === 0 ? [] : openFolders(policies, folderRules, place);
  const closed = [admin, world, policies.agent].some((policy) =>
    guardsOf(policy, NETWORK_RULE).some(({ any }) => any.length > 0),
  );
  const anyHost = !closed && networkRules.some(({ any }) => any.length > 0);
  const hosts = closed || anyHost ? [] : hostPatterns(networkRules);
  return {
    folders,
    hosts,
    anyHost,
    ...(hosts.length === 0 && !anyHost
      ? {}
      : { mayReach: (host) => isOpen(policies, networkRules, NETWORK_RULE, { kind: 'host', host }, place) }),
    privateHosts: (closed ? [] : hostPatterns(networkRules)).filter((one) => {
      const host = PRIVATE_HOST.exec(one)?.[1];
      const isFree = (name: string): boolean =>
        isOpen(policies, undefined, NETWORK_RULE, { kind: 'host', host: name }, place);
      return host !== undefined && isFree(host) && isFree(one);
    }),
  };
}

/**
 * The patterns of deny and ask rules about hosts: what nobody may open for a program by naming it. An ask rule whose tool is a glob is about calls,
 * and not about hosts. One spelling of loopback stands for all.
 */
export function closedHosts({ admin, world, agent }: Policies): readonly string[] {
  const groups = [admin, world, agent].flatMap((policy) => [
    ...groupsFor(policy?.deny, NETWORK_RULE),
    policy?.ask.byTool.get(NETWORK_RULE),
  ]);
  const found = groups.filter((group) => group !== undefined);
  if (found.some(({ any }) => any.length > 0)) return ['*'];
  return [...new Set(hostPatterns(found).flatMap((pattern) => [pattern, ...loopbackIn(pattern.toLowerCase())]))];
}

/** All spellings of loopback, with the port of the pattern, if it matches one of them. */
function loopbackIn(pattern: string): readonly string[] {
  const port = /:\d+$/.exec(pattern)?.[0] ?? '';
  const all = loopbackSpellings(`localhost${port}`);
  const isMatched = [pattern, ...all].some(
    (one) => loopbackSpellings(one).length > 1 && (one === pattern || matchesGlob(toolGlob(pattern), one)),
  );
  return isMatched ? all : [];
}

/**
 * A folder stays closed if a deny or ask rule matches it or anything in it: in the sandbox, nothing else would stop a command from reading it.
 */
function openFolders(policies: Policies, rules: readonly RuleGroup[], place: CallFolders): readonly string[] {
  const { admin, world, agent } = policies;
  const protectedPaths = [admin, world, agent].flatMap((policy) => [
    ...pathsOf(groupsFor(policy?.deny, FOLDER_RULE), place),
    ...pathsOf(groupsFor(policy?.ask, FOLDER_RULE), place),
  ]);
  const holdsProtected = (folder: string): boolean =>
    protectedPaths.some((path) => foldName(path).startsWith(`${foldName(folder)}/`));
  return [...new Set(pathsOf(rules, place))]
    .filter((path) => isOpen(policies, undefined, FOLDER_RULE, { kind: 'path', path }, place) && !holdsProtected(path))
    .sort();
}

/** Whether no deny or ask rule matches the subject and, if `rules` is given, one of them allows it. */
function isOpen(
  { admin, world, agent }: Policies,
  rules: readonly RuleGroup[] | undefined,
  tool: string,
  subject: Subject,
  place: CallFolders,
): boolean {
  const call = toMatchable({ tool, subjects: [subject], place });
  const guards = [admin, world, agent].flatMap((policy) => guardsOf(policy, tool));
  if (firstMatching(guards, call) !== undefined) return false;
  return rules === undefined || covering(rules, call) !== undefined;
}

function guardsOf(policy: Policy | undefined, tool: string): readonly RuleGroup[] {
  return [...groupsFor(policy?.deny, tool), ...groupsFor(policy?.ask, tool)];
}

function hostPatterns(rules: readonly RuleGroup[]): readonly string[] {
  const patterns = rules.flatMap(({ patterned }) => patterned.map(({ text }) => formatPattern(wordsOf(text))));
  return [...new Set(patterns)].sort();
}

/** The literal start of each rule's pattern, if it has one. */
function pathsOf(rules: readonly RuleGroup[], place: CallFolders): string[] {
  return rules.flatMap(({ patterned }) =>
    patterned.flatMap(({ text }) => {
      const [word, ...more] = wordsOf(text);
      const path = word === undefined || more.length > 0 ? undefined : beginningOf(word, place);
      return path === undefined ? [] : [path];
    }),
  );
}

function wordsOf(rule: string): readonly PatternWord[] {
  const parsed = parseRule(rule);
  return parsed.ok ? (parsed.rule.words ?? []) : [];
}

/** `~/lib`, `~/lib/` and `~/lib/**` name the same folder. */
function beginningOf([first, second]: PatternWord, place: CallFolders): string | undefined {
  if (first === undefined || !('text' in first)) return undefined;
  const text = second === undefined || first.text.endsWith('/') ? first.text : first.text.replace(/[^/]*$/, '');
  const plain = text.replace(/\/+$/, '');
  const path = plain.startsWith('~/') ? place.home + plain.slice(1) : plain;
  return normalSegments(path) === undefined || path === '/' || path === place.home ? undefined : path;
}
