import { storedSandboxSchema, unknownSandbox, type CallSandbox } from '@countersign/protocol';

/** A sandbox that can't be read claims nothing (A21), and the rest of the queue can still be read. */
export function readSandbox(stored: string): CallSandbox {
  try {
    return storedSandboxSchema.parse(JSON.parse(stored));
  } catch {
    return unknownSandbox('unreadable');
  }
}
