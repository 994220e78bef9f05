import type { Change } from '@countersign/client';
import type { ModelSettings, Thinking } from '@countersign/protocol';
import type { Command } from 'commander';
import { agentsHelp as help } from '../../words/help-worlds.js';
import { readChoice, readNumber } from '../read-flags.js';

export interface ModelFlags {
  temperature?: string;
  topP?: string;
  maxTokens?: string;
  contextTokens?: string;
  thinking?: string;
  parallelCalls?: string;
}

export function withModelFlags(command: Command): Command {
  return command
    .option('--temperature <n>', help.temperature)
    .option('--top-p <n>', help.topP)
    .option('--max-tokens <n>', help.maxTokens)
    .option('--context-tokens <n>', help.contextTokens)
    .option('--thinking <level>', help.thinking)
    .option('--parallel-calls <on>', help.parallelCalls);
}

/** The model settings from the flags (MODEL10). Null resets a setting to the model's default. The server checks the ranges. */
export function readModelFlags(flags: ModelFlags): Change<ModelSettings> {
  const { temperature, topP, maxTokens, contextTokens, thinking, parallelCalls } = flags;
  return {
    ...(temperature === undefined ? {} : { temperature: unlessDefault(temperature, toNumber('--temperature')) }),
    ...(topP === undefined ? {} : { topP: unlessDefault(topP, toNumber('--top-p')) }),
    ...(maxTokens === undefined ? {} : { maxTokens: unlessDefault(maxTokens, toNumber('--max-tokens')) }),
    ...(contextTokens === undefined
      ? {}
      : { contextTokens: unlessDefault(contextTokens, toNumber('--context-tokens')) }),
    ...(thinking === undefined ? {} : { thinking: unlessDefault(thinking, readThinking) }),
    ...(parallelCalls === undefined ? {} : { parallelToolCalls: unlessDefault(parallelCalls, readSwitch) }),
  };
}

function unlessDefault<T>(text: string, read: (text: string) => T): T | null {
  return text === 'default' ? null : read(text);
}

function toNumber(flag: string): (text: string) => number {
  return (text) => readNumber(text, flag);
}

function readThinking(text: string): Thinking {
  return /^\d+$/.test(text) ? Number(text) : readChoice(text, '--thinking', ['off', 'low', 'medium', 'high']);
}

function readSwitch(text: string): boolean {
  return readChoice(text, '--parallel-calls', ['on', 'off']) === 'on';
}
