import type { Handler } from '#/handler.ts'
import { type HostsParts, listHosts } from '#/source-host/hosts.ts'

export const makeGitHostList =
  ({ store }: Pick<HostsParts, 'store'>): Handler<'git-host:list'> =>
  async () => ({ data: [...(await listHosts(store))] })
