/** What a terminal shows to a person who looks elsewhere. */
export const alertWords = {
  product: 'Countersign',
  waits: (agent: string, what: string): string => `${agent} waits for you: ${what}`,
  several: (count: number): string => `${count} calls wait for you`,
  title: (waiting: number): string => (waiting === 0 ? 'Countersign' : `(${waiting}) Countersign`),
} as const;
