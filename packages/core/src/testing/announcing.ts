/** Ways to introduce a secret other than by a name, for tests that generate random texts. Add new ways here. */
export const announcing: readonly string[] = [
  ...['<password>', '</password>', '<token>x', '%22', '%3D', '%20', '%2522', '+', '\\\\\\"', '- ', 'passwords:\n'],
  ...['["a", ', '"b"', 'mysql -p', 'sshpass -p ', 'setx API_KEY ', 'git config --x a.token ', 'ALTER USER '],
  ...['PASSWORD ', 'machine login password '],
];
