import { useEffect, useState } from 'react';

/** How long a new card can't be decided: a second click or a repeated key was meant for the previous card. */
const ARMING_MS = 1000;
/** Long enough to notice that it is a different card. */
const WARY_MS = 1500;

export function useArmed(key: string, wary = false): boolean {
  const [armed, setArmed] = useState<string>();
  const isWary = useState(wary)[0];
  useEffect(() => {
    const timer = setTimeout(() => setArmed(key), isWary ? WARY_MS : ARMING_MS);
    return () => clearTimeout(timer);
  }, [key, isWary]);
  return armed === key;
}
