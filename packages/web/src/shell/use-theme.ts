import { useSyncExternalStore } from 'react';
import { currentTheme, subscribeToTheme, type Theme } from './theme.js';

export function useTheme(): Theme {
  return useSyncExternalStore(subscribeToTheme, currentTheme);
}
