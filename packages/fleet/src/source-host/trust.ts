import type { Handler } from '#/handler.ts'
import { type HostsDeps, trustHost } from '#/source-host/hosts.ts'

export const makeGitHostTrust =
  (deps: HostsDeps): Handler<'git-host:trust'> =>
  async ({ call, input: { host, port = 22, fingerprint } }) => {
    call.note.property('host', `${host}:${port}`)
    return trustHost(deps, { host: host.toLowerCase(), port }, fingerprint)
  }
