/** What the gateway says to clients and their models. */
export const gatewayTexts = {
  instructions:
    'Calls of these tools may wait until a person approves them. If a call is answered with "pending", call wait_for_call with its id; do not send the call again.',
  waiting: (tool: string, link: string) => `${tool} waits for approval: ${link}`,
  elicitation: (tool: string) =>
    `${tool} needs approval. Open Countersign to approve or deny it. What you choose here decides nothing.`,
  running: (tool: string) => `${tool} is running`,
  pending: (call: string, link: string | undefined) =>
    `pending: this call ${link === undefined ? "hasn't ended yet" : `still waits for a person at ${link}`}. To get its result, call wait_for_call with {"call": "${call}"}. It runs at most once.`,
  unknownTool: (tool: string) => `Unknown tool: ${tool}`,
  unknownCall: 'You have no call with this id in this world.',
  tooMany: (most: number) =>
    `Nothing was started: ${most} requests of this agent already wait. Send the call again when one of them has ended.`,
  revoked:
    'The token of this client was revoked or has expired. If the call was waiting, it was denied and will not run.',
  notActive: 'This agent was removed or deactivated, so none of its calls can run.',
  alreadyRun: 'This call was already allowed once and has ended.',
  notAsked: 'Nobody approved this call, so it must not run.',
};
