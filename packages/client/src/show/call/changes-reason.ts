/** The reason of a denial that asks for something else. The agent gets it, and continues. */
export function changesReason(changes: string): string {
  return `Asked for changes: ${changes}`;
}
