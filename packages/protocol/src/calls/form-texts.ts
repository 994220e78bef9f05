/** Error messages for form fields, the same on all screens. */
export const formTexts = {
  missing: 'Enter a value.',
  notBoolean: 'Answer yes or no.',
  notNumber: 'Enter a number.',
  notInteger: 'Enter a whole number.',
  notText: 'Enter text.',
  notChoice: 'Choose one of the options.',
  notChoices: 'Choose from the options.',
  notEmail: 'Enter an email address.',
  notUrl: 'Enter a URL.',
  notDate: 'Enter a date, such as 2026-01-31.',
  notDateTime: 'Enter a date and time, such as 2026-01-31T10:00:00Z.',
  numberLimit: (bound: Bound, limit: number) => `Must be ${bound} ${limit}.`,
  lengthLimit: (bound: Bound, limit: number) => `Must be ${bound} ${counted(limit, 'character')}.`,
  countLimit: (bound: Bound, limit: number) => `Choose ${bound} ${counted(limit, 'option')}.`,
};

export type Bound = 'at least' | 'at most';

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
