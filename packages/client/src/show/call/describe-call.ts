import { externalVerb, isInapplicable, ONLY_TITLE, RUN_TOOL, type NoEffect } from '@countersign/protocol';
import { programText } from './run-text.js';

/** An argument that a card shows by its name. */
interface Field {
  name: string;
  text: string;
}

/** The parts of a call that a card shows, by kind of tool. `others`: further arguments, which only tools of other programs have. */
export type CallShape =
  | { kind: 'shell'; command: string; parameters: readonly string[]; others: readonly Field[] }
  | { kind: 'write'; path: string; content: string; others: readonly Field[] }
  | { kind: 'edit'; path: string; before: string; after: string; others: readonly Field[] }
  | { kind: 'fields'; fields: readonly Field[] }
  | { kind: 'text'; text: string };

/** `noEffect`: why nothing says what the call will do. An edit that doesn't apply is never shown as a change. */
export function describeCall(toolName: string, args: unknown, noEffect?: NoEffect): CallShape {
  if (typeof args === 'string') return { kind: 'text', text: args };
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return { kind: 'text', text: asText(args) };
  const record: Readonly<Record<string, unknown>> = { ...args };
  const { command, parameters, path, content, oldText, newText, program } = record;
  const only = (...names: readonly string[]): boolean => Object.keys(record).every((name) => names.includes(name));
  // If there is an unknown field, show the plain list: no argument may be hidden.
  if (toolName === 'shell_cmd' && typeof command === 'string' && only('command', 'parameters')) {
    if (parameters === undefined) return { kind: 'shell', command, parameters: [], others: [] };
    if (isStrings(parameters)) return { kind: 'shell', command, parameters, others: [] };
  }
  if (toolName === RUN_TOOL && isStrings(program)) {
    const { program: _, later, ...others } = record;
    const more = Array.isArray(later) && later.every(isStrings) ? later : undefined;
    const command = [program, ...(more ?? [])].map(programText).join('\n');
    const rest = more === undefined && later !== undefined ? { ...others, later } : others;
    return { kind: 'shell', command, parameters: [], others: fieldsOf(rest) };
  }
  if (toolName === 'write_file' && typeof path === 'string' && typeof content === 'string' && only('path', 'content'))
    return { kind: 'write', path, content, others: [] };
  if (
    toolName === 'edit_file' &&
    typeof path === 'string' &&
    typeof oldText === 'string' &&
    typeof newText === 'string' &&
    only('path', 'oldText', 'newText')
  )
    return { kind: 'edit', path, before: oldText, after: newText, others: [] };
  const external = isInapplicable(noEffect) ? undefined : externalShape(toolName, record);
  return external ?? { kind: 'fields', fields: fieldsOf(record) };
}

const PATHS = ['file_path', 'filePath', 'absolute_path', 'path'];

/** The call of another program's shell, or of its tool that writes or edits a file. Undefined if it can't be told which arguments count. */
function externalShape(toolName: string, record: Readonly<Record<string, unknown>>): CallShape | undefined {
  if (ONLY_TITLE in record) return undefined;
  const only = (...names: readonly string[]): readonly [string, string] | undefined => {
    const given = names.filter((name) => record[name] !== undefined);
    const [name] = given;
    const value = name === undefined ? undefined : record[name];
    return given.length === 1 && name !== undefined && typeof value === 'string' ? [name, value] : undefined;
  };
  const without = (...shown: readonly (readonly [string, string])[]): Field[] =>
    fieldsOf(record).filter(({ name }) => !shown.some(([used]) => used === name));
  const path = only(...PATHS);
  switch (externalVerb(toolName)) {
    case 'run': {
      const command = only('command', 'cmd');
      if (command?.[0] !== 'command') return undefined;
      return { kind: 'shell', command: command[1], parameters: [], others: without(command) };
    }
    case 'write': {
      const content = only('content');
      if (path === undefined || content === undefined) return undefined;
      return { kind: 'write', path: path[1], content: content[1], others: without(path, content) };
    }
    case 'change': {
      const [before, after] = [only('old_string', 'oldString'), only('new_string', 'newString')];
      if (path === undefined || before === undefined || after === undefined) return undefined;
      const others = without(path, before, after);
      return { kind: 'edit', path: path[1], before: before[1], after: after[1], others };
    }
    case undefined:
      return undefined;
  }
}

function fieldsOf(record: Readonly<Record<string, unknown>>): Field[] {
  return Object.entries(record).map(([name, value]) => ({ name, text: asText(value) }));
}

/** The arguments of a call that is shown as a command, with another command. */
export function withCommand(args: unknown, command: string): Record<string, unknown> {
  return { ...(typeof args === 'object' ? args : {}), command };
}

/** One line that identifies a call in a list. */
export function callLine(toolName: string, args: unknown): string {
  const shape = describeCall(toolName, args);
  switch (shape.kind) {
    case 'shell':
      return firstLine([shape.command, ...shape.parameters.map((word) => JSON.stringify(word))].join(' '));
    case 'write':
    case 'edit':
      return firstLine(shape.path);
    case 'text':
      return firstLine(shape.text);
    case 'fields':
      return firstLine(shape.fields.map(({ name, text }) => `${name}: ${text.slice(0, LONGEST_LINE * 4)}`).join(', '));
  }
}

/** The whole call, for one that runs without being shown otherwise: its tool, and a command or every argument by its name. */
export function wholeCallLines(toolName: string, args: unknown): readonly string[] {
  const shape = describeCall(toolName, args);
  const named = ({ name, text }: Field): string[] => indentedLines(`${name}: ${text}`);
  switch (shape.kind) {
    case 'shell': {
      const command = [shape.command, ...shape.parameters.map((word) => JSON.stringify(word))].join(' ');
      const [first = '', ...rest] = command.split('\n');
      return [`${toolName}: ${first}`, ...rest.map((line) => `    ${line}`), ...shape.others.flatMap(named)];
    }
    case 'text':
      return [`${toolName}:`, ...indentedLines(shape.text)];
    case 'write':
    case 'edit':
    case 'fields':
      return [`${toolName}:`, ...fieldsOf({ ...(args as object) }).flatMap(named)];
  }
}

/** Continuation lines are indented further, so that a value can't look like another argument. */
function indentedLines(text: string): string[] {
  return text.split('\n').map((line, index) => `${index === 0 ? '  ' : '    '}${line}`);
}

/** Like `callLine`, with the tool's name, for places that don't show it otherwise. A command needs no tool name. */
export function namedCallLine(toolName: string, args: unknown): string {
  const line = callLine(toolName, args);
  return describeCall(toolName, args).kind === 'shell' ? line : `${toolName} ${line}`.trim();
}

const LONGEST_LINE = 240;

function firstLine(text: string): string {
  const lines = text.slice(0, LONGEST_LINE * 4).split('\n');
  const line = lines.find((each) => each.trim() !== '') ?? '';
  const cut = line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line;
  return cut.length < text.trim().length ? `${cut.trimEnd()} …` : cut;
}

export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
