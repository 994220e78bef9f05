import { createHash } from 'node:crypto';
import type { McpToolDefinition, McpToolRecord } from '../ports/index.js';
import { canonicalJson } from '../policy/index.js';

/** A hash of the whole definition, so that a changed tool isn't treated as accepted. */
export function definitionDigest(definition: McpToolDefinition): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

const LONGEST = 1_500;
/** How much text to show before and after the first difference. */
const BEFORE = 40;
const AFTER = 200;

/** Describes how a tool's current definition differs from the accepted one, for a card. Undefined if it doesn't. */
export function describeDifference({ accepted, acceptedDigest, seen, seenDigest }: McpToolRecord): string | undefined {
  if (acceptedDigest !== null && acceptedDigest === seenDigest) return undefined;
  if (seen === null) return 'the server no longer offers it';
  const said = (definition: McpToolDefinition): string => definition.description ?? '';
  if (accepted === null) {
    return cut(`it is a new tool that nobody has accepted: ${quoted(excerpt(said(seen), 0))}`);
  }
  const differences = [
    ...differ('name', accepted.name, seen.name),
    ...differ('description', said(accepted), said(seen)),
    ...differInFields(accepted, seen),
    ...differ('result', jsonOf(accepted.outputSchema), jsonOf(seen.outputSchema)),
    ...differ('its annotations', jsonOf(accepted.annotations), jsonOf(seen.annotations)),
  ];
  return cut(differences.join('; ') || 'its definition changed');
}

/** Compares argument by argument: two whole schemas side by side would be unreadable. */
function differInFields(accepted: McpToolDefinition, seen: McpToolDefinition): string[] {
  const [before, after] = [propertiesOf(accepted), propertiesOf(seen)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const fields = names.flatMap((name) => {
    const was = Object.hasOwn(before, name) ? jsonOf(before[name]) : undefined;
    const is = Object.hasOwn(after, name) ? jsonOf(after[name]) : undefined;
    if (was === undefined) return [`argument ${quoted(name)} was added: ${excerpt(is ?? '', 0)}`];
    return is === undefined ? [`argument ${quoted(name)} was removed`] : differ(`argument ${quoted(name)}`, was, is);
  });
  if (fields.length > 0) return fields;
  return differ('schema', jsonOf(accepted.inputSchema), jsonOf(seen.inputSchema));
}

function propertiesOf({ inputSchema }: McpToolDefinition): Record<string, unknown> {
  const { properties } = inputSchema;
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
}

function differ(what: string, was: string, is: string): string[] {
  if (was === is) return [];
  let at = 0;
  while (at < was.length && was[at] === is[at]) at += 1;
  return [`${what} changed from ${quoted(excerpt(was, at))} to ${quoted(excerpt(is, at))}`];
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const to = Math.min(text.length, at + AFTER);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : canonicalJson(value);
}

function cut(words: string): string {
  return words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
}
