import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RunningGateway } from '@fleet/gateway'
import { ensureRepository } from '#/git/repository.ts'
import { type GitServer, startGitServer } from '#/git/server.ts'
import type { Home } from '#/home.ts'
import { KeptPortTaken, openKept } from '#/kept-ports.ts'

const SOURCE = resolve(import.meta.dirname, '../../sample/shop')
/** From the gateway's 8443 to 8480: fleets on distant ports never meet. */
const PORTS_ABOVE_GATEWAY = 37

export interface SampleGitOptions {
  readonly home: Home
  readonly gateway: Pick<RunningGateway, 'leaf'>
  readonly gatewayPort: number
  readonly programs: Readonly<Record<string, string>>
  /** Whether to make the repository when it is missing. */
  readonly make: boolean
}

/** Address of the sample repository, or why it is not served; undefined for a fleet that never had the sample. */
export type SampleGit = { readonly url: string } | { readonly problem: string } | undefined

/**
 * Serves the sample repository with a certificate of the fleet, when it was made or is asked for. A taken port costs only
 * the repository: stored Projects name the port, so the server cannot move, and the fleet does without.
 */
export async function startSampleGit(
  options: SampleGitOptions,
  stack: AsyncDisposableStack,
): Promise<SampleGit> {
  const { home, gateway, gatewayPort, programs, make } = options
  const repository = home.in('git', 'shop.git')
  if (!make && !existsSync(repository)) return undefined
  await ensureRepository(repository, SOURCE, programs)
  let server: GitServer | undefined
  const leaf = await gateway.leaf(['localhost'], ['127.0.0.1'], home.in('git', 'tls'), (renewed) =>
    server?.renew(renewed),
  )
  const first = gatewayPort + PORTS_ABOVE_GATEWAY
  const kept = { file: home.in('ports.json'), service: 'git', first, mayMove: false } as const
  try {
    const { opened } = await openKept<GitServer>(kept, (port) =>
      startGitServer({ port, repositories: home.in('git'), programs, ...leaf }),
    )
    server = opened
    return { url: `${stack.use(opened).url}/shop.git` }
  } catch (error) {
    if (error instanceof KeptPortTaken) return { problem: error.message }
    throw error
  }
}
