import { useEffect, useState } from 'react';

/** How long a new card can't be signed: the second click of a double click on the card before must not sign this one. */
const ARMING_MS = 350;
/** Long enough to see that it is another one. */
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
