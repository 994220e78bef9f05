import { recipientsText } from '@countersign/client';
import type { ReactElement } from 'react';
import { commonWords } from './common.js';

/** A message before it is answered: the composer and the New chat page, which load first. */
export const composerWords = {
  ...commonWords,
  theWorld: 'the world',
  tryAgain: 'Try again',
  message: 'Message',
  send: 'Send',
  attach: 'Attach files',
  attached: 'Attached files',
  removeFile: (name: string) => `Remove ${name}`,
  tooLarge: (name: string) => `${name} is larger than 3 MB. Attach a smaller file.`,
  tooManyFiles: (most: number) => `A message can have at most ${most} files. Send the others in another message.`,
  suggestions: 'Suggestions',
  agents: 'Agents',
  placeholder: (world: string) => `Message ${world}…`,
  widePlaceholder: (world: string) => `Message ${world}…  @ mentions an agent`,
  recipients: recipientsText,
  fixMention: 'Fix mention',
  insertFromServer: 'Insert…',
  insertFromServerHint: 'Insert a prompt or resource from an MCP server',
  sending: 'Sending…',
  retrying: 'Not sent yet, retrying…',
  notSent: 'Not sent:',
  tokens: (input: string, output: string, cost: string) =>
    [`${input} in`, `${output} out`, cost].filter(Boolean).join(' · '),
  tokensTitle: (input: number, output: number) => `${input} tokens in, ${output} tokens out`,
  motto: 'Agents propose. You countersign: calls that need approval wait here until you approve them.',
  noAgents: (realModel: ReactElement, addAgent: ReactElement): ReactElement => (
    <>
      This world has no agents yet. {realModel} with a ready-made agent, or {addAgent} yourself.
    </>
  ),
  addAgent: 'add an agent',
  noTools: 'no tools',
  demo: (realModel: ReactElement): ReactElement => (
    <>The agents of this demo follow a script and need no API key. {realModel}</>
  ),
  realModel: 'Use a real model',
  otherModel: (realModel: ReactElement): ReactElement => <>For another model or agent: {realModel}</>,
  mayCall: (tools: string) => `may call ${tools}`,
  mainBadge: 'main agent',
  modes: {
    read: 'Only read-only tools can run in this world.',
    auto: 'Calls that stay inside the sandbox and the working folder run without approval. All others need approval unless a rule allows them.',
    ask: 'Read-only tools of this world run without approval. All other calls, and each call of an external agent such as Claude Code, need approval unless a rule allows them.',
  },
} as const;
