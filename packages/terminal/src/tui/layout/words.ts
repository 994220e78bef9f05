import type { ApprovalView, Decision, Invocation } from '@countersign/client';
import type { Colour } from './spans.js';

const SCOPES: Readonly<Record<Decision['scope'], string>> = {
  once: 'once',
  session: 'for this chat',
  always: 'always',
};

/** `0.1 s`, `12 s`, `4 min`, `2 h`: one number is enough at a glance. */
function durationWords(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 90) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 36 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}

export function agoWords(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (Number.isNaN(ms)) return '';
  if (ms < 1500) return 'just now';
  return `${ms < 10_000 ? `${Math.round(ms / 1000)} s` : durationWords(ms)} ago`;
}

/** `14:05`; with the day when it was not today. */
export function clockWords(at: string, now: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (new Date(now).toDateString() === date.toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

/** `Approved once by … in the web, 3 s ago`. */
export function decisionStory(decision: Decision, now: number, me?: string): string {
  const isPerson = decision.by !== 'system' && decision.by !== '';
  const who = isPerson ? ` by ${decision.by === me ? 'you' : decision.by}` : '';
  const where = isPerson && decision.client !== undefined ? ` in ${clientWords(decision.client)}` : '';
  const when = `, ${agoWords(decision.at, now)}`;
  const why = decision.reason === undefined || decision.reason === '' ? '' : `: ${decision.reason}`;
  switch (decision.outcome) {
    case 'approved':
      return `Approved ${SCOPES[decision.scope]}${who}${where}${when}`;
    case 'denied':
      return `Denied${who}${where}${when}${why}`;
    case 'expired':
      return `Expired${when}, nothing ran`;
    case 'superseded':
      return `Asked anew${when}${why}`;
    case 'answered':
      return `Answered${who}${where}${when}`;
  }
}

function clientWords(client: string): string {
  return /^(?:web|terminal|editor)$/i.test(client) ? `the ${client.toLowerCase()}` : client;
}

export interface CallLook {
  readonly icon: string;
  readonly words: string;
  readonly colour?: Colour;
}

/** Where a call stands, at a glance. */
export function callLook(
  { status }: Pick<Invocation, 'status'>,
  decision: Decision | undefined,
  me: string | undefined,
): CallLook {
  const isUnnamed = decision === undefined || decision.by === '' || decision.by === 'system';
  const by = isUnnamed ? '' : ` by ${decision.by === me ? 'you' : decision.by}`;
  const signed = decision?.outcome === 'approved' ? `signed ${SCOPES[decision.scope]}${by}` : undefined;
  switch (status.kind) {
    case 'proposed':
      return { icon: '○', words: 'about to run' };
    case 'asked':
      return { icon: '⏳', words: 'waiting for you', colour: 'waiting' };
    case 'approved':
      return { icon: '✓', words: signed ?? 'signed', colour: 'good' };
    case 'running':
      return { icon: '●', words: 'running', colour: 'do' };
    case 'succeeded':
      return {
        icon: '✓',
        words: signed ?? (decision?.outcome === 'answered' ? `answered${by}` : 'done'),
        colour: 'good',
      };
    case 'failed':
      return { icon: '✗', words: 'failed', colour: 'bad' };
    case 'denied':
      return { icon: '✗', words: `denied${by}`, colour: 'bad' };
    case 'expired':
      return { icon: '✗', words: 'expired, nothing ran', colour: 'bad' };
  }
}

/** `2 secrets are masked…`, from the numbered stand-ins in what is shown (A15). */
export function maskedWords({ arguments: args, preview, message }: ApprovalView): string | undefined {
  const shown = JSON.stringify([args, preview ?? '', message]);
  const count = new Set(shown.match(/‹masked (?:number )?\d+›/g)).size;
  if (count === 0) return undefined;
  return count === 1
    ? '1 secret is masked; the tool gets the real value.'
    : `${count} secrets are masked; the tool gets the real values.`;
}

export function sandboxWords(sandbox: string): { words: string; safe: boolean } {
  if (sandbox === 'none' || sandbox === '')
    return { words: 'not sandboxed: it runs with your own rights', safe: false };
  return { words: sandbox.includes('no network') ? 'sandboxed, no network' : `sandboxed: ${sandbox}`, safe: true };
}

export function verbFor(toolName: string): string {
  switch (toolName) {
    case 'shell_cmd':
      return 'wants to run';
    case 'write_file':
      return 'wants to write';
    case 'edit_file':
      return 'wants to change';
    default:
      return `wants to use ${toolName}`;
  }
}
