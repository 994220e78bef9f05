import { callSandboxSchema, unknownSandbox, type CallSandbox } from '@countersign/protocol';

/** Falls back to an unknown sandbox if the stored value can't be parsed (CALL20), so that the rest of the queue can still be shown. */
export function readSandbox(stored: string): CallSandbox {
  try {
    return callSandboxSchema.parse(JSON.parse(stored));
  } catch {
    return unknownSandbox('unreadable');
  }
}
