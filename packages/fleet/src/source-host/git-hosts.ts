import type { Handler, HandlersOf } from '#/handler.ts'
import { type HostsParts, listHosts, trustHost } from '#/source-host/hosts.ts'

export type GitHostHandlers = HandlersOf<`git-host:${'list' | 'trust'}`>

export const makeGitHosts = (parts: HostsParts): GitHostHandlers => ({
  'git-host:list': makeGitHostList(parts),
  'git-host:trust': makeGitHostTrust(parts),
})

export const makeGitHostList =
  ({ store }: Pick<HostsParts, 'store'>): Handler<'git-host:list'> =>
  async () => ({ data: [...(await listHosts(store))] })

export const makeGitHostTrust =
  (parts: HostsParts): Handler<'git-host:trust'> =>
  async ({ call, input: { host, port = 22, fingerprint } }) => {
    call.note.property('host', `${host}:${port}`)
    return trustHost(parts, { host: host.toLowerCase(), port }, fingerprint)
  }
