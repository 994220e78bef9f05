import { callWords } from './calls.js';
import { chatWords } from './chat.js';

/** The page with what a chat changed. */
export const changesWords = {
  title: 'Changes',
  theChanges: 'the changes',
  lead: 'What calls changed in the working folder, newest first, in the chat',
  deletedChat: chatWords.deletedChat,
  none: 'No call of this chat changed files.',
  noneYet: 'None of the latest calls changed files.',
  noneHint: 'Changes appear here when a call has ended.',
  older: 'Look further back',
  notRecorded: 'It changed files. They are not listed, because nobody signed a list of them.',
  notAsked: 'Ran without approval',
  unsure: 'The call failed, so it may have changed only a part of this, or nothing.',
  undoneBy: callWords.undoneBy,
  you: callWords.you,
  review: 'Review by file',
} as const;
