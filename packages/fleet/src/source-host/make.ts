import type { HandlersOf } from '#/handler.ts'
import { type HostsDeps, type KnownHost, knownHost, recordedHost, trustHost } from '#/source-host/hosts.ts'
import { makeGitHostList } from '#/source-host/list.ts'
import { makeGitHostTrust } from '#/source-host/trust.ts'
import type { SshAddress } from '#/source-host/address.ts'
import type { GitHostData } from '@fleet/contract'

/** What other domains may ask of Git hosts. */
export interface SourceHosts {
  /** With its recorded keys; those that it presents are recorded at its first use. Throws `git.host_unreachable`. */
  known(address: SshAddress): Promise<KnownHost>
  /** The recorded keys; nobody is asked. */
  recorded(address: SshAddress): Promise<GitHostData>
  /** Records the key with the fingerprint alone. Throws `git.host_key_mismatch` and `git.host_unreachable`. */
  trust(address: SshAddress, fingerprint: string): Promise<void>
}

export interface SourceHostDomain {
  readonly handlers: HandlersOf<`git-host:${'list' | 'trust'}`>
  readonly hosts: SourceHosts
}

/** Git hosts: the SSH keys that they prove themselves with, and how Git logs in to them. */
export const makeSourceHost = (deps: HostsDeps): SourceHostDomain => ({
  handlers: { 'git-host:list': makeGitHostList(deps), 'git-host:trust': makeGitHostTrust(deps) },
  hosts: {
    known: (address) => knownHost(deps, address),
    recorded: (address) => recordedHost(deps, address),
    trust: async (address, fingerprint) => void (await trustHost(deps, address, fingerprint)),
  },
})
