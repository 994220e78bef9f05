/** What webhooks say. Names and calls are already masked and short. */
export const webhookTexts = {
  overdue: (title: string, minutes: number) => `${title}, for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`,
  decided: (world: string, tool: string, how: string, by: string) => `${world}: ${tool} was ${how} by ${by}`,
  superseded: (world: string, tool: string) => `${world}: ${tool} was replaced by another question`,
  expired: (world: string, tool: string) => `${world}: nobody decided about ${tool} in time`,
  failed: (world: string, agent: string, tool: string) => `${world}: ${tool} of ${agent} failed`,
  idle: (world: string, chat: string) => `${world}: "${chat}" has nothing left to do`,
  approved: 'approved',
  denied: 'denied',
  answered: 'answered',
  deleted: 'it was deleted before it was sent',
  noLonger: 'its owner may no longer have webhooks, or read this world',
  inTime: 'it was decided in time',
  otherKey: 'its URL was encrypted with another secrets key',
  status: (status: number) => `status ${status}`,
} as const;
