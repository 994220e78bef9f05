import { z } from 'zod';

/** The text of every turn, the same for all contenders. */
export const SYSTEM_PROMPT = 'You help people to travel.';
export const ANSWER = 'It is 21 degrees in Lisbon and the sun is out.';
export const USAGE = { inputTokens: 120, outputTokens: 12 };

/** A turn without a tool, one with an ungated tool, one with three gated tools. */
export type Case = 'text' | 'one tool' | 'three gated tools';
export const CASES: readonly Case[] = ['text', 'one tool', 'three gated tools'];

/** The person's messages, which determine the model's actions. */
export const QUESTIONS: Readonly<Record<Case, string>> = {
  text: 'How is the weather in Lisbon?',
  'one tool': 'Look up the weather in Lisbon.',
  'three gated tools': 'Book me a room in Lisbon, Porto and Faro.',
};

/** Not a separate case: requests a single gated call, to measure when the approval request arrives. */
export const ONE_GATED_QUESTION = 'Book me a room in Lisbon.';

export const LOOK_UP = 'look_up_weather';
export const BOOK = 'book_room';
export const argumentsSchema = z.object({ city: z.string(), nights: z.number().int() });
export type Arguments = z.infer<typeof argumentsSchema>;
export const DESCRIPTIONS = { [LOOK_UP]: 'Looks up the weather of a city.', [BOOK]: 'Books a room in a city.' };

export function runTool({ city, nights }: Arguments): { city: string; nights: number; degrees: number } {
  return { city, nights, degrees: 21 };
}

export interface ScriptedToolCall {
  name: string;
  arguments: string;
}

const CALLS: Readonly<Record<Case, readonly ScriptedToolCall[]>> = {
  text: [],
  'one tool': [call(LOOK_UP, 'Lisbon')],
  'three gated tools': [call(BOOK, 'Lisbon'), call(BOOK, 'Porto'), call(BOOK, 'Faro')],
};

/** All of the model's logic: makes the tool calls for the question, or answers with text. */
export function callsFor(lastMessage: string): readonly ScriptedToolCall[] {
  if (lastMessage === ONE_GATED_QUESTION) return [call(BOOK, 'Lisbon')];
  const asked = CASES.find((name) => QUESTIONS[name] === lastMessage);
  return asked === undefined ? [] : CALLS[asked];
}

function call(name: string, city: string): ScriptedToolCall {
  return { name, arguments: JSON.stringify({ city, nights: 2 }) };
}
