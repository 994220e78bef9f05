/** Whether a link only works on the machine of the server. */
export function isLocalLink(link: string): boolean {
  const { hostname } = new URL(link);
  return (
    hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || hostname.startsWith('127.')
  );
}
