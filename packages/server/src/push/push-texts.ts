/** What notifications say. Names and calls are already masked. */
export const pushTexts = {
  asks: (world: string, agent: string, tool: string) => `${world}: ${agent} wants to run ${tool}`,
  asksQuestion: (world: string, agent: string) => `${world}: ${agent} asks`,
  overdue: (title: string, minutes: number) => `${title}, for ${minutes} minutes`,
  waiting: (count: string, world: string) => `${count} calls wait in ${world}`,
  waitingLead: 'Open the inbox to review them.',
  more: (most: number) => `More than ${most}`,
  cut: 'Shortened. Review shows all of it.',
  test: 'Countersign',
  testLead: 'Notifications reach this device.',
} as const;
