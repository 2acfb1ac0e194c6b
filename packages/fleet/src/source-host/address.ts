/** Where the SSH server of a repository answers. */
export interface SshAddress {
  /** In lower case, without brackets. */
  readonly host: string
  readonly port: number
}

const HOST = String.raw`(?:\[(?<six>[0-9A-Fa-f:.]+)\]|(?<host>[^:/@[\]]+))`
const FORMS = [
  new RegExp(String.raw`^ssh://(?:[^@/]*@)?${HOST}(?::(?<port>\d{1,5}))?/.`, 'i'),
  // `user@host:path`; a scheme has two slashes behind its colon.
  new RegExp(String.raw`^(?:[^@/:]*@)?${HOST}:(?!//).`, 'i'),
]

/** Undefined for a URL of another protocol, and for a port that no server has. */
export function sshAddressOf(url: string): SshAddress | undefined {
  const groups = FORMS.map((form) => form.exec(url)?.groups).find((found) => found !== undefined)
  const host = groups?.['six'] ?? groups?.['host']
  const port = Number(groups?.['port'] ?? 22)
  if (host === undefined || port < 1 || port > 65_535) return undefined
  return { host: host.toLowerCase(), port }
}

/** How `known_hosts` names it. */
export const knownHostName = ({ host, port }: SshAddress): string =>
  port === 22 ? host : `[${host}]:${port}`
