import { type ApprovalView, maskedCount } from '@countersign/client';

/** Placeholders are explained only where one is to be seen. */
export function editHint({ arguments: args }: Pick<ApprovalView, 'arguments'>): string {
  const told = 'The agent is told what really ran.';
  return maskedCount(JSON.stringify(args)) === 0
    ? told
    : `${told} ‹masked …› stands for a secret; keep it to keep the secret.`;
}
