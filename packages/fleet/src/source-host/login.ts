import type { GitHostData } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { textFile } from '@fleet/shell'
import type { KnownHost } from '#/source-host/hosts.ts'

/** Functions for scripts that read a login from standard input: `read_login`, then `with_login COMMAND…`. */
export const LOGIN_LIBRARY: string = textFile('commands/login.sh', import.meta.url)

/** What Git reads one repository with, on the gateway or on a Node. */
export interface SourceLogin {
  /** The repository, in the form that this login needs. */
  readonly url: string
  /** What `read_login` reads; it holds what is secret. */
  readonly input: Secret
  /** The deploy key that it logs in with, and the host that has to prove one of its keys. */
  readonly key?: { readonly fingerprint: string; readonly host: GitHostData }
}

/** What gateway and Node have themselves: nothing, or the keys and helpers of their users. */
export const ownLogin = (url: string): SourceLogin => ({ url, input: new Secret('none\n') })

/** With the token of a Git host, for HTTPS URLs of its server alone. */
export const tokenLogin = (url: string, token: Secret): SourceLogin => ({
  url,
  input: new Secret(`token\n${url}\n${authorizationOf(token)}\n`),
})

// What GitHub documents for Git over HTTPS: any name, and the token as the password.
const authorizationOf = (token: Secret): string =>
  `Authorization: Basic ${Buffer.from(`x-access-token:${token.reveal()}`).toString('base64')}`

/** With a private key, at a host that proves a recorded key. */
export const keyLogin = (
  url: string,
  key: { readonly privateKey: Secret; readonly fingerprint: string },
  { data, lines }: KnownHost,
): SourceLogin => ({
  url,
  input: new Secret(`key\n${url}\n${lines.join('\n')}\n\n${key.privateKey.reveal().trim()}\n\n`),
  key: { fingerprint: key.fingerprint, host: data },
})
