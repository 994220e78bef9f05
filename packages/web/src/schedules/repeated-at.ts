/** The cron expression for a time of day, such as `08:30`. Undefined for any other text. `day`: 0 for Sunday. */
export function repeatedAt(repeat: string, time: string, day: string): string | undefined {
  const [, hour, minute] = /^(\d{2}):(\d{2})/.exec(time) ?? [];
  if (hour === undefined || minute === undefined) return undefined;
  const days = repeat === 'weekdays' ? '1-5' : repeat === 'weekly' ? day : '*';
  return `${Number(minute)} ${Number(hour)} * * ${days}`;
}
