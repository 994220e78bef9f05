import { storedSandboxSchema, unknownSandbox, type CallSandbox } from '@countersign/protocol';

/** An unreadable sandbox claims nothing (A21), so that the rest of the queue can still be shown. */
export function readSandbox(stored: string): CallSandbox {
  try {
    return storedSandboxSchema.parse(JSON.parse(stored));
  } catch {
    return unknownSandbox('unreadable');
  }
}
