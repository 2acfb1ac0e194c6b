import type { SourceLogin } from '#/source-host/api.ts'

/** Why Git could not read a remote, from what it complained of. */
const complaintReasons = [
  'certificate',
  'host_key',
  'name',
  'timeout',
  'authentication',
  'not_found',
  'server',
  'refused',
] as const
type ComplaintReason = (typeof complaintReasons)[number]

/** What a remote that can be read lacks. */
const shortcomings = ['empty', 'detached_head', 'head_without_branch', 'shallow'] as const
type Shortcoming = (typeof shortcomings)[number]

export type GitReason = ComplaintReason | Shortcoming

// In this order: a connection that timed out "failed to connect" too, and one that broke off was "reset". Git, curl with its TLS libraries, and OpenSSH.
const COMPLAINTS: Readonly<Record<ComplaintReason, RegExp>> = {
  certificate:
    /SSL certificate|certificate verif|CAfile|self.signed certificate|certificate has expired|certificate subject name|TLS certificate/i,
  host_key: /host key verification failed|remote host identification has changed/i,
  name: /could not resolve (?:host|proxy)|name or service not known|name resolution/i,
  timeout: /timed out|timeout was reached|operation too slow/i,
  authentication:
    /authentication failed|could not read (?:username|password)|permission denied|returned error: 40[13]\b|access denied|too many authentication failures/i,
  not_found: /not found|returned error: 404\b|does not appear to be a git repository|does not exist/i,
  server:
    /returned error: (?:429|5\d\d)\b|RPC failed|early EOF|HTTP\/?2 (?:stream|framing)|unexpected (?:disconnect|eof)|hung up unexpectedly|empty reply from server|transfer closed|recv error|SSL_ERROR_SYSCALL|connection closed by/i,
  refused:
    /connection refused|couldn't connect|failed to connect|network is unreachable|no route to host|connection reset/i,
}

/** Undefined for what is none of them. What the remote itself said, and names and URLs of its choice, do not count. */
export function gitReason(complaint: string): ComplaintReason | undefined {
  const own = complaint
    .split('\n')
    .filter((line) => !/^\s*remote: /.test(line))
    .join('\n')
    .replace(/'[^'\n]*'|\S+:\/\/\S+/g, '')
  return complaintReasons.find((reason) => COMPLAINTS[reason].test(own))
}

const SENTENCES: Readonly<Record<ComplaintReason, string>> = {
  certificate: 'the certificate of its server is not trusted',
  host_key: 'the SSH host key of its server is not known or has changed',
  name: 'its server name cannot be resolved',
  timeout: 'its server did not answer in time',
  authentication: 'its server requires a login, or rejects the one in use',
  not_found: 'its server has no such repository, or does not show it to this login',
  server: 'its server answers with an error or breaks off its answer. Try again later',
  refused: 'its server refuses the connection',
}

/** For messages; `where` is who tried to read. Nothing is known of some complaints, and then that it cannot be read. */
export function unreadableMessage(
  where: string,
  reason: GitReason | undefined,
  login?: Pick<SourceLogin, 'key'>,
): string {
  if (reason === undefined) return `The repository cannot be read ${where}.`
  return isShortcoming(reason)
    ? SHORTCOMINGS[reason]
    : `The repository cannot be read ${where}: ${SENTENCES[reason]}.${adviceOn(reason, login)}`
}

/** Whoever added the key at the Git host can see there whether it is still accepted. */
const adviceOn = (reason: ComplaintReason, login: Pick<SourceLogin, 'key'> | undefined): string =>
  login?.key && (reason === 'authentication' || reason === 'not_found')
    ? ` It is read with the deploy key ${login.key.fingerprint}; \`fleet project:deploy-key:show PROJECT\` shows what the Git host has to accept.`
    : ''

/** The repository was read, and what it holds is the problem. */
export const isShortcoming = (reason: GitReason): reason is Shortcoming =>
  shortcomings.some((known) => known === reason)

const SHORTCOMINGS: Readonly<Record<Shortcoming, string>> = {
  empty: 'The repository has no branch yet. Push a first commit to it.',
  detached_head:
    'HEAD of the repository names a commit and no branch, so it has no default branch. Name one with `default_branch`.',
  head_without_branch:
    'HEAD of the repository names a branch that it does not have. Name another one with `default_branch`.',
  shallow:
    'The repository is a shallow clone, whose history is cut off. Complete it with `git fetch --unshallow`, or use the repository that it was cloned from.',
}
