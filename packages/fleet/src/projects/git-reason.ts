/** Why Git could not read a remote, from what it complained of. */
export const gitReasons = [
  'certificate',
  'host_key',
  'name',
  'timeout',
  'authentication',
  'not_found',
  'refused',
] as const
export type GitReason = (typeof gitReasons)[number]

// In this order: a connection that timed out "failed to connect" too. Git, curl with its TLS libraries, and OpenSSH.
const COMPLAINTS: Readonly<Record<GitReason, RegExp>> = {
  certificate:
    /SSL certificate|certificate verif|CAfile|self.signed certificate|certificate has expired|certificate subject name|TLS certificate/i,
  host_key: /host key verification failed|remote host identification has changed/i,
  name: /could not resolve (?:host|proxy)|name or service not known|name resolution/i,
  timeout: /timed out|timeout was reached|operation too slow/i,
  authentication:
    /authentication failed|could not read (?:username|password)|permission denied|returned error: 40[13]\b|access denied/i,
  not_found: /not found|returned error: 404\b|does not appear to be a git repository|does not exist/i,
  refused:
    /connection refused|couldn't connect|failed to connect|network is unreachable|no route to host|connection reset/i,
}

/** Undefined for what is none of them. What the remote itself said, and names and URLs of its choice, do not count. */
export function gitReason(complaint: string): GitReason | undefined {
  const own = complaint
    .split('\n')
    .filter((line) => !/^\s*remote: /.test(line))
    .join('\n')
    .replace(/'[^'\n]*'|\S+:\/\/\S+/g, '')
  return gitReasons.find((reason) => COMPLAINTS[reason].test(own))
}

const SENTENCES: Readonly<Record<GitReason, string>> = {
  certificate: 'the certificate of its server is not trusted',
  host_key: 'the SSH host key of its server is not known or has changed',
  name: 'its server name cannot be resolved',
  timeout: 'its server did not answer in time',
  authentication: 'its server requires a login, or rejects the one in use',
  not_found: 'its server has no such repository, or does not show it to this login',
  refused: 'its server refuses the connection',
}

/** For messages; `where` is who tried to read. */
export const unreadableMessage = (where: string, reason: GitReason): string =>
  `The repository cannot be read ${where}: ${SENTENCES[reason]}.`
