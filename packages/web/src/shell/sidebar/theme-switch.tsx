import type { ReactElement } from 'react';
import { useSignal } from '../../data/use-signal.js';
import { Icon } from '../../ui/icon.js';
import type { IconName } from '../../ui/icon-paths.js';
import { chooseTheme, theme, type Theme } from '../theme.js';
import { shellWords } from '../../words/shell.js';

const NEXT: Readonly<Record<Theme, { to: Theme; icon: IconName; words: string }>> = {
  system: { to: 'light', icon: 'auto', words: shellWords.themes.system },
  light: { to: 'dark', icon: 'sun', words: shellWords.themes.light },
  dark: { to: 'system', icon: 'moon', words: shellWords.themes.dark },
};

export function ThemeSwitch(): ReactElement {
  const { to, icon, words } = NEXT[useSignal(theme)];
  return (
    <button
      type="button"
      title={`${shellWords.theme}: ${words}`}
      onClick={() => chooseTheme(to)}
      className="flex min-h-9 items-center gap-2 rounded-md px-2.5 text-left text-sm text-ink-2 hover:bg-line hover:text-ink"
    >
      <Icon name={icon} className="text-ink-3" />
      {shellWords.theme}
      <span className="sr-only">: {words}</span>
    </button>
  );
}
