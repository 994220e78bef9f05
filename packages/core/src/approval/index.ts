export { callHash, keyedHash, toolDigest } from './call-hash.js';
export { checkToolApproval } from './check-tool-approval.js';
export type { Gate, GateGrant, GateInput, GateTool } from './gate.js';
export { parseArguments } from './parse-arguments.js';
