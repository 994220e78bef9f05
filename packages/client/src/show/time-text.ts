/** `0.1 s`, `12 s`, `4 min`, `2 h`: rounded to one unit. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 90) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 36 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}

/** `just now`, `59 s ago`, `1 min ago`: completed units, as people count them. */
export function agoText(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (Number.isNaN(ms)) return '';
  if (ms < 1500) return 'just now';
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 36 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`;
}

/** Like `durationText`, without fractions of a second: for waiting times. */
export function secondsText(ms: number): string {
  return ms < 10_000 ? `${Math.round(Math.max(0, ms) / 1000)} s` : durationText(ms);
}
