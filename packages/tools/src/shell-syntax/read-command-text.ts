import {
  type Command,
  forEachChild,
  parse,
  type ParsedScript,
  type Pipeline,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { type Findings, noteCommand, noteReason, noteRedirect, noteText } from './findings.js';
import { literalValue } from './literal-value.js';
import { type Reason, reasonFor } from './node-kinds.js';
import { baseName, kindOfProgram } from './programs.js';
import { readRedirect } from './redirects.js';
import { roughCommands } from './rough-commands.js';

/** Beyond these limits, the parser takes seconds, and a model could block the process with one call. */
const LONGEST = 32 * 1024;
const DEEPEST = 64;

/**
 * Records every simple command in a bash script, and every reason why no rule may allow it, even if it can't be parsed completely. Returns the
 * syntax tree, or undefined if the text was not parsed.
 */
export function readCommandText(text: string, findings: Findings): ParsedScript | undefined {
  if (text.length > LONGEST || nestsDeeply(text)) {
    noteReason(findings, { why: { code: 'too-complex' }, told: false });
    noteRoughCommands(findings, text);
    return undefined;
  }
  const script = parse(text);
  visit(script, findings, false);
  if (script.errors !== undefined) noteRoughCommands(findings, text);
  return script;
}

function nestsDeeply(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '(' || character === '{') depth += 1;
    else if (character === ')' || character === '}') depth = Math.max(0, depth - 1);
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** If the parser gives up, an approximation of the commands is enough for deny and ask rules. */
function noteRoughCommands({ inner }: Findings, text: string): void {
  for (const command of roughCommands(text)) {
    const words = command
      .replaceAll(/["'\\]/g, '')
      .split(/\s+/)
      .filter((word) => word !== '');
    if (words.length > 0) inner.push(words);
  }
}

function visit(node: SyntaxNode, findings: Findings, piped: boolean): void {
  const reason = reasonFor(node);
  if (reason !== undefined) noteReason(findings, reason);
  if (node.type === 'Script' && node.errors !== undefined) {
    noteReason(findings, { why: { code: 'unparsable' }, told: false });
  } else if (node.type === 'Statement' && node.background === true) {
    noteReason(findings, { why: { code: 'background' }, told: true });
  } else if (node.type === 'Pipeline') readPipeline(node, findings);
  else if (node.type === 'Redirect') noteRedirect(findings, readRedirect(node));
  else if (node.type === 'Command') readCommand(node, findings, piped);
  forEachChild(node, (child) => {
    visit(child, findings, piped || (node.type === 'Pipeline' && child !== node.commands[0]));
  });
}

function readCommand(command: Command, findings: Findings, piped: boolean): void {
  if (command.prefix.some(({ type }) => type === 'Assignment')) {
    noteReason(findings, { why: { code: 'variable' }, told: false });
  }
  if (command.name === undefined) return;
  const words: string[] = [];
  let exact = true;
  for (const word of [command.name, ...command.args]) {
    if (word.type === 'Assignment') {
      exact = false;
      words.push(word.value.type === 'Word' ? `${word.name}=${word.value.value}` : word.text);
      continue;
    }
    const literal = literalValue(word.text);
    if (literal !== undefined && literal === word.value) {
      words.push(literal);
      continue;
    }
    exact = false;
    if (word.parts === undefined) noteReason(findings, oddWord(word));
    words.push(...shownWords(word));
  }
  noteCommand(findings, { words, exact, piped }, readNested);
  for (const { type, ...redirect } of command.redirects) {
    if (type !== 'HereDoc' && type !== 'HereString') continue;
    if (kindOfProgram(baseName(words[0] ?? '')) !== 'shell') continue;
    const input = 'body' in redirect ? redirect.body.text : (redirect.target?.value ?? '');
    noteText(findings, input, readNested);
  }
}

/** Reads text that a command runs. */
function readNested(text: string, findings: Findings): void {
  readCommandText(text, findings);
}

/** `echo "rm x" | sh`: a shell runs its input. */
function readPipeline({ commands }: Pipeline, findings: Findings): void {
  for (const [at, command] of commands.entries()) {
    if (at === 0 || command.type !== 'Command' || !runsInput(command)) continue;
    for (const before of commands.slice(0, at)) {
      if (before.type !== 'Command') continue;
      for (const word of before.args) noteText(findings, word.type === 'Word' ? word.value : word.text, readNested);
    }
  }
}

function runsInput({ name, args }: Command): boolean {
  return [name, ...args].some((word) => word?.type === 'Word' && kindOfProgram(baseName(word.value)) === 'shell');
}

function oddWord({ text }: Word): Reason {
  if (/(?:^|[=:])~(?:\/|$)/.test(text)) return { why: { code: 'home-folder' }, told: true };
  if (text.includes('~')) return { why: { code: 'home-folder' }, told: false };
  if (/\\\r?\n/.test(text)) return { why: { code: 'continued-line' }, told: true };
  return { why: { code: 'shell-characters' }, told: true };
}

const VARIABLES: readonly (readonly [RegExp, string])[] = [
  [/\$(?:HOME\b|\{HOME\})/g, '~'],
  [/\$(?:PWD\b|\{PWD\})/g, '.'],
];

/** A word as deny and ask rules see it. Unknown parts are given both as their source text and as their usual values. */
function shownWords({ text, value, parts }: Word): readonly string[] {
  const braces = /^\{([^{}$`"'\\]*,[^{}$`"'\\]*)\}$/.exec(text);
  if (braces?.[1] !== undefined) return braces[1].split(',');
  if (parts === undefined || !value.includes('$')) return [value];
  let shown = value;
  for (const [variable, usual] of VARIABLES) shown = shown.replaceAll(variable, usual);
  return /\$(?:IFS\b|\{IFS[^}]*\})/.test(shown) ? shown.split(/\$(?:IFS\b|\{IFS[^}]*\})/) : [shown];
}
