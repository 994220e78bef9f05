/** For somebody who leaves at a card: nothing was decided, and how to decide it later. */
export function leftWords(waiting: number, chat?: { readonly world: string; readonly id: string }): string {
  const count = waiting === 1 ? '1 call still waits' : `${waiting} calls still wait`;
  const next = chat === undefined ? '' : `Continue with countersign chat -w ${chat.world} -c ${chat.id}. `;
  return `Nothing was decided. ${count} for you. ${next}List waiting calls with countersign approvals list.`;
}
