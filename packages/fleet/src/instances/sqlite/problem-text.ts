/** Why a SQLite database was not copied or carried, for people: with the Node, the path and what helps. */
export const sqliteProblemText = (problem: string, path: string, node: string): string =>
  (TEXTS[problem] ?? other)(path, node)

const other = (path: string, node: string): string =>
  `The SQLite database ${path} could not be copied: the command on ${node} failed. Repeat the request.`

const TEXTS: Readonly<Record<string, (path: string, node: string) => string>> = {
  command_missing: (_path, node) =>
    `${node} has no executable that copies SQLite databases. Install it: \`fleet node:converge ${node} --force\`.`,
  missing: (path, node) => `${node} has no file at ${path}.`,
  outside: (path, node) => `On ${node} a link leads from ${path} out of the folder of the Instance.`,
  damaged: (path, node) => `The file ${path} on ${node} is damaged, or is no SQLite database.`,
  denied: (path, node) =>
    `On ${node} the user that copies the SQLite database ${path} may not read or write it.`,
  busy: (path, node) =>
    `The SQLite database ${path} on ${node} stayed locked by a writer. Repeat the request.`,
  full: (path, node) => `The file system of ${node} is too full for a copy of the SQLite database ${path}.`,
  read_only: (path, node) => `The file system of ${node} takes no writes, so ${path} was not written.`,
  occupied: (path, node) =>
    `On ${node} another file has the name ${path}. Move it away, then repeat the request.`,
  torn: (path, node) => `The SQLite database ${path} did not arrive whole on ${node}. Repeat the request.`,
}
