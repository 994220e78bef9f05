import { useEffect, useState } from 'react';

/** How long a new card can't be signed: the second click of a double click on the card before must not sign this one. */
const ARMING_MS = 350;

export function useArmed(key: string): boolean {
  const [armed, setArmed] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setArmed(key), ARMING_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return armed === key;
}
