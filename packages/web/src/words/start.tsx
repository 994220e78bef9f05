import { commonWords } from './common.js';

/** The steps from the demo to an agent with a real model. */
export const startWords = {
  ...commonWords,
  title: 'Use a real model',
  lead: 'Choose a provider, a model and an agent. No restart is needed.',
  providerStep: '1. Provider',
  provider: 'Provider',
  theProviders: 'the providers',
  another: 'Another one…',
  addProvider: 'Add provider',
  testProvider: 'Test',
  modelStep: '2. Model',
  agentStep: '3. Agent',
  template: 'Template',
  worksIn: 'Works in',
  thisWorld: (world: string, folder: string | undefined) =>
    folder === undefined ? `${world}, in its own folder` : `${world}, in ${folder}`,
  newWorld: 'a new world for another folder',
  folder: 'Folder',
  folderHint: 'Full path on the server. The world is named after the folder.',
  noFolder: 'Enter the full path of a folder, such as /home/me/project.',
  start: 'Start chatting',
  askingModel: (model: string) => `Asking ${model} for a short answer…`,
  cancelTest: 'Cancel test',
  fixFirst: 'Fix this, then press “Start chatting” again.',
  savedButFailed: (why: string) => `Saved, but the test failed. ${why}`,
  saveAnyway: 'Save anyway',
  ready: (names: readonly string[]) => `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} ready.`,
} as const;
