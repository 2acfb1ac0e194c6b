import type { Handler } from '#/handler.ts'
import { type HostsDeps, listHosts } from '#/source-host/hosts.ts'

export const makeGitHostList =
  ({ store }: Pick<HostsDeps, 'store'>): Handler<'git-host:list'> =>
  async () => ({ data: [...(await listHosts(store))] })
