import { z } from 'zod';

const partSchema = z.looseObject({ text: z.string().exactOptional() });

/** Message content in the forms that vendors accept: text, or parts, some with text. */
export const contentSchema = z.union([z.string(), z.array(partSchema)]).nullish();

export function textOf(content: z.infer<typeof contentSchema>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n');
}

/** The text that a person wrote. Coding agents add reminders to a user message as separate parts. */
export function userText(content: z.infer<typeof contentSchema>): string {
  if (typeof content === 'string') return content;
  return textOf((content ?? []).filter(({ text }) => text?.trimStart().startsWith('<system-reminder>') !== true));
}
