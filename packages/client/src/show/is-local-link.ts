/** Whether a URL only works on the machine of the server. */
export function isLocalLink(link: string): boolean {
  const { hostname } = new URL(link);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}
