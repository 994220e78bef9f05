/** `14:05` in local time; with the date if it was not today. */
export function clockText(at: string, now: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(now).toDateString() === date.toDateString() ? timeOf(date) : `${dayOf(date)} ${timeOf(date)}`;
}

/** `2026-11-15 14:05` in local time, for tables. */
export function minuteText(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : `${dayOf(date)} ${timeOf(date)}`;
}

/** Like `minuteText`, with seconds. */
export function secondText(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : `${dayOf(date)} ${timeOf(date)}:${two(date.getSeconds())}`;
}

function dayOf(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function timeOf(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
