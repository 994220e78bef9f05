import type { ReactElement } from 'react';
import { cx } from './cx.js';

const PATHS = {
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12.5l4.500 4.500L19 7.500',
  cross: 'M6 6l12 12M18 6L6 18',
  hourglass: 'M7 3h10M7 21h10M8 3c0 5 4 6 4 9s-4 4-4 9M16 3c0 5-4 6-4 9s4 4 4 9',
  ban: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM5.700 5.700l12.600 12.600',
  alert: 'M12 4l9 16H3zM12 10v4.500M12 17.300v.2',
  play: 'M8 5.500v13l10.500-6.500z',
  stop: 'M7 7h10v10H7z',
  send: 'M12 19V5M6 11l6-6 6 6',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16.200 16.200L20.500 20.500',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5.500 12h.01M12 12h.01M18.500 12h.01',
  chevron: 'M9 6l6 6-6 6',
  down: 'M6 9l6 6 6-6',
  inbox: 'M4 13l2.500-8h11L20 13v6H4zM4 13h5a3 3 0 0 0 6 0h5',
  policy: 'M12 3l8 3v6c0 4.500-3.200 7.700-8 9-4.800-1.300-8-4.500-8-9V6zM8.500 12l2.500 2.500 4.500-5',
  audit: 'M7 3h8l4 4v14H7zM15 3v4h4M10 12h6M10 16h6',
  stats: 'M5 20V11M12 20V4M19 20v-6',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 4.500v5M7 14.500v5',
  agents:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 20c.5-4 3-6 6.500-6s6 2 6.500 6M16 4.500a3.300 3.300 0 0 1 0 6.300M18 14.500c2 .8 3.200 2.600 3.500 5.500',
  grants: 'M14.500 3.500a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM10.200 13.800L3.500 20.500M6.500 17.500l2.500 2.500',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  key: 'M8 10a5 5 0 1 0 0 8 5 5 0 0 0 0-8zM12 14h9M18 14v3.500',
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13.500 6.500l4 4',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  reply: 'M10 7L5 12l5 5M5 12h9c3 0 5 2 5 5v1',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z',
  auto: 'M4 5h16v11H4zM9 20h6M12 16v4',
  folder: 'M3 6h6l2 2.500h10V19H3z',
  terminal: 'M4 5h16v14H4zM7.500 9.500l3 2.500-3 2.500M12.500 15h4',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  lock: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3',
  globe:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3.500 6 3.500 9s-.5 6-3.500 9c-3-3-3.500-6-3.500-9S9 6 12 3z',
  question: 'M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 17.300v.2',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.500V12l3 2',
  download: 'M12 4v11M7 10.500l5 5 5-5M5 20h14',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.500 1.500h-15zM10 20.500h4',
  bolt: 'M13 3L5 14h6l-1 7 8-11h-6z',
  eye: 'M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z',
} as const;

export type IconName = keyof typeof PATHS;

/** A small drawing beside a word. It says nothing to a screen reader: the word does. */
export function Icon({ name, className }: { name: IconName; className?: string }): ReactElement {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      className={cx('size-4 shrink-0', className)}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
