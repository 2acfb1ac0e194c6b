import type { Handler } from '#/handler.ts'
import { type HostsParts, trustHost } from '#/source-host/hosts.ts'

export const makeGitHostTrust =
  (parts: HostsParts): Handler<'git-host:trust'> =>
  async ({ call, input: { host, port = 22, fingerprint } }) => {
    call.note.property('host', `${host}:${port}`)
    return trustHost(parts, { host: host.toLowerCase(), port }, fingerprint)
  }
