/** Whether a call can only be approved with a passkey (SIGN2). Denying needs none. */
export function needsPasskey(needs: readonly { rule: string; passkey?: true }[] | undefined): boolean {
  return needs?.some(({ passkey }) => passkey === true) ?? false;
}
